/** Ends a connection and loses no call: tells the client, lets running calls finish, then closes it. */

import type { ServerHttp2Session } from 'node:http2'
import { longestDelayMs } from './deadline.ts'

/** Age limits of a connection. */
export interface ConnectionAge {
  /** Milliseconds until the client is sent GOAWAY, give or take a tenth; Infinity for never. */
  readonly maxAgeMs: number
  /** Milliseconds from then until the connection is cut; Infinity for never. */
  readonly graceMs: number
}

/** Milliseconds in which the client sees the first GOAWAY, before new calls are refused. */
const noticeMs = 1000

/** Ends a connection that has become old, plus or minus 10 %, so that clients do not all return at once. */
export function limitAge(session: ServerHttp2Session, { maxAgeMs, graceMs }: ConnectionAge, random: number): void {
  if (!Number.isFinite(maxAgeMs)) return
  const ageTimer = after(maxAgeMs * (0.9 + 0.2 * random), () => {
    drain(session)
    const graceTimer = after(graceMs, () => session.destroy())
    session.once('close', () => clearTimeout(graceTimer))
  })
  session.once('close', () => clearTimeout(ageTimer))
}

/**
 * Asks a client to go away and closes the connection when its calls are over.
 *
 * In two steps (RFC 9113 section 6.8): the first GOAWAY names no last stream, so calls that are on their way still
 * count; the second follows once the client has answered a ping, or after a second.
 */
export function drain(session: ServerHttp2Session): void {
  if (session.closed || session.destroyed) return
  const close = () => {
    clearTimeout(timer)
    if (!session.closed && !session.destroyed) session.close()
  }
  const timer = after(noticeMs, close)
  session.goaway(0, 2 ** 31 - 1)
  if (!session.ping(close)) close()
}

/** Acts after a delay, in milliseconds; the process may end before. */
export function after(delayMs: number, act: () => void): NodeJS.Timeout {
  const timer = setTimeout(act, Math.min(delayMs, longestDelayMs))
  timer.unref()
  return timer
}
