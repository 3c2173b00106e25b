/** Secrets of 128 bits, as text that fits into a URL. */

import { randomBytes, timingSafeEqual } from 'node:crypto'

/** Draws a new one. */
export function drawSecret(): string {
  return randomBytes(16).toString('base64url')
}

/** Compares in constant time; the length is not a secret. */
export function isEqualSecret(given: string, secret: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(secret)]
  return one.length === other.length && timingSafeEqual(one, other)
}
