/** The answer to a request that is refused. */

import * as z from 'zod'
import { optional } from './parts.ts'

/** A refusal, and what would be right. */
export const Failure = z.strictObject({ error: z.string(), ...optional({ hint: z.string() }) })
