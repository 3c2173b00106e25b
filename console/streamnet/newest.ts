/** The newest records of streams, read for the rows of the list that are drawn, and again while they are. */

import { signal } from '@preact/signals'
import { useResource } from '../frame/resource.ts'
import type { Stream } from './answers.ts'
import { type Newest, readNewest } from './read-newest.ts'
import { hrefOf } from './stream-name.ts'

/** Milliseconds between two looks at a stream. */
const pollMs = 10_000

/** By the address of the stream's view; a stream whose row was never drawn is not in it. */
export const newest = signal<ReadonlyMap<string, Newest>>(new Map())

/** Keeps the newest records of a stream known while the component is mounted. */
export function useNewest(stream: Stream): Newest | undefined {
  const key = hrefOf(stream)
  useResource(
    async (stopping) => {
      const found = await readNewest(stream, newest.peek().get(key), stopping)
      newest.value = new Map(newest.peek()).set(key, found)
    },
    key,
    pollMs,
  )
  return newest.value.get(key)
}
