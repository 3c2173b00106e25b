/** A clock that a caller moves: timers and alarms come at their moments, idle objects are forgotten. */

import { type Awake, forgetObject, holdAwake, idleObjects, openRequests } from './awake.ts'

/** A moment at which something runs. */
interface Happening {
  readonly atMs: number
  run(): unknown
}

interface Timer {
  readonly atMs: number
  state: 'waiting' | 'due' | 'cleared'
  /** Last look at it, by the real clock. */
  seenMs: number
  letGo(): void
}

/** Asks objects by their ids. */
export interface ObjectCalls {
  /** Runs the alarm of an object. */
  alarm(object: Awake, atMs: number): Promise<unknown>
  /** Throws an object out of memory. */
  evict(object: Awake): Promise<unknown>
}

const real = {
  now: Date.now,
  setTimeout: globalThis.setTimeout.bind(globalThis),
  clearTimeout: globalThis.clearTimeout.bind(globalThis),
  wait: scheduler.wait.bind(scheduler),
}
/** Timers so short (milliseconds) are turns of the event loop, which are real. */
const turnMs = 1
/** Milliseconds without a look after which a timer belongs to nothing. */
const unseenMs = 100
/** Turns in which a timer that is due runs at the latest. */
const mostTurns = 50
/** Turns in a row without work after which all has ended: what one turn lets go on begins in the next. */
const quietTurns = 2
const timers = new Set<Timer>()
/** Timers that are due and have not run. */
let due = 0
const alarms = new Map<string, { readonly object: Awake; readonly atMs: number }>()
let stoppedAtMs: number | undefined

/** Stops the clock of the Worker and its objects at the present moment. */
export function stopClock(): void {
  if (stoppedAtMs !== undefined) return
  stoppedAtMs = real.now()
  Date.now = () => stoppedAtMs ?? real.now()
  const setTimer = (run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) => {
    if (ms <= turnMs) return real.setTimeout(() => run(...given), ms)
    const timer: Timer = { atMs: Date.now() + ms, state: 'waiting', seenMs: real.now(), letGo: holdAwake() }
    timers.add(timer)
    void waitFor(timer).then(() => timer.state === 'due' && run(...given))
    return timer
  }
  const clearTimer = (set: unknown) => {
    // What `setTimer` has returned.
    const timer = set as Timer | number | null | undefined
    if (typeof timer !== 'object' || timer === null) return real.clearTimeout(timer ?? null)
    timer.state = 'cleared'
    timers.delete(timer)
    timer.letGo()
  }
  Object.assign(globalThis, { setTimeout: setTimer, clearTimeout: clearTimer })
  Object.defineProperty(scheduler, 'wait', {
    value: (ms: number) => new Promise<void>((resolve) => void setTimer(() => resolve(), ms)),
  })
}

/** Looks at the timer in the turn of the request or object that set it, which the runtime ends when it waits for nothing. */
async function waitFor(timer: Timer): Promise<void> {
  while (timer.state === 'waiting') {
    timer.seenMs = real.now()
    await real.wait(turnMs)
  }
  if (timer.state === 'due') due = Math.max(0, due - 1)
  timer.letGo()
}

/** Puts the alarm of an object on this clock. */
export function useStoppedClock(storage: DurableObjectStorage, object: Awake): void {
  const own = {
    setAlarm: storage.setAlarm.bind(storage),
    getAlarm: storage.getAlarm.bind(storage),
    deleteAlarm: storage.deleteAlarm.bind(storage),
    deleteAll: storage.deleteAll.bind(storage),
  }
  const define = (name: string, value: unknown) =>
    Object.defineProperty(storage, name, { value, configurable: true, writable: true })
  define('setAlarm', async (at: number | Date) => {
    if (stoppedAtMs === undefined) return own.setAlarm(at)
    alarms.set(object.id, { object, atMs: Number(at) })
  })
  define('getAlarm', async () => (stoppedAtMs === undefined ? own.getAlarm() : (alarms.get(object.id)?.atMs ?? null)))
  define('deleteAlarm', async () => (stoppedAtMs === undefined ? own.deleteAlarm() : void alarms.delete(object.id)))
  define('deleteAll', async () => {
    alarms.delete(object.id)
    return own.deleteAll()
  })
}

/** Alarms that have not come, by namespace. */
export function waitingAlarms(): Readonly<Record<string, number>> {
  const count: Record<string, number> = {}
  for (const { object } of alarms.values()) count[object.binding] = (count[object.binding] ?? 0) + 1
  return count
}

/** Moves the clock by so many milliseconds; everything that is due comes in its order. */
export async function advance(ms: number, calls: ObjectCalls): Promise<void> {
  const endMs = Date.now() + ms
  for (;;) {
    await settle()
    const next = nextHappening(calls)
    const untilMs = Math.min(endMs, next?.atMs ?? endMs)
    for (const object of idleObjects(untilMs)) {
      forgetObject(object.id)
      await calls.evict(object)
    }
    stoppedAtMs = Math.max(Date.now(), untilMs)
    if (next === undefined || next.atMs > endMs) return
    await next.run()
  }
}

function nextHappening(calls: ObjectCalls): Happening | undefined {
  let next: Happening | undefined
  const look = (event: Happening) => {
    if (next === undefined || event.atMs < next.atMs) next = event
  }
  for (const timer of timers) look({ atMs: timer.atMs, run: () => expire(timer) })
  for (const [id, { object, atMs }] of alarms) {
    const run = () => {
      alarms.delete(id)
      return calls.alarm(object, atMs)
    }
    look({ atMs, run })
  }
  return next
}

function expire(timer: Timer): void {
  timers.delete(timer)
  timer.state = 'due'
  // The request that set it may be over: then nothing looks at it any more.
  if (real.now() - timer.seenMs < unseenMs) due += 1
}

/** Waits until everything that runs has ended, apart from what waits for this clock. */
async function settle(): Promise<void> {
  let quiet = 0
  for (let turns = 0; quiet < quietTurns; turns++) {
    await real.wait(turnMs)
    const isQuiet = openRequests() === 0 && (due === 0 || turns > mostTurns)
    quiet = isQuiet ? quiet + 1 : 0
  }
  due = 0
}
