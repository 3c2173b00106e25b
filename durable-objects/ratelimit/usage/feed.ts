/** The live feed of decisions: counts of each second and a few sampled requests, to a bounded number of listeners. */

import { formatComment, formatEvent, formatRetry } from '#base/event-stream.ts'
import { stringifyWide } from '#base/json.ts'
import { encodeUtf8 } from '#base/utf8.ts'
import type { SampledRequest, UsageCount, UsageReport } from '#ratelimit/usage/types.ts'
import { createEventListener, type EventListener, streamHeaders } from '../../base/event-listener.ts'
import { sumBy } from '../storage/usage.ts'
import { hashValues } from './hash-values.ts'

const maxListeners = 50
const keepaliveMs = 15_000
/** Sampled requests that go to a listener in a second, however many isolates report. */
const maxSamples = 20

interface Reader {
  readonly listener: EventListener
  readonly isHashed: boolean
}

/** Creates a feed without listeners. */
export function usageFeed() {
  const readers = new Set<Reader>()
  let counts: UsageCount[] = []
  let samples: SampledRequest[] = []
  let timer: ReturnType<typeof setInterval> | undefined
  let lastSentMs = 0

  const tick = async () => {
    const seconds = sumBy(1, counts)
    const taken = samples
    counts = []
    samples = []
    const nowMs = Date.now()
    const isQuiet = Math.abs(nowMs - lastSentMs) > keepaliveMs
    if (seconds.length === 0 && taken.length === 0 && !isQuiet) return
    lastSentMs = nowMs
    const plain = encodeEvents(seconds, taken)
    const needsHash = [...readers].some(({ isHashed }) => isHashed)
    const hashed = needsHash ? encodeEvents(seconds, await hashValues(taken)) : plain
    for (const { listener, isHashed } of readers) listener.offer(isHashed ? hashed : plain)
  }
  const leave = (reader: Reader) => {
    readers.delete(reader)
    if (readers.size > 0) return
    if (timer !== undefined) clearInterval(timer)
    timer = undefined
    counts = []
    samples = []
  }
  return {
    /** Opens a stream; null when there are too many. */
    open(request: Request): Response | null {
      if (readers.size >= maxListeners) return null
      const isHashed = new URL(request.url).searchParams.get('values') === 'hashed'
      const listener = createEventListener([encodeUtf8(formatComment('decisions') + formatRetry(3000))])
      const reader = { listener, isHashed }
      readers.add(reader)
      listener.onClose(() => leave(reader))
      request.signal.addEventListener('abort', () => listener.close('gone'))
      timer ??= setInterval(() => void tick(), 1000)
      return new Response(listener.body, { headers: streamHeaders })
    },
    hasListeners: () => readers.size > 0,
    /** Collects a report for the next second's events. */
    add(report: UsageReport): void {
      if (readers.size === 0) return
      counts.push(...report.counts)
      samples.push(...report.samples.slice(0, Math.max(0, maxSamples - samples.length)))
    },
  }
}

function encodeEvents(counts: readonly UsageCount[], samples: readonly SampledRequest[]): Uint8Array {
  const events = [
    ...(counts.length === 0 ? [] : [formatEvent({ event: 'counts', data: JSON.stringify(counts) })]),
    ...samples.map((sample) => formatEvent({ event: 'decision', data: stringifyWide(sample) })),
  ]
  return encodeUtf8(events.length === 0 ? formatComment('keepalive') : events.join(''))
}
