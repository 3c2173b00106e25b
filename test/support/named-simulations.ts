/** A grid in the runtime, whose simulations are made when a test first asks one. */

import { startBundle } from './bundle.ts'
import { createSimulations } from './grid-service.ts'
import { host } from './host.ts'

const token = 'e'.repeat(32)

/** The header of the grid's token. */
export const bearer = { authorization: `Bearer ${token}` }

/** Bodies whose shape the test itself checks. */
// biome-ignore lint/suspicious/noExplicitAny: what the service answers is what is under test
export type Body = any

/** Long enough for a machine that is busy with something else; nothing here waits longer than it must. */
export const patience = { interval: 100 }

/** Starts a grid for the tests of a file. */
export function namedSimulations() {
  const bundle = host(() => startBundle({ worker: 'grid', rebuild: true, vars: { GRID_TOKEN: token } }))
  /** Simulations that exist already. */
  const created = new Set<string>()

  async function create(name: string): Promise<void> {
    if (!created.has(name)) await createSimulations(bundle.url, [name], token)
    created.add(name)
  }
  return {
    bundle,
    create,
    /** Asks a simulation; with a body it is a POST. */
    async ask(name: string, path: string, body?: unknown): Promise<{ status: number; body: Body }> {
      const init =
        body === undefined ? {} : { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }
      await create(name)
      const response = await fetch(`${bundle.url}/simulations/${name}/api/v1${path}`, { headers: bearer, ...init })
      return { status: response.status, body: await response.json() }
    },
  }
}
