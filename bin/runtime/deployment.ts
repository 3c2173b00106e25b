/** Reads from `wrangler.toml` what a Worker needs to run: bindings, compatibility date and flags. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { WorkerName } from '../bundle-workers.ts'
import { projectRoot, workersFolder } from '../project.ts'
import { makeOnce, writeWhole } from '../run/make-once.mjs'

/** The part of `wrangler.toml` that does not depend on the start. */
export interface Deployment {
  readonly compatibilityDate: string
  readonly compatibilityFlags: readonly string[]
  readonly objects: readonly { readonly binding: string; readonly className: string }[]
}

/** Reads the deployment that was written when the Worker was bundled. */
export function readDeployment(worker: WorkerName): Deployment {
  // Written by deploymentText() of the same version.
  return JSON.parse(readFileSync(deploymentPath(worker), 'utf8')) as Deployment
}

/** Writes a Worker's deployment where `wrangler.toml` has changed: wrangler takes longer to load than the runtime. */
export async function writeDeployment(worker: WorkerName): Promise<void> {
  const outfile = deploymentPath(worker)
  const inputs = ['wrangler.toml', 'node_modules/.package-lock.json'].map((path) => join(projectRoot, path))
  await makeOnce(`${outfile}.made.json`, worker, async () => {
    writeWhole(outfile, deploymentText(worker))
    return { inputs, outputs: [outfile] }
  })
}

function deploymentPath(worker: WorkerName): string {
  return join(workersFolder, `${worker}.json`)
}

/** Makes that text from `wrangler.toml`, without the settings of `wrangler dev`: they would get into every start. */
export function deploymentText(worker: WorkerName, root = projectRoot): string {
  // Loaded only here: the package is installed without it.
  const wrangler: typeof import('wrangler') = createRequire(import.meta.url)('wrangler')
  const place = { config: join(root, 'wrangler.toml'), ...(worker !== 'index' && { env: worker }) }
  // It warns of the objects that a single surface leaves out, which is what a single surface is for.
  const config = wrangler.unstable_readConfig(place, { hideWarnings: true })
  // Wrangler's types leave the members of a binding open; its check of the file names them.
  const bindings: readonly { readonly name: string; readonly class_name: string }[] = config.durable_objects.bindings
  const deployment: Deployment = {
    compatibilityDate: config.compatibility_date ?? '',
    compatibilityFlags: config.compatibility_flags,
    objects: bindings.map(({ name, class_name }) => ({ binding: name, className: class_name })),
  }
  return `${JSON.stringify(deployment, null, 2)}\n`
}
