/** Counter objects that could not be asked: readiness asks them again, so that a shard that is destroyed shows. */

/** The binding of counter objects, as far as it is used here. */
interface CountersByName {
  readonly COUNTER: {
    getByName(name: string): {
      hit(id: number, hits: readonly (readonly [key: string, unit: number, addend: number])[]): Promise<unknown>
    }
  }
}

/** The most names that an isolate keeps, and asks at a check. */
export const maxFailedCounters = 16

const failed = new Set<string>()

/** Passes on the outcome of a call to an object, and keeps its name when the call fails. */
export function noteFailed<T>(name: string, call: Promise<T>): Promise<T> {
  return call.catch((error) => {
    if (failed.size < maxFailedCounters) failed.add(name)
    throw error
  })
}

/**
 * Asks the objects that failed; forgets those that answer. Nothing is asked where none has failed.
 *
 * @throws Error of the first that fails again.
 */
export async function assertCounters({ COUNTER }: CountersByName): Promise<void> {
  await Promise.all(
    [...failed].map(async (name) => {
      // No hit of the first unit: a look that leaves nothing behind.
      await COUNTER.getByName(name).hit(Math.floor(Math.random() * Number.MAX_SAFE_INTEGER), [['', 0, 0]])
      failed.delete(name)
    }),
  )
}
