/** The state of a service as `grpc.health.v1.Health/Watch` reports it: at once, and again at every change. */

import type { ServingStatus } from '#proto-json/index.ts'

/** Milliseconds between two looks at the state. */
const lookEveryMs = 2_000
/** Milliseconds after which an unchanged state is sent again: only a write notices that a client went away. */
const repeatAfterMs = 30_000
/** Milliseconds after which the stream ends and its client asks again: a request has a bounded number of calls. */
const endAfterMs = 600_000

/** Looks at the state of one service; null when it is unknown. */
export type Look = () => Promise<ServingStatus | null>

/** Clock and pause between two looks. */
export interface Time {
  /** Unix time in milliseconds. */
  now(): number
  /** Resolves after the time, or as soon as the signal is aborted. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}

const platformTime: Time = { now: () => Date.now(), wait }

/** Reports the state until the signal is aborted, ten minutes at most; an error of `look` ends the stream. */
export async function* watchHealth(
  look: Look,
  signal: AbortSignal,
  time: Time = platformTime,
): AsyncGenerator<ServingStatus | null> {
  const endsAt = time.now() + endAfterMs
  let last: { readonly state: ServingStatus | null; readonly at: number } | undefined
  while (!signal.aborted && time.now() < endsAt) {
    const state = await look()
    const now = time.now()
    if (last === undefined || last.state !== state || now - last.at >= repeatAfterMs) {
      last = { state, at: now }
      yield state
    }
    await time.wait(lookEveryMs, signal)
  }
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    signal.addEventListener('abort', done)
  })
}
