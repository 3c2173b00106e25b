/** A bound on how long a request waits for a call to another part of the platform. */

/** The longest wait that the platform's timers take. */
const longestMs = 2_147_483_647

/**
 * Waits for a call, but no longer than its deadline.
 *
 * The call itself goes on: it cannot be taken back, and whether it has its effect is then unknown to the caller.
 *
 * @throws Error `no answer within N ms` after the deadline, and whatever the call throws before it.
 */
export function withDeadline<T>(call: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const lost = () => reject(new Error(`no answer within ${milliseconds} ms`))
    const timer = setTimeout(lost, Math.min(milliseconds, longestMs))
    const settled = () => clearTimeout(timer)
    call.then(resolve, reject)
    call.then(settled, settled)
  })
}
