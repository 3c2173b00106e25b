/** Steps of the ceilings of idle counters, kept in the isolate: an object that is not called for ten seconds is evicted. */

import { type Ceiling, restedCeiling } from '#ratelimit/durability/ceiling.ts'

/** The steps of one object's counters. They are hints: a counter without one begins with step 0. */
export interface IdleSteps {
  /** Keeps the step of a counter that has fallen idle; one of 0 is forgotten. */
  keep(name: string, ceiling: Ceiling): void
  /** A ceiling that has the step and covers no window; undefined for none. */
  find(name: string): Ceiling | undefined
}

/** Counters whose steps an isolate keeps, in some 3 MiB; the one that fell idle first is forgotten beyond it. */
export const maxIdleSteps = 10_000

const rested = new Map<string, Ceiling>()

/**
 * Finds the steps of one object, which all its instances in this isolate share.
 *
 * @param object - the id of the object.
 */
export function idleSteps(object: string): IdleSteps {
  const placeOf = (name: string) => `${object} ${name}`
  return {
    keep(name, ceiling) {
      const place = placeOf(name)
      // Deleted first, so that it becomes the youngest.
      rested.delete(place)
      if (ceiling.step > 0) rested.set(place, restedCeiling(ceiling))
      const [oldest] = rested.size > maxIdleSteps ? rested.keys() : []
      if (oldest !== undefined) rested.delete(oldest)
    },
    find: (name) => rested.get(placeOf(name)),
  }
}
