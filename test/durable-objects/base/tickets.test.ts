/** Tickets of event streams: each lets one stream in, once, within a minute. */

import { describe, expect, it } from 'vitest'
import { createTickets, ticketMs } from '#objects/base/tickets.ts'

describe('createTickets()', () => {
  it('lets each ticket in once, with the query that it was drawn for', async () => {
    const tickets = createTickets<string>(1_000)
    const one = await tickets.draw('from=1')
    const other = await tickets.draw('from=2')
    expect(await tickets.take(other ?? '')).toBe('from=2')
    expect(await tickets.take(other ?? '')).toBeUndefined()
    expect(await tickets.take(one ?? '')).toBe('from=1')
    expect(await tickets.take('0'.repeat(32))).toBeUndefined()
  })

  it('ends a ticket after a minute, and makes room for others then', async () => {
    let nowMs = 0
    const tickets = createTickets<string>(1_000, () => nowMs)
    const first = await tickets.draw('')
    for (let count = 1; count < 1000; count++) await tickets.draw('')
    expect(await tickets.draw('')).toBeUndefined()
    nowMs = ticketMs
    expect(await tickets.take(first ?? '')).toBeUndefined()
    expect(await tickets.draw('')).toMatch(/^[0-9a-f]{32}$/)
  })
})
