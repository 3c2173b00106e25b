/** Tickets for event streams: used once, within their time, and no more than the store keeps. */

import { describe, expect, it } from 'vitest'
import { drawTicket } from '#objects/base/tickets.ts'
import { keepTicket, takeTicket } from '#objects/grid/simulation/tickets.ts'
import { openSimulationStore } from '#objects/grid/storage/simulation.ts'
import { inside } from './simulation-run.ts'

describe('takeTicket()', () => {
  it('takes a ticket once and not after its time', () =>
    inside('tickets', (state) => {
      const store = openSimulationStore(state.storage)
      store.writeTicket('a', 100)
      store.writeTicket('b', 100)
      expect([store.takeTicket('a', 50), store.takeTicket('a', 50)]).toEqual([true, false])
      expect([store.takeTicket('b', 101), store.takeTicket('c', 50)]).toEqual([false, false])
    }))
})

describe('keepTicket()', () => {
  it('gives a thousand and then none, until one is used or they expire', () =>
    inside('tickets', async (state) => {
      const store = openSimulationStore(state.storage)
      const drawn = await drawTicket()
      expect(keepTicket(store, drawn, Date.now())).toEqual({ ticket: drawn.ticket, expires_in: 60 })
      for (let count = 1; count < 1_000; count++) {
        keepTicket(store, { ticket: '', hash: String(count) }, Date.now())
      }
      const late = { ticket: '', hash: 'late' }
      expect(() => keepTicket(store, late, Date.now())).toThrow(/1000 wait to be used already/)
      expect(await takeTicket(store, drawn.ticket)).toBe(true)
      expect(await takeTicket(store, drawn.ticket)).toBe(false)
      keepTicket(store, late, Date.now())
      expect(() => keepTicket(store, { ticket: '', hash: 'later' }, Date.now())).toThrow()
      keepTicket(store, { ticket: '', hash: 'much later' }, Date.now() + 61_000)
      expect(store.countTickets(Date.now())).toBe(1)
    }))
})
