/** A bound on how long requests wait for calls to other parts of the platform, kept by one timer for all of them. */

interface Wait {
  /** Unix time in milliseconds. */
  readonly dueAt: number
  readonly giveUp: () => void
}

/** Lets work go on after the answer; an `ExecutionContext` does. */
export type Extension = Pick<ExecutionContext, 'waitUntil'>

interface SharedTimer {
  /** Unix time in milliseconds at which it checks the waits next. */
  wakesAt: number
}

/** Waits of this isolate, and the timer that keeps new ones; null when no timer takes new ones. */
const state = { waits: new Set<Wait>(), timer: null as SharedTimer | null }

/** The longest wait that the shared timer keeps: the platform ends what a request left behind after 30 seconds. */
const longestSharedMs = 10_000
/** Milliseconds in which a timer takes new waits; it ends at the latest when the last of them is due. */
const openMs = 10_000
/** The longest sleep of a timer, and so the longest that it outlives its waits. */
const longestSleepMs = 1_000
/** A timer that has not woken this long after its time has ended with its request. */
const lostAfterMs = 1_000
/** The longest wait that the platform's timers take. */
const longestMs = 2_147_483_647

/**
 * Waits for a call, but no longer than its deadline.
 *
 * The call itself goes on: it cannot be taken back, and whether it has its effect is then unknown to the caller.
 *
 * A timer for each request would cost about a tenth of a decision, so one request keeps the deadlines of all that wait,
 * after its own answer. When the platform ends that request, the next one takes over.
 *
 * @param ctx - of the request that waits; its own timer keeps the deadline when it is absent.
 * @throws Error `no answer within N ms` after the deadline, or the error of the call before it.
 */
export function withDeadline<T>(call: Promise<T>, milliseconds: number, ctx?: Extension): Promise<T> {
  return new Promise((resolve, reject) => {
    const lost = () => reject(new Error(`no answer within ${milliseconds} ms`))
    const settled =
      ctx === undefined || milliseconds > longestSharedMs
        ? ownTimer(lost, milliseconds)
        : shareTimer(lost, milliseconds, ctx)
    call.then(
      (value) => {
        settled()
        resolve(value)
      },
      (error) => {
        settled()
        reject(error)
      },
    )
  })
}

function ownTimer(lost: () => void, milliseconds: number): () => void {
  const timer = setTimeout(lost, Math.min(milliseconds, longestMs))
  return () => clearTimeout(timer)
}

function shareTimer(giveUp: () => void, milliseconds: number, ctx: Extension): () => void {
  const now = Date.now()
  const wait: Wait = { dueAt: now + milliseconds, giveUp }
  const { waits, timer } = state
  waits.add(wait)
  const isKept = timer !== null && timer.wakesAt <= wait.dueAt && now <= timer.wakesAt + lostAfterMs
  if (!isKept) ctx.waitUntil(runTimer(now))
  return () => waits.delete(wait)
}

/** Gives up calls that are overdue, until no call waits, or until another timer has had time to take over. */
async function runTimer(startedAt: number): Promise<void> {
  const timer: SharedTimer = { wakesAt: startedAt }
  state.timer = timer
  for (let now = startedAt; now < startedAt + openMs + longestSharedMs; now = Date.now()) {
    if (now >= startedAt + openMs) closeTimer(timer)
    const due = giveUpOverdue(now)
    if (due === Number.POSITIVE_INFINITY) break
    timer.wakesAt = Math.min(due, now + longestSleepMs)
    await scheduler.wait(timer.wakesAt - now)
  }
  closeTimer(timer)
}

/** Takes no new waits: the next request that waits starts another timer, behind its own answer. */
function closeTimer(timer: SharedTimer): void {
  if (state.timer === timer) state.timer = null
}

/** @returns when the next wait is due; infinite when there is none. */
function giveUpOverdue(now: number): number {
  let next = Number.POSITIVE_INFINITY
  for (const wait of state.waits) {
    if (wait.dueAt > now) next = Math.min(next, wait.dueAt)
    else {
      state.waits.delete(wait)
      wait.giveUp()
    }
  }
  return next
}
