/** The Authorization header against a secret, in constant time. */

import { encodeUtf8 } from '#base/utf8.ts'

/**
 * Tells whether a request carries `Authorization: Bearer <token>` with exactly this token.
 *
 * The comparison takes the same time at every first differing byte; only the length of the token can be
 * learned. An empty or absent token allows no caller, so that a forgotten secret refuses all instead of admitting all.
 *
 * @param request - only its `Authorization` header is read; the scheme's case does not matter (RFC 9110, 11.1).
 * @param token - the secret, as configured.
 */
export function hasBearer(request: Request, token: string | undefined): boolean {
  if (token === undefined || token === '') return false
  const presented = presentedToken(request)
  return presented !== undefined && isEqualInConstantTime(encodeUtf8(presented), encodeUtf8(token))
}

/** Finds which of several tokens a request carries, comparing it with all of them; null for none. */
export function bearerName(request: Request, tokens: ReadonlyMap<string, string>): string | null {
  const presented = presentedToken(request)
  if (presented === undefined) return null
  const bytes = encodeUtf8(presented)
  let found: string | null = null
  for (const [name, token] of tokens) if (isEqualInConstantTime(bytes, encodeUtf8(token))) found = name
  return found
}

/** The token of a request's Authorization header; undefined when it has none of this scheme. */
export function presentedToken(request: Request): string | undefined {
  return /^bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1]
}

/** Compares two texts in a time that depends on nothing but their lengths. */
export function isSameText(presented: string, expected: string): boolean {
  return isEqualInConstantTime(encodeUtf8(presented), encodeUtf8(expected))
}

function isEqualInConstantTime(presented: Uint8Array, expected: Uint8Array): boolean {
  const isSameLength = presented.byteLength === expected.byteLength
  // Two views of one buffer when the lengths differ: the same work is done and the answer is thrown away.
  return crypto.subtle.timingSafeEqual(isSameLength ? presented : expected, expected) && isSameLength
}
