/** The timer of a quota object's rounds: one round at a time, and the next one while there are buckets. */

/** Milliseconds between two rounds while there are buckets; a change of demand waits for a report and a round. */
const roundMs = 250
/** Milliseconds until the first round after a bucket that is new. */
const promptMs = 20

/**
 * Makes the timer.
 *
 * @param run - plays one round; true where another one is to follow.
 */
export function roundTimer(run: () => Promise<boolean>, ctx: Pick<DurableObjectState, 'waitUntil'>) {
  let waiting: { readonly timer: ReturnType<typeof setTimeout>; readonly delayMs: number } | undefined
  let isRunning = false

  function start(delayMs: number): void {
    if (waiting !== undefined) clearTimeout(waiting.timer)
    const timer = setTimeout(() => {
      waiting = undefined
      ctx.waitUntil(runOne())
    }, delayMs)
    waiting = { timer, delayMs }
  }

  async function runOne(): Promise<void> {
    if (isRunning) return next()
    isRunning = true
    const goesOn = await run().finally(() => {
      isRunning = false
    })
    if (goesOn) next()
  }

  /** Lets the next round come in its turn. */
  function next(): void {
    if (waiting === undefined) start(untilNextRound(Date.now()))
  }

  return {
    next,
    /** Lets a round come at once, for a bucket that is new. */
    soon(): void {
      if (waiting === undefined || waiting.delayMs > promptMs) start(promptMs)
    },
  }
}

/** Windows begin with whole seconds, so a round does as well: what a new window has is handed out at once. */
function untilNextRound(nowMs: number): number {
  return roundMs - (nowMs % roundMs) + 5
}
