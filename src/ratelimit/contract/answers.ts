/** Every answer that the OpenAPI document names, by its name there. */

import * as configuration from './configuration.ts'
import * as counters from './counters.ts'
import { Failure } from './errors.ts'
import * as explanation from './explanation.ts'
import * as usage from './usage.ts'

/** The schemas by name. */
export const answers = { Error: Failure, ...configuration, ...counters, ...explanation, ...usage }

/** The name of an answer. */
export type AnswerName = keyof typeof answers
