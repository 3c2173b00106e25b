/** Reads JSON bodies within bounds of octets and nesting. */

import { parseJson } from '#base/json.ts'
import { findJsonExcess } from '#base/json-depth.ts'
import { GridError } from '#grid/errors.ts'
import { maximumDepth } from '#grid/interface/request-bounds.ts'
import { readText } from '../edge/body.ts'

/** A body: a value, or the reason why it is not JSON. */
export type JsonBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: 'it is empty' | 'it is not UTF-8' | 'it is not valid JSON' }

/**
 * Reads a JSON body. One that is too long is refused unread; one that is nested too deep is refused before it is
 * parsed, because readers of its value recurse.
 *
 * @throws GridError request_too_large when the body is too long.
 * @throws GridError invalid_request when it is nested too deep; text that is not JSON is a result, not an error.
 */
export async function readJson(request: Request, maxBytes: number, maxDepth: number): Promise<JsonBody> {
  const body = await readText(request, maxBytes)
  if ('fault' in body) {
    if (body.fault === 'not_utf8') return { ok: false, reason: 'it is not UTF-8' }
    throw new GridError('request_too_large', `Cannot read the body: it is longer than ${maxBytes} bytes`, {
      hint: `Content-Length must be between 0 and ${maxBytes}`,
    })
  }
  if (body.text.trim() === '') return { ok: false, reason: 'it is empty' }
  const excess = findJsonExcess(body.text, maxDepth)
  if (excess !== undefined) throw new GridError('invalid_request', `Cannot read the body: it ${excess}`)
  const value = parseJson(body.text)
  return value === undefined ? { ok: false, reason: 'it is not valid JSON' } : { ok: true, value }
}

/**
 * Reads a JSON body that must be JSON; an absent one reads as undefined.
 *
 * @throws GridError invalid_request when the text is not JSON.
 */
export async function requireJson(request: Request, maxBytes: number): Promise<unknown> {
  const body = await readJson(request, maxBytes, maximumDepth)
  if (body.ok) return body.value
  if (body.reason === 'it is empty') return undefined
  throw new GridError('invalid_request', `Cannot read the body: ${body.reason}`)
}
