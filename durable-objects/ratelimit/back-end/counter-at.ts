/** Stubs of counters, in the place that their name tells. */

import type { Jurisdiction, LocationHint } from '#ratelimit/placement/places.ts'
import { readObjectName } from '#ratelimit/placement.ts'

/** The binding of counter objects, as far as stubs need it. */
export interface CounterNamespace<Stub> {
  getByName(name: string, options?: { readonly locationHint?: LocationHint }): Stub
  jurisdiction(jurisdiction: Jurisdiction): CounterNamespace<Stub>
}

/**
 * Makes the stub of a counter's object, by its name of `nameObject`.
 *
 * A jurisdiction makes another object. A location hint takes effect when the object is made, and moves none.
 *
 * @throws Error where the runtime has no jurisdictions, as workerd on one machine.
 */
export function counterAt<Stub>(namespace: CounterNamespace<Stub>, text: string): Stub {
  const { name, jurisdiction, hint } = readObjectName(text)
  const within = jurisdiction === null ? namespace : namespace.jurisdiction(jurisdiction)
  return hint === null ? within.getByName(name) : within.getByName(name, { locationHint: hint })
}
