/** JSON values as types, and the questions that readers of unknown JSON ask. */

/** One JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** A JSON object with any fields. */
export type JsonObject = { readonly [key: string]: Json }

/** A JSON Schema (draft 2020-12, which is OpenAPI 3.1's). */
export type Schema = JsonObject

/** Schemas by the name of a member or of a shape. */
export type Schemas = Readonly<Record<string, Schema>>

/** Tells whether a value is an object whose members can be read: not null and not a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads a text as JSON; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Writes JSON; whole numbers of 64 bits, which JSON numbers have not, become text as in proto3 JSON. */
export function stringifyWide(value: unknown): string {
  return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part))
}

/** Reads a text that holds a list; throws what `invalid` makes of its mistake. */
export function parseJsonList(text: string, invalid: (state: string) => Error): readonly unknown[] {
  const list = parseJson(text)
  if (list === undefined) throw invalid('it is not JSON')
  if (!Array.isArray(list)) throw invalid('it is not a list')
  return list
}
