/** What `wrangler.toml` says of a Worker: bindings, compatibility date and assets, as Miniflare takes them. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import type { WorkerOptions } from 'miniflare'
import type { WorkerName } from './bundle-workers.ts'
import { projectRoot, workersFolder } from './project.ts'
import { makeOnce, writeWhole } from './run/make-once.mjs'

/** The options of one Worker that do not depend on the start: no script, variable or socket is among them. */
export type Deployment = Partial<WorkerOptions> & Pick<WorkerOptions, 'durableObjects' | 'assets'>

/** Reads what was written down of an environment of `wrangler.toml` when its Worker was bundled. */
export function readDeployment(worker: WorkerName): Deployment {
  // Written by prepareDeployment() of the same version.
  const options = JSON.parse(readFileSync(pathOf(worker), 'utf8')) as Deployment
  const { assets } = options
  return assets === undefined
    ? options
    : { ...options, assets: { ...assets, directory: join(projectRoot, assets.directory ?? '') } }
}

/**
 * Writes that down where `wrangler.toml` has changed: wrangler takes longer to load than the runtime to start.
 *
 * @throws Error of wrangler when the file has mistakes.
 */
export async function writeDeployment(worker: WorkerName): Promise<void> {
  const outfile = pathOf(worker)
  const inputs = ['wrangler.toml', 'node_modules/.package-lock.json'].map((path) => join(projectRoot, path))
  await makeOnce(`${outfile}.made.json`, worker, async () => {
    writeWhole(outfile, prepareDeployment(worker))
    return { inputs, outputs: [outfile] }
  })
}

/**
 * The text of the file that a start reads in the place of `wrangler.toml`; the folder of pages is relative there.
 *
 * @param root - folder of `wrangler.toml`; that of the project when absent.
 */
export function prepareDeployment(worker: WorkerName, root = projectRoot): string {
  const { assets, ...options } = readConfigured(worker, root)
  const portable = assets && { ...assets, directory: relative(root, assets.directory ?? '') }
  return `${JSON.stringify({ ...options, ...(portable && { assets: portable }) }, null, 2)}\n`
}

function pathOf(worker: WorkerName): string {
  return join(workersFolder, `${worker}.json`)
}

/** Settings of `wrangler dev` (`.dev.vars`, `.env`) are left out: they would get into every start, and into the package. */
function readConfigured(worker: WorkerName, root = projectRoot): Deployment {
  // Loaded only here: the package is installed without wrangler.
  const wrangler: typeof import('wrangler') = createRequire(import.meta.url)('wrangler')
  const environment = worker === 'index' ? undefined : worker
  const place = { config: join(root, 'wrangler.toml'), ...(environment && { env: environment }) }
  // It warns of the objects that a single surface leaves out, which is what a single surface is for.
  const config = wrangler.unstable_readConfig(place, { hideWarnings: true })
  // Given another file, here one that does not exist, wrangler reads neither; its types leave this option out.
  const noFiles: object = { envFiles: [join(root, '.build/no.env')] }
  const { workerOptions } = wrangler.unstable_getMiniflareWorkerOptions(config, environment, noFiles)
  // Its members are those of a parsed file: texts, numbers, lists and tables.
  return { ...workerOptions, bindings: config.vars as NonNullable<Deployment['bindings']> }
}
