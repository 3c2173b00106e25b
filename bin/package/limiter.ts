/** Parts of the package that hold the rate limit service: a limiter in memory, and the Worker that another one exports. */

import { spawnSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { workerBundle } from '../bundle-workers.ts'
import { projectRoot } from '../project.ts'

const folder = join(projectRoot, 'dist/limiter')

/**
 * Bundles both into `dist/limiter`, each as one file that needs no package, with their types. The clients, whose types
 * they refer to, are there before.
 *
 * @throws Error from the bundler or with the compiler's messages when a source has mistakes.
 */
export async function buildLimiter(): Promise<void> {
  // Loaded only here: the package is installed without esbuild.
  const { build } = await import('esbuild')
  const settings = { ...workerBundle, minify: true, sourcemap: false as const, metafile: false as const, write: true }
  const entries = { testing: 'src/limiter/testing.ts', worker: 'workers/ratelimit.ts' }
  await build({ ...settings, entryPoints: entries, outdir: folder })
  copyFileSync(join(declareTesting(), 'src/limiter/testing.d.ts'), join(folder, 'testing.d.ts'))
  copyFileSync(join(projectRoot, 'bin/package/worker.d.ts'), join(folder, 'worker.d.ts'))
}

/** Writes the declarations of all that the limiter in memory imports: the package needs those of one file. */
function declareTesting(): string {
  const types = join(projectRoot, '.build/package-types')
  const args = ['-p', join(projectRoot, 'bin/package/limiter.tsconfig.json'), '--outDir', types]
  const { status, stdout, stderr } = spawnSync(join(projectRoot, 'node_modules/.bin/tsc'), args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`Cannot declare the limiter: the compiler found mistakes\n${stdout}${stderr}`)
  return types
}
