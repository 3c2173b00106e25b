/** One operation of the operator plane: what the router, the checks before it and the document need of it. */

import type { Schema } from '#base/json.ts'
import type { AnswerName } from '#ratelimit/contract/answers.ts'
import type { RatelimitErrorCode } from '#ratelimit/errors.ts'
import { type Media, type Parameter, schemaRef } from '../edge/openapi.ts'
import type { Call } from './call.ts'
import type { CounterParameter } from './counters.ts'
import type { UsageParameter } from './usage.ts'

/** A parameter of the query. */
type QueryParameter = CounterParameter | UsageParameter

/** One operation. */
export interface Operation {
  readonly method: 'get' | 'put' | 'post' | 'delete'
  /** Below the plane's prefix; `:name` matches one segment, `*` the rest. */
  readonly path: string
  /** The name by which programs know it. */
  readonly id: string
  readonly summary: string
  readonly run: (call: Call, name: string) => Response | Promise<Response>
  /** Parameters of the query; none when absent. */
  readonly query?: readonly QueryParameter[]
  /** True for the paths of the reference, which does not check the query. */
  readonly takesAnyQuery?: true
  /** Those of them that a request must have. */
  readonly requiredQuery?: readonly QueryParameter[]
  readonly headers?: readonly Parameter[]
  /** The name of the rest of the path, where `*` matches it. */
  readonly rest?: string
  /** The schema of the name in the path. */
  readonly names?: Schema
  readonly takes?: Media
  readonly answers: Media
  /** The status of the answer; 200 when absent. */
  readonly status?: number
  /** The content that `npm start` answers with 200, where a deployment has `status`. */
  readonly hosted?: Media
  /** Errors beside those of all; `not_empty` is that of a seed where there is a configuration. */
  readonly errors?: readonly (RatelimitErrorCode | 'not_empty')[]
  /** True where no token is needed: the answer holds nothing of the deployment. */
  readonly isOpen?: true
  /** True where the answer can hold secrets of the deployment: a scope that only reads does not cover it. */
  readonly revealsSecrets?: true
}

/** JSON of an answer of the contract. */
export function answer(name: AnswerName): Media {
  return json(schemaRef(name))
}

/** JSON of a schema. */
export function json(schema: Schema): Media {
  return { type: 'application/json', schema }
}

/** Plain text. */
export const text: Media = { type: 'text/plain', schema: { type: 'string' } }

/** A configuration file. */
export const yaml: Media = { type: 'application/yaml', schema: { type: 'string' } }
