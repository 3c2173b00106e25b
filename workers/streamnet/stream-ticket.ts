/** The form of a ticket: what the object drew, and a code by which the Worker knows that this deployment gave it. */

import { encodeHex } from '../../src/base/hex.ts'
import { encodeUtf8 } from '../../src/base/utf8.ts'
import type { Grant } from '../../src/gateway/tokens.ts'

/** Hex digits of what the object drew, and of the code behind it. */
const digits = 32

/**
 * Signs what an object drew for a stream, so that made-up tickets reach no object.
 *
 * @param place - `<data provider>/<stream id>`.
 */
export async function signTicket(random: string, place: string, grants: readonly Grant[]): Promise<string> {
  const key = await keyOf(grants)
  const code = await crypto.subtle.sign('HMAC', key, encodeUtf8(`${random}\n${place}`))
  return random + encodeHex(new Uint8Array(code)).slice(0, digits)
}

/** Gives what the object drew when the deployment signed the ticket for this stream, and nothing otherwise. */
export async function readTicket(
  ticket: string,
  place: string,
  grants: readonly Grant[],
): Promise<string | undefined> {
  if (grants.length === 0 || !/^[0-9a-f]{64}$/.test(ticket)) return undefined
  const random = ticket.slice(0, digits)
  const [ours, theirs] = [await signTicket(random, place, grants), ticket].map(encodeUtf8)
  return ours && theirs && crypto.subtle.timingSafeEqual(ours, theirs) ? random : undefined
}

/** The secret tokens of the deployment are the key: tickets end when tokens are replaced. */
function keyOf(grants: readonly Grant[]): Promise<CryptoKey> {
  const secret = encodeUtf8(JSON.stringify(grants.map(({ token }) => token)))
  return crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}
