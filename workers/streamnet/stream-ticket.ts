/** The form of a ticket: what the object drew, and a code by which the Worker knows that this deployment gave it. */

import { encodeHex } from '#base/hex.ts'
import { encodeUtf8 } from '#base/utf8.ts'

/** Hex digits of what the object drew, and of the code behind it. */
const digits = 32

/**
 * Signs what an object drew for a stream, so that made-up tickets reach no object.
 *
 * @param place - `<data provider>/<stream id>`.
 * @param secret - `ticketSecret` of the settings, not empty.
 */
export async function signTicket(random: string, place: string, secret: string): Promise<string> {
  const key = await importSecret(secret)
  const code = await crypto.subtle.sign('HMAC', key, encodeUtf8(`${random}\n${place}`))
  return random + encodeHex(new Uint8Array(code)).slice(0, digits)
}

/** Gives what the object drew when the deployment signed the ticket for this stream, and nothing otherwise. */
export async function readTicket(ticket: string, place: string, secret: string): Promise<string | undefined> {
  if (secret === '' || !/^[0-9a-f]{64}$/.test(ticket)) return undefined
  const random = ticket.slice(0, digits)
  const [ours, theirs] = [await signTicket(random, place, secret), ticket].map(encodeUtf8)
  return ours && theirs && crypto.subtle.timingSafeEqual(ours, theirs) ? random : undefined
}

function importSecret(secret: string): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', encodeUtf8(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}
