/** The objects of the metered Worker: what keeps each awake, and for how long. */

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Meter } from './meter.ts'

/** An object that is in memory. */
export interface Awake {
  readonly id: string
  /** Name of its namespace in the environment. */
  readonly binding: string
  readonly meter: Meter
  /** Requests that it answers now, and since when there is one, by the real clock: those at the same time share it. */
  requests: number
  requestsSinceMs: number
  /** Timers and sockets that it waits for, and since when there is one, by the clock that code sees. */
  holds: number
  holdsSinceMs: number
  idleSinceMs: number
}

const objects = new Map<string, Awake>()
const running = new AsyncLocalStorage<Awake>()
const realNow = Date.now
let requests = 0

/** Notes an object that was made. */
export function noteObject(id: string, binding: string, meter: Meter): Awake {
  const begun = { requests: 0, requestsSinceMs: 0, holds: 0, holdsSinceMs: 0, idleSinceMs: Date.now() }
  const object = { id, binding, meter, ...begun }
  objects.set(id, object)
  return object
}

/** Forgets an object that left memory. */
export function forgetObject(id: string): void {
  objects.delete(id)
}

/** Requests that are answered now. */
export function openRequests(): number {
  return requests
}

/** Runs a request of an object; what the object asks of itself is part of the request. */
export function timed(object: Awake, run: () => unknown): unknown {
  if (running.getStore() === object) return run()
  return running.run(object, async () => {
    object.meter.objectRequests += 1
    requests += 1
    if (object.requests++ === 0) object.requestsSinceMs = realNow()
    try {
      return await run()
    } finally {
      requests -= 1
      if (--object.requests === 0) object.meter.objectMs += realNow() - object.requestsSinceMs
      object.idleSinceMs = Date.now()
    }
  })
}

/** Keeps the object that runs awake. @returns lets go of it. */
export function holdAwake(): () => void {
  const object = running.getStore()
  if (object === undefined) return () => {}
  if (object.holds++ === 0) object.holdsSinceMs = Date.now()
  let isHeld = true
  return () => {
    if (!isHeld) return
    isHeld = false
    if (--object.holds === 0) object.meter.objectMs += Date.now() - object.holdsSinceMs
    object.idleSinceMs = Date.now()
  }
}

/** Adds what objects have been held so far to their meters. */
export function meterHolds(): void {
  const nowMs = Date.now()
  for (const object of objects.values()) {
    if (object.holds === 0) continue
    object.meter.objectMs += nowMs - object.holdsSinceMs
    object.holdsSinceMs = nowMs
  }
}

/** Finds the objects that the platform has forgotten at a moment: idle, with nothing to wait for, for ten seconds. */
export function idleObjects(atMs: number): readonly Awake[] {
  return [...objects.values()].filter(
    (object) => object.requests === 0 && object.holds === 0 && atMs - object.idleSinceMs >= 10_000,
  )
}
