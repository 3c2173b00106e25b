/** The tokens of callers, each with a name that logs may show. */

import { RatelimitError } from './errors.ts'

/** Tokens by name; empty when callers need none. */
export type CallerTokens = ReadonlyMap<string, string>

/**
 * Reads `name=token`, separated by commas. A token has 16 or more characters of RFC 6750 section 2.1, because a
 * shorter one can be guessed.
 *
 * @returns Null for anything else, a name or a token that occurs twice, and an empty text: a secret that was
 *   forgotten must not open the door.
 */
export function parseCallerTokens(text: string): CallerTokens | null {
  const tokens = new Map<string, string>()
  for (const entry of text.split(',')) {
    const match = /^([\w.-]{1,64})=([\w\-.~+/]{16,}=*)$/.exec(entry.trim())
    if (match?.[1] === undefined || match[2] === undefined) return null
    if (tokens.has(match[1]) || [...tokens.values()].includes(match[2])) return null
    tokens.set(match[1], match[2])
  }
  return tokens
}

/** Makes the error of a request without one of the tokens. */
export function unauthenticated(hasAuthorization: boolean): RatelimitError {
  const state = hasAuthorization ? 'its token is none of those known' : 'it has no token'
  return new RatelimitError(
    'unauthenticated',
    `Cannot take request: ${state}, expected "Authorization: Bearer TOKEN" with a token of CALLER_TOKENS`,
  )
}
