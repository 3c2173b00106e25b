/** Tickets for the live records of one stream: each lets one event stream in, once, within a minute. */

import { encodeHex } from '#base/hex.ts'
import { encodeUtf8 } from '#base/utf8.ts'

/** The milliseconds for which a ticket is good, and the most tickets that wait to be used. */
const ticketMs = 60_000
const maxTickets = 1_000

/** Tickets of one object. They are kept in memory: a caller that loses one with the object asks for another. */
export interface StreamTickets {
  /** Draws a ticket for what the query of an event stream says; undefined while too many wait. */
  readonly draw: (query: string) => Promise<string | undefined>
  /** Uses a ticket up and gives its query; undefined when it is unknown, used or expired. */
  readonly take: (ticket: string) => Promise<string | undefined>
}

/** Seconds that a ticket is good. */
export const ticketSeconds = ticketMs / 1000

/** Makes an empty set of tickets; `readClock` gives Unix milliseconds. */
export function createStreamTickets(readClock: () => number = Date.now): StreamTickets {
  const waiting = new Map<string, { readonly query: string; readonly endMs: number }>()

  /** Tickets are in the order in which they end. */
  function forgetOld(nowMs: number): void {
    for (const [hash, { endMs }] of waiting) {
      if (endMs > nowMs) return
      waiting.delete(hash)
    }
  }

  return {
    async draw(query) {
      const ticket = encodeHex(crypto.getRandomValues(new Uint8Array(16)))
      const hash = await hashTicket(ticket)
      forgetOld(readClock())
      if (waiting.size >= maxTickets) return undefined
      waiting.set(hash, { query, endMs: readClock() + ticketMs })
      return ticket
    },
    async take(ticket) {
      const hash = await hashTicket(ticket)
      forgetOld(readClock())
      const found = waiting.get(hash)
      waiting.delete(hash)
      return found?.query
    },
  }
}

/** Compared as digests, so that the time of a comparison tells nothing of a ticket. */
async function hashTicket(ticket: string): Promise<string> {
  return encodeHex(new Uint8Array(await crypto.subtle.digest('SHA-256', encodeUtf8(ticket))))
}
