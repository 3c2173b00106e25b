/** The Worker as the package holds it: minified, with what `wrangler.toml` says of it beside it. */

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type WorkerName, workerBundle } from '../bundle-workers.ts'
import { projectRoot } from '../project.ts'
import { replaceFile } from '../run/replace-file.mjs'
import { deploymentText } from '../runtime/deployment.ts'

/** The Worker with all surfaces is what a start runs. */
const worker: WorkerName = 'index'

/** Bundles the Worker into `dist/workers`. */
export async function buildRuntime(): Promise<void> {
  // Loaded only here: the package is installed without esbuild.
  const { build } = await import('esbuild')
  const folder = join(projectRoot, 'dist/workers')
  const outfile = join(folder, `${worker}.js`)
  const settings = { ...workerBundle, minify: true, sourcemap: false as const, metafile: false as const }
  const { outputFiles } = await build({ ...settings, entryPoints: [`workers/${worker}.ts`], outfile })
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  replaceFile(outfile, outputFiles[0]?.text ?? '')
  replaceFile(join(folder, `${worker}.json`), deploymentText(worker))
}
