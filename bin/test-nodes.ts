/**
 * `npm run test:nodes`: the gate's core on every version of Node that the product supports; with `--node VERSION` on
 * this one. Further words are given to the test runner, such as `npm run test:nodes -- test/streamnet`.
 *
 * The programs are packages of npm, installed into `.build/nodes`. The last line for each version is
 * `Node VERSION: passed` or `failed`; the exit code is 1 when one failed.
 */

import { spawnSync } from 'node:child_process'
import { delimiter, dirname, join } from 'node:path'
import { installNode, nodeVersions } from './nodes/installation.ts'
import { projectRoot } from './project.ts'

const { versions, words } = readWords(process.argv.slice(2))
const outcomes = versions.map((version) => ({ version, isPassed: runCore(installNode(version)) }))
for (const { version, isPassed } of outcomes) console.log(`Node ${version}: ${isPassed ? 'passed' : 'failed'}`)
process.exitCode = outcomes.every(({ isPassed }) => isPassed) ? 0 : 1

function readWords(args: readonly string[]): {
  readonly versions: readonly string[]
  readonly words: readonly string[]
} {
  const [first, version = '', ...words] = args
  if (first !== '--node') return { versions: nodeVersions, words: args }
  // Widened, because `includes` of a list of literals takes only those literals.
  if ((nodeVersions as readonly string[]).includes(version)) return { versions: [version], words }
  throw new Error(`Cannot test on Node "${version}": expected one of ${nodeVersions.join(', ')}`)
}

/** The pure tests, the command, and the configuration that comes with it. */
function runCore(node: string): boolean {
  const sluice = join(projectRoot, 'bin/sluice.mjs')
  const runner = join(projectRoot, 'node_modules/vitest/vitest.mjs')
  const commands = [
    [sluice, '--version'],
    [sluice, 'ratelimit', 'check', 'examples/ratelimit/config'],
    [runner, 'run', '--project', 'unit', ...words],
  ]
  const environment = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` }
  return commands.every((args) => {
    const { status } = spawnSync(node, args, { cwd: projectRoot, env: environment, stdio: 'inherit' })
    return status === 0
  })
}
