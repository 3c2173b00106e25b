/** The package that other projects install: the stream network client as ECMAScript modules with types. */

import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../project.ts'

/**
 * Compiles the client into `dist`, or into the folder given. Its folders there are removed first: a module that was
 * renamed leaves nothing behind.
 *
 * @throws Error with the compiler's messages when a source does not compile.
 */
export function buildClient(folder: string = join(projectRoot, 'dist')): void {
  for (const part of ['base', 'streamnet']) rmSync(join(folder, part), { recursive: true, force: true })
  const compiler = join(projectRoot, 'node_modules/.bin/tsc')
  const args = ['-p', join(projectRoot, 'bin/package/client.tsconfig.json'), '--outDir', folder]
  const { status, stdout, stderr } = spawnSync(compiler, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`Cannot build the client: the compiler found mistakes\n${stdout}${stderr}`)
}
