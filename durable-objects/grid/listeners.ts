/** The open event streams of an object, each with a bounded queue, so that a slow reader does not delay others. */

import { concatBytes } from '#base/bytes.ts'
import { formatComment, formatRetry } from '#base/event-stream.ts'
import { encodeUtf8 } from '#base/utf8.ts'
import { type EncodedEvent, isSubscribed, keepaliveMs, type Subscription } from '#grid/records/broadcast.ts'
import { streamHeaders } from '../base/event-listener.ts'
import { type Listener, openListener } from './listener.ts'

/** Streams that are open at one object at most. With `GRID_RELAYS` each relay has as many. */
export const maximumListeners = 10_000

const keepalive = encodeUtf8(formatComment('keepalive'))

/** The first lines of each stream: they make proxies flush, and tell browsers when to reconnect. */
export function encodeOpening(name: string): Uint8Array {
  return encodeUtf8(formatComment(`stream of simulation ${name}`) + formatRetry(3000))
}

/** The event streams that are open at one object. */
export type Listeners = ReturnType<typeof createListeners>

/** Makes an empty set of listeners; `onCount` gets the new number when a stream opens or ends. */
export function createListeners(
  onCount: (count: number) => void = () => undefined,
  readClock: () => number = Date.now,
) {
  const all = new Set<Listener>()
  let cutOff = 0
  let timer: ReturnType<typeof setInterval> | undefined

  function leave(listener: Listener): boolean {
    if (!all.delete(listener)) return false
    // The timer exists only while a stream is open: it keeps the object in memory, and billed.
    if (all.size === 0 && timer !== undefined) {
      clearInterval(timer)
      timer = undefined
    }
    onCount(all.size)
    return true
  }

  function close(listener: Listener, reason: string): void {
    if (leave(listener)) listener.end(reason)
  }

  function keepAlive(): void {
    for (const listener of all) {
      // The timer runs six times in an interval: half of that is tolerated, so that no stream is silent for too long.
      const isSilent = listener.silentMs() >= keepaliveMs - keepaliveMs / 12
      if (isSilent && !listener.isWriting()) listener.write(keepalive)
    }
  }

  function open(subscription: Subscription, opening: readonly Uint8Array[], signal?: AbortSignal): Response {
    // The Worker writes the problem.
    if (all.size >= maximumListeners) return new Response(null, { status: 429 })
    const { listener, readable } = openListener(subscription, () => leave(listener), readClock)
    signal?.addEventListener('abort', () => close(listener, 'gone'))
    all.add(listener)
    listener.write(concatBytes(...opening))
    timer ??= setInterval(keepAlive, keepaliveMs / 6)
    onCount(all.size)
    if (signal?.aborted) close(listener, 'gone')
    return new Response(readable, { headers: streamHeaders })
  }

  function publish(events: readonly EncodedEvent[]): void {
    // Listeners with the same key get one piece: joined once, written with one call each.
    const pieces = new Map<string, Uint8Array | undefined>()
    for (const listener of all) {
      if (listener.isWriting()) {
        if (listener.queue(events)) continue
        cutOff += 1
        close(listener, `closed: ${listener.waiting()} events were waiting and were not read`)
        continue
      }
      const { feedKey, subscription } = listener
      if (!pieces.has(feedKey)) pieces.set(feedKey, joinSubscribed(subscription, events))
      const piece = pieces.get(feedKey)
      if (piece !== undefined) listener.write(piece)
    }
  }

  return {
    count: () => all.size,
    countFor: (event: Pick<EncodedEvent, 'topic' | 'audience'>) =>
      [...all].filter(({ subscription }) => isSubscribed(subscription, event)).length,
    /** Number of streams that were ended because their reader did not read. */
    cutOff: () => cutOff,
    open,
    publish,
    closeAll(reason: string) {
      for (const listener of [...all]) close(listener, reason)
    },
  }
}

function joinSubscribed(subscription: Subscription, events: readonly EncodedEvent[]): Uint8Array | undefined {
  const subscribed = events.filter((event) => isSubscribed(subscription, event))
  const forms = subscribed.map(({ numbered, plain }) => (subscription.withIds ? numbered : plain))
  return forms.length <= 1 ? forms[0] : concatBytes(...forms)
}
