/** SimulationDirectoryObject: the names of the simulations, so that a request to an unknown name creates nothing. */

import { DurableObject } from 'cloudflare:workers'
import { nearest } from '#base/nearest.ts'
import { GridError } from '#grid/errors.ts'
import { maximumSimulations } from '#grid/interface/requests.ts'
import { type Answer, answer } from '../base/result.ts'
import type { GridEnv } from './env.ts'
import { openSimulationNames, type SimulationEntry } from './storage/simulation-directory.ts'

/** The one directory of a deployment. */
export class SimulationDirectoryObject extends DurableObject<GridEnv> {
  readonly #names = openSimulationNames(this.ctx.storage)

  has(name: string): boolean {
    return this.#names.has(name)
  }

  list(): readonly SimulationEntry[] {
    return this.#names.list()
  }

  /** The existing name that is nearest to an unknown one. */
  nearest(name: string): string | undefined {
    return nearest(name, ['default', ...this.#names.list().map((entry) => entry.name)])
  }

  /** Adds a name and tells whether it is new; adding it again changes nothing. Refuses with `too_many` beyond the bound. */
  add(name: string): Answer<boolean> {
    return answer(() => {
      if (this.#names.has(name)) return false
      if (this.#names.list().length >= maximumSimulations) {
        throw new GridError('too_many', `Cannot create simulation "${name}": there are ${maximumSimulations} already`, {
          hint: 'DELETE /api/v1/simulations/NAME removes one; GET /api/v1/simulations lists them',
        })
      }
      this.#names.add({ name, createdMs: Date.now() })
      return true
    })
  }

  remove(name: string): void {
    this.#names.remove(name)
  }
}
