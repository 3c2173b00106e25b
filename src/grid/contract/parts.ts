/** Parts of several answers. */

import * as z from 'zod'
import type { Json } from '../../base/json.ts'

// An answer is JSON, so that any value in it is; zod's own schema of JSON would be a circle in the document.
const json = z.unknown() as unknown as z.ZodType<Json>

/** An object whose members depend on a type of attack or of device. */
export const anyObject = z.record(z.string(), json)

/** Unix time in seconds. */
export const seconds = z.number().describe('Unix time in seconds.')

/** Messages since the session began. */
export const counters = { total_packets: z.int(), modified_packets: z.int(), dropped_packets: z.int() }

/** The grid in a few numbers. */
export const summary = {
  timestamp: seconds,
  frequency_hz: z.number(),
  load_mw: z.number(),
  served_mw: z.number(),
  shed_mw: z.number(),
  losses_mw: z.number(),
  islands: z.int().describe('Islands with voltage.'),
  open_breakers: z.int(),
  alarms: z.int().describe('Alarms since the session began.'),
}

/** Members that may be absent. */
export function optional<Shape extends z.ZodRawShape>(shape: Shape) {
  const entries = Object.entries(shape).map(([name, schema]) => [name, z.exactOptional(schema)])
  // Every member was made of the member of the same name.
  return Object.fromEntries(entries) as { [Name in keyof Shape]: z.ZodExactOptional<Shape[Name]> }
}

/** A refusal, and what would be right. */
export const Failure = z.strictObject({ error: z.string(), ...optional({ hint: z.string() }) })
