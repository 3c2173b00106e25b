/** Programs and servers that a file of tests needs throughout. */

import { afterAll, beforeAll } from 'vitest'

/**
 * Starts something before the tests of a file, or of a block, and ends it after them.
 *
 * @returns what was started, for hooks that are declared later and for tests.
 */
export function host<T extends { stop(): unknown } | { close(): unknown }>(start: () => Promise<T>): T {
  let started: T | undefined
  beforeAll(async () => {
    started = await start()
  })
  afterAll(async () => {
    if (started !== undefined) await ('stop' in started ? started.stop() : started.close())
  })
  const read = (_: object, name: PropertyKey) => {
    if (started === undefined) throw new Error(`Cannot read ${String(name)} of what did not start`)
    const part: unknown = Reflect.get(started, name)
    return typeof part === 'function' ? part.bind(started) : part
  }
  return new Proxy({}, { get: read }) as T // every member is read from it
}
