/** Answers about the counters of a key. */

import * as z from 'zod'
import type { DeepReadonly } from '../../base/deep-readonly.ts'
import { count, moment, unit } from './parts.ts'

/** One counter: an open window of a key. */
export const CounterReading = z.strictObject({
  unit: unit.describe('Of an algorithm the unit for whose length it is kept.'),
  algorithm: z.string().describe('Such as `sliding 60`; absent for a window of the unit.').exactOptional(),
  hits: count.describe('Counted hits, with those of open leases.'),
  outstanding: count
    .describe('Hits of open leases, or of open reservations; absent when there are none.')
    .exactOptional(),
  windowStart: moment.describe('Unix time in seconds; absent for an algorithm.').exactOptional(),
  secondsUntilReset: count,
})
export type CounterReading = DeepReadonly<z.infer<typeof CounterReading>>

/** The open windows of a key, and whether it is blocked. */
export const KeyReading = z.strictObject({
  key: z.string().exactOptional(),
  counters: z.array(CounterReading),
  blockedUntil: z.int().nullable().describe('Unix time in seconds; null when not blocked.'),
  hint: z.string().exactOptional(),
})
export type KeyReading = DeepReadonly<z.infer<typeof KeyReading>>

/** The counters of a key that were forgotten. */
export const Reset = z.strictObject({ key: z.string(), forgotten: KeyReading })
export type Reset = DeepReadonly<z.infer<typeof Reset>>
