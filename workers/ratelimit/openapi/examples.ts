/** Examples of the OpenAPI document: requests and answers as recorded one after another. */

import type { Json } from '#base/json.ts'
import type { Media } from '../../edge/openapi.ts'
import recorded from '../examples.json' with { type: 'json' }

/** One request with its answer. */
interface Example {
  /** Of the operation. */
  readonly id: string
  readonly method: string
  /** With the query. */
  readonly path: string
  /** A JSON value, or text of another type; absent without a body. */
  readonly body?: Json
  readonly status: number
  /** A JSON value, or text of another type. */
  readonly answer: Json
}

const examples: readonly Example[] = recorded

/** Adds to a body or an answer the first example of its operation, or the first that was answered with a status. */
export function withExample(media: Media, id: string, part: 'body' | 'answer', status?: number): Media {
  const example = examples.find((one) => one.id === id && one.status === (status ?? one.status))?.[part]
  return { ...media, ...(example !== undefined && { example }) }
}
