/** The open event streams of an object: each with its bounded queue, none able to slow another. */

import { concatBytes } from '#base/bytes.ts'
import { encodeEventText, formatComment, formatRetry } from '#base/event-stream.ts'
import {
  createQueue,
  type EncodedEvent,
  keepaliveMs,
  type ListenerQueue,
  offerEvent,
  type Subscription,
  takeWaiting,
} from '#grid/records/broadcast.ts'

/** One open stream. */
interface Listener extends ListenerQueue {
  /** Key of its topics and form: listeners with the same key share the octets of a burst. */
  readonly feedKey: string
  /** Whether the runtime holds octets that the reader has not taken yet; later events wait in the queue. */
  isWriting: boolean
  /** Gives octets to the runtime. */
  readonly write: (octets: Uint8Array) => void
  readonly close: (reason: string) => void
  /** Wall clock of the last octets, for the keepalive. */
  lastMs: number
  /** Wall clock of the last write: the reader had taken everything that was written before. */
  tookMs: number
  /** Wall clock at which it was first found not to read; null after each write. */
  foundLateMs: number | null
}

/** The event streams that are open at one object. */
export interface Listeners {
  readonly count: () => number
  readonly countFor: (topic: EncodedEvent['topic']) => number
  /** How many streams were ended because their reader did not read. */
  readonly cutOff: () => number
  readonly open: (
    subscription: Subscription,
    opening: readonly Uint8Array[],
    signal?: AbortSignal,
  ) => Response
  readonly publish: (events: readonly EncodedEvent[]) => void
  /** Ends every stream with a comment that says why. */
  readonly closeAll: (reason: string) => void
}

/** Streams that are open at one object at most. With `GRID_RELAYS` each relay has as many. */
export const maximumListeners = 10_000

/**
 * Milliseconds after which a reader that took nothing is found late. It counts as one that does not read when it is
 * found late so many milliseconds after the first time: an object that computes for long learns only afterwards what
 * its readers took meanwhile.
 */
const stalledMs = 2_000

/** Octets that one write gives to the runtime for a reader that is late. */
const pieceBytes = 64 * 1024

const keepalive = encodeEventText(formatComment('keepalive'))

/** Headers of every stream: nothing between the object and its reader may keep or gather events. */
export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const

/** The first lines of each stream: they make proxies flush, and tell browsers when to reconnect. */
export function formatOpening(name: string): string {
  return formatComment(`stream of simulation ${name}`) + formatRetry(3000)
}

/**
 * Makes an empty set of listeners.
 *
 * @param onCount - Called with the new number when a stream opens or ends.
 * @param readClock - Milliseconds of the wall clock.
 */
export function createListeners(
  onCount: (count: number) => void = () => undefined,
  readClock: () => number = Date.now,
): Listeners {
  const all = new Set<Listener>()
  let cut = 0
  let timer: ReturnType<typeof setInterval> | undefined

  function leave(listener: Listener): void {
    if (!all.delete(listener)) return
    // The timer exists only while a stream is open: it keeps the object in memory, and billed.
    if (all.size === 0 && timer !== undefined) {
      clearInterval(timer)
      timer = undefined
    }
    onCount(all.size)
  }

  function keepAlive(): void {
    const now = readClock()
    for (const listener of all) {
      // The timer runs six times in an interval: half of that is tolerated, so that no stream is silent for too long.
      if (now - listener.lastMs < keepaliveMs - keepaliveMs / 12) continue
      listener.lastMs = now
      if (!listener.isWriting) listener.write(keepalive)
    }
  }

  function open(subscription: Subscription, opening: readonly Uint8Array[], signal?: AbortSignal): Response {
    // The Worker writes the problem.
    if (all.size >= maximumListeners) return new Response(null, { status: 429 })
    // One call for each write: the runtime would call a stream with a source for every chunk.
    const { readable, writable } = new IdentityTransformStream()
    const writer = writable.getWriter()
    const written = (): void => {
      listener.isWriting = false
      const [first, ...more] = takeWaiting(listener, pieceBytes)
      if (first !== undefined) listener.write(more.length === 0 ? first : concatBytes(first, ...more))
    }
    const gone = (): void => leave(listener)
    const listener: Listener = {
      ...createQueue(subscription),
      feedKey: `${[...subscription.topics].join()} ${subscription.withIds}`,
      isWriting: false,
      lastMs: readClock(),
      tookMs: readClock(),
      foundLateMs: null,
      write(octets) {
        listener.isWriting = true
        listener.tookMs = readClock()
        listener.foundLateMs = null
        writer.write(octets).then(written, gone)
      },
      close(reason) {
        if (!all.has(listener)) return
        leave(listener)
        listener.waiting.length = 0
        listener.waitingBytes = 0
        // The reader may have left already.
        writer.write(encodeEventText(formatComment(reason))).catch(() => undefined)
        writer.close().catch(() => undefined)
      },
    }
    // A lost connection aborts the request; a reader that only ends the stream is noticed at the next write.
    writer.closed.catch(gone)
    signal?.addEventListener('abort', () => listener.close('gone'))
    all.add(listener)
    listener.write(concatBytes(...opening))
    timer ??= setInterval(keepAlive, keepaliveMs / 6)
    onCount(all.size)
    return new Response(readable, {
      headers: streamHeaders,
    })
  }

  function publish(events: readonly EncodedEvent[]): void {
    const now = readClock()
    // Listeners with the same key get one piece: joined once, written with one call each.
    const pieces = new Map<string, Uint8Array | undefined>()
    for (const listener of all) {
      if (listener.isWriting) {
        queue(listener, events, now)
        continue
      }
      if (!pieces.has(listener.feedKey))
        pieces.set(listener.feedKey, joinHeard(listener.subscription, events))
      const piece = pieces.get(listener.feedKey)
      if (piece === undefined) continue
      listener.lastMs = now
      listener.write(piece)
    }
  }

  /** Queues events for a reader that is behind, and ends its stream when the queue is full. */
  function queue(listener: Listener, events: readonly EncodedEvent[], now: number): void {
    const isLate = now - listener.tookMs >= stalledMs
    if (isLate) listener.foundLateMs ??= now
    const isReading = listener.foundLateMs === null || now - listener.foundLateMs < stalledMs
    for (const event of events) {
      if (offerEvent(listener, event, isReading) !== 'overflow') continue
      cut += 1
      listener.close(`closed: ${listener.waiting.length} events were waiting and were not read`)
      return
    }
  }

  return {
    count: () => all.size,
    countFor: (topic) => [...all].filter((listener) => listener.subscription.topics.has(topic)).length,
    cutOff: () => cut,
    open,
    publish,
    closeAll(reason) {
      for (const listener of [...all]) listener.close(reason)
    },
  }
}

/** The events of a subscription as one piece; undefined when it has none of them. */
function joinHeard(
  { topics, withIds }: Subscription,
  events: readonly EncodedEvent[],
): Uint8Array | undefined {
  const heard = events.filter(({ topic }) => topics.has(topic))
  const forms = heard.map(({ numbered, plain }) => (withIds ? numbered : plain))
  return forms.length <= 1 ? forms[0] : concatBytes(...forms)
}
