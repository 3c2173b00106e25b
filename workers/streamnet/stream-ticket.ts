/** Tickets of event streams: a random part, drawn by the object, and an HMAC of it by this deployment. */

import { encodeHex } from '#base/hex.ts'
import { encodeUtf8 } from '#base/utf8.ts'

/** Hex digits of the random part, and of the HMAC behind it. */
const digits = 32

/** Makes the ticket of a stream, `<provider>/<id>`; by its HMAC a forged one does not reach an object. */
export async function signTicket(random: string, place: string, secret: string): Promise<string> {
  const key = await crypto.subtle.importKey('raw', encodeUtf8(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ])
  const hmac = await crypto.subtle.sign('HMAC', key, encodeUtf8(`${random}\n${place}`))
  return random + encodeHex(new Uint8Array(hmac)).slice(0, digits)
}

/** Reads the random part of a ticket of this stream; undefined when this deployment did not sign it. */
export async function readTicket(ticket: string, place: string, secret: string): Promise<string | undefined> {
  if (secret === '' || !/^[0-9a-f]{64}$/.test(ticket)) return undefined
  const random = ticket.slice(0, digits)
  const [ours, theirs] = [await signTicket(random, place, secret), ticket].map(encodeUtf8)
  return ours && theirs && crypto.subtle.timingSafeEqual(ours, theirs) ? random : undefined
}
