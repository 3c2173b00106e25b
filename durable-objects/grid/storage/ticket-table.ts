/** The table of tickets for event streams, by their hashes. */

import type { Tables } from '../../base/tables.ts'

/** Opens the tickets. */
export function openTicketTable({ read, write }: Tables) {
  return {
    writeTicket(hash: string, expiresMs: number): void {
      write('INSERT INTO ticket VALUES (?, ?)', hash, expiresMs)
    },
    /** Removes a ticket; false when it is unknown or has expired. */
    takeTicket(hash: string, nowMs: number): boolean {
      const [ticket] = read('DELETE FROM ticket WHERE hash = ? RETURNING expires_ms', hash)
      return ticket !== undefined && Number(ticket.expires_ms) >= nowMs
    },
    /** Removes the tickets that have expired, and counts those that may still be used. */
    countTickets(nowMs: number): number {
      write('DELETE FROM ticket WHERE expires_ms < ?', nowMs)
      return [...read('SELECT hash FROM ticket')].length
    },
  }
}
