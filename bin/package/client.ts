/** The package that other projects install: the clients as ECMAScript modules with types. */

import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../project.ts'

/** Compiles the clients into a folder, whose folders are removed first: a renamed module leaves nothing behind. */
export function buildClients(folder: string = join(projectRoot, 'dist/library')): void {
  for (const part of ['base', 'streamnet', 'ratelimit', 'limiter'])
    rmSync(join(folder, part), { recursive: true, force: true })
  const compiler = join(projectRoot, 'node_modules/.bin/tsc')
  const args = ['-p', join(projectRoot, 'bin/package/client.tsconfig.json'), '--outDir', folder]
  const { status, stdout, stderr } = spawnSync(compiler, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`Cannot build the clients: the compiler found mistakes\n${stdout}${stderr}`)
}
