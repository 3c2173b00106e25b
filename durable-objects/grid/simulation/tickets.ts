/** Tickets for the event stream of a simulation, kept in its tables. */

import { GridError } from '#grid/errors.ts'
import { type DrawnTicket, hashTicket, ticketMs } from '../../base/tickets.ts'
import type { SimulationStore } from '../storage/simulation.ts'

/** Most tickets that wait to be used. */
const maximumTickets = 1_000

/**
 * Keeps a ticket until it is used or expires, and gives it as its owner gets it, with its life in seconds.
 *
 * @throws GridError too_many when too many wait to be used.
 */
export function keepTicket(store: SimulationStore, { ticket, hash }: DrawnTicket, nowMs: number): object {
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
