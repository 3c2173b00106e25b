/** Parts of several answers. */

import * as z from 'zod'
import { units } from '../window.ts'

/** A whole number from 0. */
export const count = z.int().min(0)

/** Unix time in milliseconds. */
export const momentMs = z.int().describe('Unix time in milliseconds.')

/** Unix time in seconds. */
export const moment = z.int().describe('Unix time in seconds.')

/** The unit of a limit. */
export const unit = z.enum(units)

/** The decision on a request or a descriptor. */
export const code = z.enum(['OK', 'OVER_LIMIT'])

/** One entry of a descriptor. */
export const entry = z.strictObject({ key: z.string(), value: z.string() })

/** A descriptor as it was asked about; 64 bits are text in JSON. */
export const descriptor = z.strictObject({
  entries: z.array(entry),
  limit: z.strictObject({ requestsPerUnit: count, unit }).exactOptional(),
  hitsAddend: z.string().describe('A whole number of up to 64 bits, as text.').exactOptional(),
  isNegativeHits: z.boolean().exactOptional(),
  step: z
    .strictObject({ action: z.enum(['reserve', 'settle']), id: z.string() })
    .describe('Of a reservation.')
    .exactOptional(),
})
