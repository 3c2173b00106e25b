/** A bound on how long requests wait for calls to other parts of the platform, kept by one timer for all of them. */

/** One request that waits. */
interface Wait {
  /** Unix time in milliseconds. */
  readonly dueAt: number
  readonly giveUp: () => void
}

/** Lets work go on after the answer; an `ExecutionContext` does. */
export type Extension = Pick<ExecutionContext, 'waitUntil'>

/** A watch over those who wait, kept by one of the requests. */
interface Watch {
  /** Time of its next look: Unix time in milliseconds. */
  wakesAt: number
}

/** Waits of this isolate, and the watch that later ones rely on; null when there is none. */
const state = { waits: new Set<Wait>(), watch: null as Watch | null }

/** The longest wait that the common timer keeps: the platform ends what a request left behind after 30 seconds. */
const longestSharedMs = 10_000
/** A watch takes newcomers for so long, and ends at the latest when the last of them is due. */
const watchMs = 10_000
/** The longest sleep of a watch, so that it does not outlive its waits by more. */
const longestSleepMs = 1_000
/** A watch that has not woken by so much after its time was lost with its request. */
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
        : joinWatch(lost, milliseconds, ctx)
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

function joinWatch(giveUp: () => void, milliseconds: number, ctx: Extension): () => void {
  const now = Date.now()
  const wait: Wait = { dueAt: now + milliseconds, giveUp }
  const { waits, watch } = state
  waits.add(wait)
  const isWatched = watch !== null && watch.wakesAt <= wait.dueAt && now <= watch.wakesAt + lostAfterMs
  if (!isWatched) ctx.waitUntil(keepWatch(now))
  return () => waits.delete(wait)
}

/** Gives up calls that are overdue, until no call waits, or until another watch has had time to take over. */
async function keepWatch(startedAt: number): Promise<void> {
  const watch: Watch = { wakesAt: startedAt }
  state.watch = watch
  for (let now = startedAt; now < startedAt + watchMs + longestSharedMs; now = Date.now()) {
    if (now >= startedAt + watchMs) resign(watch)
    const due = giveUpOverdue(now)
    if (due === Number.POSITIVE_INFINITY) break
    watch.wakesAt = Math.min(due, now + longestSleepMs)
    await scheduler.wait(watch.wakesAt - now)
  }
  resign(watch)
}

/** The next request that waits begins another watch, from behind its own answer. */
function resign(watch: Watch): void {
  if (state.watch === watch) state.watch = null
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
