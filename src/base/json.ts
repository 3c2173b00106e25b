/** JSON values as types. */

/** One JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** A JSON object with any fields. */
export type JsonObject = { readonly [key: string]: Json }
