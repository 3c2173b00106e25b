/** The answer to a request that the gateway refuses or cannot carry out. */

import * as z from 'zod'

/** Mistakes with their paths. */
export const mistakes = z.array(z.strictObject({ path: z.string(), message: z.string() }))

/** Facts that belong to a code. */
export const data = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .describe('What the code carries, such as `hash`, `height` and `log`.')

/** A problem (RFC 9457). */
export const Problem = z.strictObject({
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
  type: z.string().exactOptional(),
  instance: z.string().exactOptional(),
  hint: z.string().exactOptional(),
  mistakes: mistakes.exactOptional(),
  data: data.exactOptional(),
})
