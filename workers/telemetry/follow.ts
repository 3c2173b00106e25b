/** Which requests begin the telemetry of a simulation: any that the grid let in, once in an interval for each isolate. */

/** An object that publishes a simulation. */
interface Followed {
  follow(): Promise<void>
}

/** When each simulation was last followed, in Unix milliseconds; the oldest is forgotten beyond the bound. */
const followedAt = new Map<string, number>()
const maxFollowed = 1_000

/**
 * Follows the simulation of an answered request.
 *
 * @param path - of the request.
 * @param seconds - of the interval; nothing is followed with 0.
 * @returns work that goes on after the answer; undefined when there is none.
 */
export function followSimulation(
  path: string,
  response: Response,
  seconds: number,
  publisherOf: (simulation: string) => Followed,
): Promise<void> | undefined {
  if (seconds === 0 || !response.ok) return undefined
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
