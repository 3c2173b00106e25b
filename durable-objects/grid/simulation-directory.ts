/** SimulationDirectoryObject: stored networks, and the names of the simulations: a request to another name creates nothing. */

import { DurableObject } from 'cloudflare:workers'
import { nearest } from '#base/nearest.ts'
import type { StoredNetwork } from '#grid/contract/network.ts'
import { GridError } from '#grid/errors.ts'
import { maximumSimulations, networkBounds } from '#grid/interface/request-bounds.ts'
import { type Answer, answer } from '../base/result.ts'
import type { GridEnv } from './env.ts'
import { openDirectoryTables, type SimulationEntry } from './storage/simulation-directory.ts'

/** The one directory of a deployment. */
export class SimulationDirectoryObject extends DurableObject<GridEnv> {
  readonly #tables = openDirectoryTables(this.ctx.storage)

  has(name: string): boolean {
    return this.#tables.has(name)
  }

  list(): readonly SimulationEntry[] {
    return this.#tables.list()
  }

  nearest(name: string): string | undefined {
    return nearest(name, ['default', ...this.#tables.list().map((entry) => entry.name)])
  }

  /** Adds a name; false when it is there already. Refuses with `too_many` beyond the bound. */
  add(name: string): Answer<boolean> {
    return answer(() => {
      if (this.#tables.has(name)) return false
      if (this.#tables.list().length >= maximumSimulations) {
        throw new GridError('too_many', `Cannot create simulation "${name}": there are ${maximumSimulations} already`, {
          hint: 'DELETE /api/v1/simulations/NAME removes one; GET /api/v1/simulations lists them',
        })
      }
      this.#tables.add({ name, createdMs: Date.now() })
      return true
    })
  }

  remove(name: string): void {
    this.#tables.remove(name)
  }

  listNetworks(): readonly StoredNetwork[] {
    return this.#tables.listNetworks()
  }

  /** Gives the tables of a network as JSON; without one, the nearest name of another. */
  readNetwork(name: string): { readonly body: string } | { readonly nearest: string | undefined } {
    const body = this.#tables.readNetwork(name)
    if (body !== undefined) return { body }
    const names = this.#tables.listNetworks().map((network) => network.name)
    return { nearest: nearest(name, names) }
  }

  /** Stores a network in the place of one of its name. Refuses with `too_many` beyond the bounds. */
  putNetwork(network: StoredNetwork, body: string): Answer<void> {
    return answer(() => {
      const others = this.#tables.listNetworks().filter(({ name }) => name !== network.name)
      const octets = others.reduce((sum, { bytes }) => sum + bytes, network.bytes)
      const { count, octets: most } = networkBounds
      if (others.length >= count) throw tooMany(network, `there are ${count} already`)
      if (octets > most) throw tooMany(network, `all together have more than ${most} bytes`)
      this.#tables.putNetwork(network, body)
    })
  }

  removeNetwork(name: string): boolean {
    const isThere = this.#tables.readNetwork(name) !== undefined
    if (isThere) this.#tables.removeNetwork(name)
    return isThere
  }
}

function tooMany({ name }: StoredNetwork, state: string): GridError {
  return new GridError('too_many', `Cannot store network "${name}": ${state}`, {
    hint: 'DELETE /api/v1/networks/NAME removes one; GET /api/v1/networks lists them',
  })
}
