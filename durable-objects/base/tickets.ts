/** Tickets of event streams: each lets one stream in, once, within a minute. */

import { encodeHex } from '#base/hex.ts'
import { encodeUtf8 } from '#base/utf8.ts'

/** Milliseconds for which a ticket is valid. */
export const ticketMs = 60_000

/** Tickets of one object. They are kept in memory: a caller that loses one with the object asks for another. */
export interface Tickets<Value> {
  /** Draws a ticket for a value; undefined while too many wait to be used. */
  readonly draw: (value: Value) => Promise<string | undefined>
  /** Uses a ticket up and returns its value; undefined when it is unknown, used or expired. */
  readonly take: (ticket: string) => Promise<Value | undefined>
}

/** Makes an empty set of at most `most` tickets; `readClock` gives Unix milliseconds. */
export function createTickets<Value>(most: number, readClock: () => number = Date.now): Tickets<Value> {
  const waiting = new Map<string, { readonly value: Value; readonly endMs: number }>()

  /** Tickets are in the order in which they end. */
  function forgetOld(nowMs: number): void {
    for (const [hash, { endMs }] of waiting) {
      if (endMs > nowMs) return
      waiting.delete(hash)
    }
  }

  return {
    async draw(value) {
      const { ticket, hash } = await drawTicket()
      forgetOld(readClock())
      if (waiting.size >= most) return undefined
      waiting.set(hash, { value, endMs: readClock() + ticketMs })
      return ticket
    },
    async take(ticket) {
      const hash = await hashTicket(ticket)
      forgetOld(readClock())
      const found = waiting.get(hash)
      waiting.delete(hash)
      return found?.value
    },
  }
}

/** A new ticket, 32 hex digits behind a prefix, and its hash; only the hash is ever kept. */
export interface DrawnTicket {
  readonly ticket: string
  readonly hash: string
}

/** Draws a ticket, which is not valid until it is kept; its hash covers the prefix, which callers cannot exchange. */
export async function drawTicket(prefix = ''): Promise<DrawnTicket> {
  const ticket = prefix + encodeHex(crypto.getRandomValues(new Uint8Array(16)))
  return { ticket, hash: await hashTicket(ticket) }
}

/** Hashes a ticket: digests are compared, so that the time of a comparison tells nothing of a ticket. */
export async function hashTicket(ticket: string): Promise<string> {
  return encodeHex(new Uint8Array(await crypto.subtle.digest('SHA-256', encodeUtf8(ticket))))
}
