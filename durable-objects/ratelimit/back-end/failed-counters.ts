/** Counter objects that could not be asked: readiness asks them again, so that a shard that is destroyed shows. */

import { type CounterNamespace, counterAt } from './counter-at.ts'

/** The method of a counter object that is used here. */
interface Counter {
  hit(id: number, hits: readonly (readonly [key: string, unit: number, addend: number])[]): Promise<unknown>
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

/** Asks the objects that failed; forgets those that answer. Nothing is asked where none has failed. */
export async function assertCounters({ COUNTER }: { readonly COUNTER: CounterNamespace<Counter> }): Promise<void> {
  await Promise.all(
    [...failed].map(async (name) => {
      // No hit of the first unit: a look that leaves nothing behind.
      await counterAt(COUNTER, name).hit(Math.floor(Math.random() * Number.MAX_SAFE_INTEGER), [['', 0, 0]])
      failed.delete(name)
    }),
  )
}
