/** Long work in slices: a generator that yields where others may have the thread, and returns what it came to. */

/** Work that yields at the end of each slice. */
export type Sliced<T> = Generator<void, T>

/** Does all slices at once, for callers that share their thread with nothing else. */
export function doAtOnce<T>(work: Sliced<T>): T {
  for (;;) {
    const slice = work.next()
    if (slice.done === true) return slice.value
  }
}

/** Does one slice after the other, with `pause` between them. */
export async function doInSlices<T>(work: Sliced<T>, pause: () => Promise<void>): Promise<T> {
  for (;;) {
    const slice = work.next()
    if (slice.done === true) return slice.value
    await pause()
  }
}
