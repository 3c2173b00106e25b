/** Requests and the answers of the service to them, as recorded one after another from its first start. */

import type { Json } from '#base/json.ts'
import recorded from './examples.json'

/** One request with its answer. */
export interface Example {
  /** The operation's. */
  readonly id: string
  readonly method: string
  /** With the query. */
  readonly path: string
  /** A JSON value, or text of another type; absent without a body. */
  readonly body?: Json
  readonly status: number
  /** The same. */
  readonly answer: Json
}

/** Every example; the document shows the first of an operation. */
export const examples: readonly Example[] = recorded
