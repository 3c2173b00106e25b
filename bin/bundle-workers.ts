/** Bundles the Workers as they are deployed: one file for the whole and one for each surface. */

import { join } from 'node:path'
import type { BuildOptions } from 'esbuild'
import { projectRoot, workersFolder } from './project.ts'
import { bundleInputs, makeOnce, writeWhole } from './run/make-once.mjs'
import { writeDeployment } from './runtime/deployment.ts'

/** The entries of `workers/`: `index` is the whole, the others are one surface each. */
const workerNames = ['index', 'grid', 'ratelimit', 'streamnet'] as const

/** The name of a bundled Worker. */
export type WorkerName = (typeof workerNames)[number]

/** Absolute path of a bundled Worker. */
export function bundlePath(name: WorkerName): string {
  return join(workersFolder, `${name}.js`)
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
  // In a separate file: the runtime reads the script whole at every start, and a map is twice as large as its script.
  sourcemap: 'linked',
  metafile: true,
  write: false,
  logLevel: 'error',
} satisfies BuildOptions

/** Bundles Workers into `.build/workers` where sources have changed, each with its inputs and its `wrangler.toml`. */
export async function bundleWorkers(names: readonly WorkerName[] = workerNames): Promise<void> {
  await Promise.all(names.flatMap((name) => [bundleWorker(name), writeDeployment(name)]))
}

async function bundleWorker(name: WorkerName): Promise<void> {
  const outfile = bundlePath(name)
  const options = { ...workerBundle, entryPoints: [`workers/${name}.ts`], outfile }
  await makeOnce(`${outfile}.made.json`, JSON.stringify(options), async () => {
    // Loaded only here: the package is installed without esbuild.
    const { build } = await import('esbuild')
    const { outputFiles, metafile } = await build(options)
    for (const { path, contents } of outputFiles) writeWhole(path, contents)
    const inputs = outfile.replace(/\.js$/, '.inputs.json')
    writeWhole(inputs, `${JSON.stringify(Object.keys(metafile.inputs).sort(), null, 2)}\n`)
    return { inputs: bundleInputs(projectRoot, metafile), outputs: [...outputFiles.map(({ path }) => path), inputs] }
  })
}
