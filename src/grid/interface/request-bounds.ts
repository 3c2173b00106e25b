/** Bounds of requests: the octets and the depth of bodies, and the number and the names of what they create. */

/** Most octets of a body, by what it carries. */
export const bodyLimits = {
  control: 64 * 1024,
  // A scenario or a session is one value of a table.
  scenario: 1024 * 1024,
  ingest: 256 * 1024,
  capture: 4 * 1024 * 1024,
  network: 4 * 1024 * 1024,
} as const

/** Deepest nesting of a JSON body. */
export const maximumDepth = 16

/** Most simulations besides the default one. */
export const maximumSimulations = 100

/** Name of a simulation in a path: what a host name's label may be, so that it can become one. */
export const simulationName = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Most networks that a deployment stores, and most octets of all of them as JSON. */
export const networkBounds = { count: 50, octets: 4 * 1024 * 1024 } as const
