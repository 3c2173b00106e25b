/** Many reads at once, with a bound on how many are under way. */

import { assertAtLeast } from './operations/parameters.ts'

/**
 * Makes a read for each item, so many at a time, and gives the results in the order of the items. The first failure
 * ends it: reads that are under way are let run, and no other begins.
 *
 * @param items - such as streams.
 * @param read - the read of one item.
 * @param concurrency - reads at a time, 8 when left out.
 * @throws StreamNetError invalid_argument when the concurrency is not a positive whole number.
 *
 * @example
 * const streams = await operations.listStreams(client, { limit: 100 })
 * const last = await readEach(streams, (stream) => operations.getLastRecord(client, stream))
 */
export async function readEach<Item, Result>(
  items: readonly Item[],
  read: (item: Item, index: number) => Promise<Result>,
  concurrency = 8,
): Promise<readonly Result[]> {
  assertAtLeast(concurrency, 1, 'concurrency must be a positive integer')
  const results: Result[] = []
  const rest = items.entries()
  let hasFailed = false
  const work = async () => {
    for (const [index, item] of rest) {
      if (hasFailed) return
      try {
        results[index] = await read(item, index)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, work))
  return results
}
