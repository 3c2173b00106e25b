/** The calls of a connection that wait for replies: in their order, each with a deadline, watched by one timer. */

interface Waiting<Reply> {
  readonly count: number
  readonly replies: Reply[]
  /** Unix milliseconds. */
  deadline: number
  /** True once the deadline was moved because the runtime was late. */
  isProlonged: boolean
  readonly resolve: (replies: readonly Reply[]) => void
  readonly reject: (reason: Error) => void
}

/** Milliseconds without a command until a connection is closed: the platform charges for an object that holds one. */
const idleMs = 10_000
/** Reason for the end of a connection without commands. */
export const idleEnd = new Error('connection idle')
/** A timer that is later than this many milliseconds was kept waiting by other work of the runtime. */
const latenessMs = 20

/** The calls of one connection. */
export interface WaitingCalls<Reply> {
  /** Adds a call, which waits for `count` replies behind those before it. */
  readonly add: (count: number) => Promise<readonly Reply[]>
  /** Gives a reply to the first call; false when no call waits. */
  readonly deliver: (reply: Reply) => boolean
  /** Rejects every call, when the connection has ended. */
  readonly rejectAll: (reason: Error) => void
}

/**
 * Opens the calls of a connection.
 *
 * A runtime that was too busy to look at its timers waits once more for as long as they were late, `timeoutMs` at most:
 * replies that came meanwhile have not been read.
 *
 * @param timeoutMs - longest wait of a call in milliseconds; after it the connection is to end, as its order is lost.
 * @param onEnd - ends the connection: with a timeout, or with `idleEnd` when it had no call for ten seconds.
 */
export function waitingCalls<Reply>(timeoutMs: number, onEnd: (reason: Error) => void): WaitingCalls<Reply> {
  const waiting: Waiting<Reply>[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  /** True while the timer is for the end of an idle connection. */
  let watchesIdle = false
  /** Time of the last call: Unix milliseconds. */
  let usedAtMs = 0

  /** Sets the timer for the first call's deadline, which is the earliest; without calls for the end of an idle connection. */
  function watch(): void {
    const [first] = waiting
    if (timer !== undefined && !(watchesIdle && first !== undefined)) return
    clearTimeout(timer ?? null)
    watchesIdle = first === undefined
    const wait = Math.max(1, (first?.deadline ?? usedAtMs + idleMs) - Date.now())
    const dueAt = Date.now() + wait
    timer = setTimeout(() => {
      timer = undefined
      checkDeadline(Date.now() - dueAt)
    }, wait)
  }

  /** @param late - by how many milliseconds the timer was late. */
  function checkDeadline(late: number): void {
    if (late >= latenessMs) prolong(Math.min(late, timeoutMs))
    const [oldest] = waiting
    if (oldest === undefined && Date.now() - usedAtMs >= idleMs) onEnd(idleEnd)
    else if (oldest !== undefined && Date.now() >= oldest.deadline) onEnd(new Error('i/o timeout'))
    else watch()
  }

  /** Moves the deadline of every call that waits, once. */
  function prolong(ms: number): void {
    for (const one of waiting) {
      if (!one.isProlonged) one.deadline = Math.max(one.deadline, Date.now()) + ms
      one.isProlonged = true
    }
  }

  return {
    add(count) {
      return new Promise((resolve, reject) => {
        usedAtMs = Date.now()
        waiting.push({ count, replies: [], deadline: usedAtMs + timeoutMs, isProlonged: false, resolve, reject })
        watch()
      })
    },
    deliver(reply) {
      const [first] = waiting
      if (first === undefined) return false
      first.replies.push(reply)
      if (first.replies.length < first.count) return true
      waiting.shift()
      first.resolve(first.replies)
      return true
    },
    rejectAll(reason) {
      if (timer !== undefined) clearTimeout(timer)
      for (const { reject } of waiting.splice(0)) reject(reason)
    },
  }
}
