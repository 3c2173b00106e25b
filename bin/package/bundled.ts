/** Parts of the package that are one file each: the grid, a limiter and a node in memory, the Worker that another one exports. */

import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { workerBundle } from '../bundle-workers.ts'
import { projectRoot } from '../project.ts'
import { replaceFile } from '../run/replace-file.mjs'

const library = join(projectRoot, 'dist/library')

/** Bundles the parts into `dist/library`, with their types, which refer to the clients that are there already. */
export async function buildBundled(): Promise<void> {
  // Loaded only here: the package is installed without esbuild.
  const { build } = await import('esbuild')
  const settings = { ...workerBundle, minify: true, sourcemap: false as const, metafile: false as const, write: true }
  const entryPoints = {
    'grid/index': 'src/grid/index.ts',
    'limiter/testing': 'src/limiter/testing.ts',
    'limiter/worker': 'workers/mount.ts',
    'streamnet/testing': 'bin/streamnet/testing.ts',
  }
  rmSync(join(library, 'grid'), { recursive: true, force: true })
  await build({ ...settings, entryPoints, outdir: library })
  const declared = declare()
  const types = join(declared, 'src')
  for (const part of ['base', 'grid']) cpSync(join(types, part), join(library, part), { recursive: true })
  copyFileSync(join(types, 'limiter/testing.d.ts'), join(library, 'limiter/testing.d.ts'))
  const fixture = readFileSync(join(declared, 'bin/streamnet/testing.d.ts'), 'utf8')
  replaceFile(join(library, 'streamnet/testing.d.ts'), fixture.replaceAll(/'#streamnet\/(.*)\.ts'/g, "'./$1.js'"))
  copyFileSync(join(projectRoot, 'bin/package/worker.d.ts'), join(library, 'limiter/worker.d.ts'))
}

/** Writes the declarations of all that the parts import, and returns their folder: the package needs some of them. */
function declare(): string {
  const types = join(projectRoot, '.build/package-types')
  rmSync(types, { recursive: true, force: true })
  const args = ['-p', join(projectRoot, 'bin/package/bundled.tsconfig.json'), '--outDir', types]
  const { status, stdout, stderr } = spawnSync(join(projectRoot, 'node_modules/.bin/tsc'), args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`Cannot declare the package: the compiler found mistakes\n${stdout}${stderr}`)
  return types
}
