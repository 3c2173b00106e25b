/** Work that waits for a while after an answer, once for all requests of an isolate. */

/** Milliseconds after its time at which work that has not begun counts as lost with the request that carried it. */
const lostAfterMs = 5_000

/**
 * Makes a delay. A request starts the work behind its answer; while work waits, a later request starts another only
 * where that is due sooner.
 *
 * @returns a function of the milliseconds to wait, the work, and `start`, which runs it and keeps the request for it.
 */
export function createDelay() {
  let dueAt = 0
  return (milliseconds: number, work: () => Promise<void>, start: (run: () => Promise<void>) => void): void => {
    const now = Date.now()
    const ownDueAt = now + milliseconds
    if (dueAt !== 0 && now < dueAt + lostAfterMs && dueAt <= ownDueAt) return
    dueAt = ownDueAt
    start(async () => {
      await scheduler.wait(milliseconds)
      // Work that counted as lost and comes late leaves the next one its turn, or both would go on side by side.
      if (dueAt === ownDueAt) dueAt = 0
      await work()
    })
  }
}
