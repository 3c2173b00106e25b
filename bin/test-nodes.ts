/**
 * `npm run test:nodes`: the gate's core on every version of Node that the product supports. Words after `--` are given
 * to the test runner, such as `npm run test:nodes -- test/streamnet`.
 *
 * The programs are packages of npm, installed into `.build/nodes`. The last line for each version is
 * `Node VERSION: passed` or `failed`; the exit code is 1 when one failed.
 */

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { projectRoot } from './project.ts'

/** The least version that package.json takes, and the newest of each line that is maintained. */
const versions = ['20.19.0', '22.23.3', '24.21.0']

const outcomes = versions.map((version) => ({ version, isPassed: runCore(installNode(version)) }))
for (const { version, isPassed } of outcomes)
  console.log(`Node ${version}: ${isPassed ? 'passed' : 'failed'}`)
process.exitCode = outcomes.every(({ isPassed }) => isPassed) ? 0 : 1

/** Installs a version of Node and gives the path of its program. */
function installNode(version: string): string {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const folder = join(projectRoot, '.build/nodes', version)
  const program = join(
    folder,
    'node_modules',
    name,
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  )
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  const flags = ['--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--silent']
  const { status } = spawnSync('npm', ['install', ...flags, `${name}@${version}`], { stdio: 'inherit' })
  if (status === 0 && existsSync(program)) return program
  throw new Error(`Cannot install Node ${version}: npm ended with exit code ${status}`)
}

/** The pure tests, the command, and the configuration that comes with it. */
function runCore(node: string): boolean {
  const sluice = join(projectRoot, 'bin/sluice.mjs')
  const runner = join(projectRoot, 'node_modules/vitest/vitest.mjs')
  const commands = [
    [sluice, '--version'],
    [sluice, 'ratelimit', 'check', 'examples/ratelimit/config'],
    [runner, 'run', '--project', 'unit', ...process.argv.slice(2)],
  ]
  const environment = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` }
  return commands.every((args) => {
    const { status } = spawnSync(node, args, { cwd: projectRoot, env: environment, stdio: 'inherit' })
    return status === 0
  })
}
