/** JSON Schemas (draft 2020-12, which is OpenAPI 3.1's). */

import type { Json } from './json.ts'

/** A JSON Schema. */
export type Schema = Readonly<Record<string, Json>>

/** Schemas by the name of a member or of a shape. */
export type Schemas = Readonly<Record<string, Schema>>
