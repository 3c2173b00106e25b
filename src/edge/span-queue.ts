/** Finished spans that wait for their export; bounded, so that a collector that is away costs spans and nothing else. */

import type { Span } from './span.ts'

/** Spans that wait at most in one isolate; about 1 MB. */
export const maxWaitingSpans = 2048
/** Spans of one export, the default of OpenTelemetry's batch processor. */
export const maxExportedSpans = 512

/** Makes an empty queue. */
export function createSpanQueue() {
  let waiting: Span[] = []
  let lost = 0
  return {
    /** Adds a span; a full queue drops it and counts it. */
    add(span: Span): void {
      if (waiting.length < maxWaitingSpans) waiting.push(span)
      else lost += 1
    },
    /** Takes the oldest spans out, as many as one export carries; empty when none wait. */
    take(): readonly Span[] {
      const taken = waiting.slice(0, maxExportedSpans)
      waiting = waiting.slice(maxExportedSpans)
      return taken
    },
    /** Counts spans that were taken and that no collector accepted. */
    lose(count: number): void {
      lost += count
    },
    /** Takes the number of spans that were dropped or lost since the last call. */
    takeLost(): number {
      const before = lost
      lost = 0
      return before
    },
  }
}
