/** Tickets for the event stream of a simulation: each lets one stream in, once, within a minute. */

import { encodeHex } from '#base/hex.ts'
import { encodeUtf8 } from '#base/utf8.ts'
import { GridError } from '#grid/errors.ts'
import type { SimulationStore } from '../storage/simulation.ts'

/** Milliseconds for which a ticket is valid, and most unused tickets. */
const ticketMs = 60_000
const maximumTickets = 1_000

/** A ticket as its owner gets it. */
export interface Ticket {
  readonly ticket: string
  /** Seconds. */
  readonly expires_in: number
}

/** A new ticket and its hash; only the hash is ever kept. */
export interface DrawnTicket {
  readonly ticket: string
  readonly hash: string
}

/** Draws a ticket, which is not valid until it is kept. */
export async function drawTicket(): Promise<DrawnTicket> {
  const ticket = encodeHex(crypto.getRandomValues(new Uint8Array(16)))
  return { ticket, hash: await hashTicket(ticket) }
}

/**
 * Keeps a ticket until it is used or expires.
 *
 * @throws GridError too_many when too many wait to be used.
 */
export function keepTicket(store: SimulationStore, { ticket, hash }: DrawnTicket, nowMs: number): Ticket {
  if (store.countTickets(nowMs) >= maximumTickets) {
    throw new GridError('too_many', `Cannot give a ticket: ${maximumTickets} wait to be used already`)
  }
  store.writeTicket(hash, nowMs + ticketMs)
  return { ticket, expires_in: ticketMs / 1000 }
}

/** Redeems a ticket, once; false when it is unknown, used or expired. */
export async function takeTicket(store: SimulationStore, ticket: string): Promise<boolean> {
  return store.takeTicket(await hashTicket(ticket), Date.now())
}

async function hashTicket(ticket: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', encodeUtf8(ticket))
  return encodeHex(new Uint8Array(digest))
}
