/** The versions of Node that the product supports, as packages of npm in `.build/nodes`. */

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../project.ts'

/** The least version that package.json takes, and the newest of each line that is maintained. */
export const nodeVersions = ['20.19.0', '22.23.3', '24.21.0', '26.10.0'] as const

/** Installs a version of Node, unless it is there, and gives the path of its program. */
export function installNode(version: string): string {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const folder = join(projectRoot, '.build/nodes', version)
  const program = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  const flags = ['--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { status, stderr } = spawnSync('npm', ['install', ...flags, `${name}@${version}`], { encoding: 'utf8' })
  if (status === 0 && existsSync(program)) return program
  throw new Error(`Cannot install Node ${version}: npm ended with exit code ${status}\n${stderr}`)
}
