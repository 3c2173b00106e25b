/** Bundles the Workers as they are deployed: one file for the whole and one for each surface. */

import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BuildOptions } from 'esbuild'
import { isPackage, projectRoot } from './project.ts'
import { replaceFile } from './replace-file.ts'

/** The entries of `workers/`: `index` is the whole, the others are one surface each. */
export const workerNames = ['index', 'grid', 'ratelimit', 'streamnet'] as const

/** The name of a bundled Worker. */
export type WorkerName = (typeof workerNames)[number]

/** Absolute path of a bundled Worker: made at every start of a clone, and once for the package. */
export function bundlePath(name: WorkerName): string {
  return join(projectRoot, isPackage ? 'dist/workers' : '.build/workers', `${name}.js`)
}

/** The bundler's settings for code that runs in workerd; wrangler uses the same conditions. */
export const workerBundle = {
  absWorkingDir: projectRoot,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  external: ['cloudflare:*', 'node:*'],
  conditions: ['workerd', 'worker', 'browser'],
  loader: { '.html': 'text' },
  sourcemap: 'inline',
  metafile: true,
  write: false,
  logLevel: 'error',
} satisfies BuildOptions

/**
 * Bundles Workers into `.build/workers/NAME.js`, each with the list of its inputs in `NAME.inputs.json`.
 *
 * @throws Error from the bundler when a source does not parse or resolve.
 */
export async function bundleWorkers(names: readonly WorkerName[] = workerNames): Promise<void> {
  await Promise.all(names.map(bundleWorker))
}

async function bundleWorker(name: WorkerName): Promise<void> {
  // Loaded only here: the package is installed without esbuild.
  const { build } = await import('esbuild')
  const outfile = bundlePath(name)
  const result = await build({ ...workerBundle, entryPoints: [`workers/${name}.ts`], outfile })
  mkdirSync(dirname(outfile), { recursive: true })
  replaceFile(outfile, result.outputFiles[0]?.text ?? '')
  const inputs = Object.keys(result.metafile.inputs).sort()
  replaceFile(outfile.replace(/\.js$/, '.inputs.json'), `${JSON.stringify(inputs, null, 2)}\n`)
}
