/** Every answer that the OpenAPI document names, by its name there. */

import * as z from 'zod'
import type { DeepReadonly } from '../../base/deep-readonly.ts'
import { errorCodes } from '../errors.ts'
import * as configuration from './configuration.ts'
import * as counters from './counters.ts'
import * as explanation from './explanation.ts'
import * as lists from './lists.ts'
import { count } from './parts.ts'
import * as usage from './usage.ts'

/** A refusal with its code and what would be right. */
export const Failure = z.strictObject({
  error: z.strictObject({
    // `not_empty` answers a seed where there is a configuration already; no error of the domain has it.
    code: z.enum([...errorCodes, 'not_empty']),
    message: z.string(),
    hint: z.string().describe('What would be right, where the message does not say it.').exactOptional(),
    mistakes: z.array(configuration.Mistake).describe('With code `invalid_rules` only.').exactOptional(),
    leftOut: count.describe('How many further mistakes there are, where the list has no room for all.').exactOptional(),
  }),
})

export type Failure = DeepReadonly<z.infer<typeof Failure>>

/** The schemas by name. */
export const answers = { Error: Failure, ...configuration, ...counters, ...explanation, ...lists, ...usage }

/** The name of an answer. */
export type AnswerName = keyof typeof answers
