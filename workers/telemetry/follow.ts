/** Begins the telemetry of a simulation: with any request that the grid let in, once in an interval for each isolate. */

/** A request that was answered. */
interface Asked {
  readonly method: string
  readonly path: string
}

/** An object that publishes a simulation. */
interface Followed {
  follow(): Promise<void>
}

/** Time at which each simulation was last followed, in Unix milliseconds; beyond the bound the oldest goes. */
const followedAt = new Map<string, number>()
const maxFollowed = 1_000

/**
 * Follows the simulation of an answered request.
 *
 * @param seconds - of the interval; nothing is followed with 0.
 * @returns work that goes on after the answer; undefined when there is none.
 */
export function followSimulation(
  { method, path }: Asked,
  response: Response,
  seconds: number,
  publisherOf: (simulation: string) => Followed,
): Promise<void> | undefined {
  // Preflights are answered before the token is looked at, for any name: a stranger would make an object with each.
  if (seconds === 0 || !response.ok || method === 'OPTIONS') return undefined
  const [, simulation = 'default', rest] = /^(?:\/simulations\/([\w.-]+))?\/api\/v1(\/.*)$/.exec(path) ?? []
  // The status is open to strangers, who begin nothing.
  if (rest === undefined || /^\/status\/*$/.test(rest)) return undefined
  const now = Date.now()
  if (now - (followedAt.get(simulation) ?? 0) < seconds * 1000) return undefined
  followedAt.delete(simulation)
  followedAt.set(simulation, now)
  const [oldest] = followedAt.keys()
  if (followedAt.size > maxFollowed && oldest !== undefined) followedAt.delete(oldest)
  return publisherOf(simulation).follow()
}
