/** Bodies of operations: their bounds, their type and their text. */

import { GatewayError } from '#gateway/errors.ts'
import { parseJson } from '#gateway/json.ts'
import { readText } from '../edge/body.ts'

/** The longest body of an operation, in bytes. */
export const maxBodyBytes = 1_000_000
/** The longest body of a bulk insertion, in bytes. */
export const maxBulkBodyBytes = 4_000_000

/** Reads the text of an operation's body: unsupported_media_type, body_too_large or malformed_json. */
export async function readBody(request: Request, maxBytes: number): Promise<string> {
  const type = request.headers.get('content-type') ?? 'application/json'
  // Forms and text can be posted by any page without asking; curl's default is refused with them, with a hint.
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) {
    throw new GatewayError(
      'unsupported_media_type',
      `Cannot read the body: content-type is "${type.slice(0, 64)}", expected application/json`,
    )
  }
  const body = await readText(request, maxBytes)
  if ('text' in body) return body.text
  if (body.fault === 'too_large') {
    throw new GatewayError('body_too_large', `Cannot read the body: it is too long, expected at most ${maxBytes} bytes`)
  }
  throw new GatewayError('malformed_json', 'Cannot read the body: it is not UTF-8')
}

/** Parses the body of an operation, without parameters when it is empty; malformed_json. */
export function parseBody(text: string): unknown {
  return text.trim() === '' ? {} : parseJson(text)
}
