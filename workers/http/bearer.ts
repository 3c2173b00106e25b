/** The Authorization header against a secret, in constant time. */

const encoder = new TextEncoder()

/**
 * Tells whether a request carries `Authorization: Bearer <token>` with exactly this token.
 *
 * The comparison takes the same time whatever the first differing byte; only the length of the token can be
 * learned. An empty or absent token allows nobody, so a forgotten secret closes the door instead of opening it.
 *
 * @param request - Only its `Authorization` header is read; the scheme's case does not matter (RFC 9110, 11.1).
 * @param token - The secret, as configured.
 */
export function hasBearer(request: Request, token: string | undefined): boolean {
  if (token === undefined || token === '') return false
  const presented = /^bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  return presented !== undefined && isEqualInConstantTime(encoder.encode(presented), encoder.encode(token))
}

function isEqualInConstantTime(presented: Uint8Array, expected: Uint8Array): boolean {
  const isSameLength = presented.byteLength === expected.byteLength
  // Two views of one buffer when the lengths differ: the same work is done and the answer is thrown away.
  return crypto.subtle.timingSafeEqual(isSameLength ? presented : expected, expected) && isSameLength
}
