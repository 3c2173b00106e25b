/** The open event streams of an object: each with its bounded queue, none able to slow another. */

import { concatBytes } from '../src/base/bytes.ts'
import { encodeEventText, formatComment, formatRetry } from '../src/base/event-stream.ts'
import {
  createQueue,
  type EncodedEvent,
  keepaliveMs,
  type ListenerQueue,
  offerEvent,
  queueCapacity,
  type Subscription,
} from '../src/grid/broadcast.ts'

/** One open stream. */
interface Listener extends ListenerQueue {
  /** Delivers what waits to a reader that has asked; null while no reader waits. */
  wake: (() => void) | null
  close: (reason: string) => void
  /** Wall clock of the last octets, for the keepalive. */
  lastMs: number
}

/** Everyone who listens to one object. */
export interface Listeners {
  readonly count: () => number
  readonly countFor: (topic: EncodedEvent['topic']) => number
  /** How many were cut off because they did not read. */
  readonly cutOff: () => number
  /** Whether every queue could take so many events more. */
  readonly hasRoom: (events: number) => boolean
  readonly open: (
    subscription: Subscription,
    opening: readonly Uint8Array[],
    signal?: AbortSignal,
  ) => Response
  readonly publish: (events: readonly EncodedEvent[]) => void
  /** Ends every stream with a comment that says why. */
  readonly closeAll: (reason: string) => void
}

const keepalive = encodeEventText(formatComment('keepalive'))

/** Headers of every stream: nothing between the object and its reader may keep or gather events. */
export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const

/** What each stream begins with, so that proxies flush and browsers know when to come back. */
export function formatOpening(name: string): string {
  return formatComment(`stream of simulation ${name}`) + formatRetry(3000)
}

/**
 * Makes an empty set of listeners.
 *
 * @param onCount - Hears the new number whenever somebody came or left.
 */
export function createListeners(onCount: (count: number) => void = () => undefined): Listeners {
  const all = new Set<Listener>()
  let cut = 0
  let timer: ReturnType<typeof setInterval> | undefined

  function leave(listener: Listener): void {
    if (!all.delete(listener)) return
    // The timer exists only while someone listens: it would keep the object in memory, and billed, for nobody.
    if (all.size === 0 && timer !== undefined) {
      clearInterval(timer)
      timer = undefined
    }
    onCount(all.size)
  }

  function keepAlive(): void {
    const now = Date.now()
    for (const listener of all) {
      // Half a beat of grace, so that a stream is never silent for a beat longer than the interval.
      if (now - listener.lastMs < keepaliveMs - keepaliveMs / 12) continue
      listener.lastMs = now
      if (listener.waiting.length < queueCapacity) listener.waiting.push(keepalive)
      listener.wake?.()
    }
  }

  function open(subscription: Subscription, opening: readonly Uint8Array[], signal?: AbortSignal): Response {
    const listener: Listener = {
      ...createQueue(subscription),
      wake: null,
      close: () => undefined,
      lastMs: Date.now(),
    }
    const body = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          for (const bytes of opening) controller.enqueue(bytes)
          listener.close = (reason) => {
            leave(listener)
            try {
              controller.enqueue(encodeEventText(formatComment(reason)))
              controller.close()
            } catch {
              // The reader left at the same moment: there is nobody to tell.
            }
            listener.wake?.()
          }
        },
        pull(controller) {
          const next = takeWaiting(listener)
          if (next !== undefined) {
            controller.enqueue(next)
            return undefined
          }
          return new Promise<void>((resolve) => {
            listener.wake = () => {
              listener.wake = null
              const bytes = takeWaiting(listener)
              if (bytes !== undefined && all.has(listener)) controller.enqueue(bytes)
              resolve()
            }
          })
        },
        cancel() {
          leave(listener)
        },
      },
      { highWaterMark: 1 },
    )
    // A reader that resets the connection aborts the request; one that closes it cancels the body.
    signal?.addEventListener('abort', () => listener.close('gone'))
    all.add(listener)
    timer ??= setInterval(keepAlive, keepaliveMs / 6)
    onCount(all.size)
    return new Response(body, { headers: streamHeaders })
  }

  function publish(events: readonly EncodedEvent[]): void {
    const now = Date.now()
    for (const listener of all) {
      let isQueued = false
      for (const event of events) {
        const offer = offerEvent(listener, event)
        if (offer === 'overflow') {
          cut += 1
          listener.waiting.length = 0
          listener.close(`closed: ${queueCapacity} events were waiting and were not read`)
          isQueued = false
          break
        }
        isQueued ||= offer === 'queued'
      }
      if (isQueued) {
        listener.lastMs = now
        listener.wake?.()
      }
    }
  }

  return {
    count: () => all.size,
    countFor: (topic) => [...all].filter((listener) => listener.subscription.topics.has(topic)).length,
    cutOff: () => cut,
    hasRoom: (events) => [...all].every(({ waiting }) => waiting.length + events <= queueCapacity),
    open,
    publish,
    closeAll(reason) {
      for (const listener of [...all]) listener.close(reason)
    },
  }
}

/** Takes everything that waits as one piece: one crossing into the runtime instead of one for each event. */
function takeWaiting(listener: Listener): Uint8Array | undefined {
  const { waiting } = listener
  return waiting.length <= 1 ? waiting.pop() : concatBytes(...waiting.splice(0))
}
