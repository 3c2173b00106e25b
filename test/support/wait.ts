/** Waits of tests: each has a bound below the limit of a test, and fails with what was seen until then. */

import { type EventEmitter, once as firstOf } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** A wait ends before the limit of its test does (`vitest.config.ts`), in milliseconds. */
export const patienceMs = 200_000

/**
 * Waits for a promise.
 *
 * @param what - is waited for; with `seen` it is the message of the failure.
 * @param seen - the state that is shown when the time is over: a value, or a function that gives one.
 */
export async function within<T>(what: string, promise: Promise<T>, seen: unknown, timeoutMs = patienceMs): Promise<T> {
  const stop = new AbortController()
  const late = sleep(timeoutMs, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`Waiting ${timeoutMs} ms for ${what} failed: ${show(seen)}`)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    stop.abort()
  }
}

/** Waits until a condition holds, which is asked again and again. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  seen: unknown,
  timeoutMs = patienceMs,
): Promise<void> {
  let isOver = false
  const ask = async () => {
    while (!isOver && !(await holds())) await sleep(10)
  }
  try {
    await within(what, ask(), seen, timeoutMs)
  } finally {
    isOver = true
  }
}

/** Waits for an event, as `once` of Node does: gives its arguments, and fails with the error that comes before it. */
export function once(
  emitter: EventEmitter,
  event: string,
  seen: unknown = () => stateOf(emitter),
  timeoutMs = patienceMs,
): ReturnType<typeof firstOf> {
  return within(`"${event}" of a ${emitter.constructor.name}`, firstOf(emitter, event), seen, timeoutMs)
}

/** The events of sockets, streams and processes. */
const states = ['closed', 'destroyed', 'readyState', 'bytesRead', 'bytesWritten', 'exitCode', 'signalCode']

function stateOf(emitter: EventEmitter): Readonly<Record<string, unknown>> {
  const all: Readonly<Record<string, unknown>> = {
    ...Object.fromEntries(states.map((name) => [name, Reflect.get(emitter, name)])),
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

function show(seen: unknown): string {
  const state: unknown = typeof seen === 'function' ? seen() : seen
  return typeof state === 'string' ? state : JSON.stringify(state)
}
