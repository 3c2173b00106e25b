/** Segments in flight: remembered from the first one that is missing, and overdue after their timer. */

import { describe, expect, it } from 'vitest'
import { earliestTimer, hasRoom, recordSent, repeatOldest } from '#grid/channel/segments.ts'
import { numberFrame } from '#grid/channel/transmission.ts'
import { findStack } from '#grid/link/ip-stack.ts'
import { inFlight, interceptionOf, openChannel } from '../../support/grid-channel.ts'
import { datagram, onConnection } from '../../support/grid-context.ts'
import { must } from '../../support/must.ts'

describe('recordSent()', () => {
  it('remembers nothing while every segment arrives, and everything from the first one that does not', () => {
    const { connection, send } = openChannel()
    send(0, 1)
    expect(connection.transit).toBeUndefined()
    const second = send(1, 2, 'dropped')
    const third = send(2, 3)
    expect(inFlight(connection)).toEqual([second, third])
    expect([third - second, connection.flow.received]).toEqual([1, { client: second }])
  })

  it('remembers no datagram', () => {
    const { channel, connection } = openChannel()
    const message = datagram(channel, 0, Uint8Array.of(1))
    const interception = interceptionOf(message.payload, 'dropped')
    const numbers = numberFrame(channel.world, message)
    recordSent({ message, interception, trace: null, ...numbers }, connection)
    expect(connection.transit).toBeUndefined()
  })
})

describe('hasRoom()', () => {
  it('lets octets in flight fill the window of the receiver, and no more', () => {
    const { channel, connection, send } = openChannel()
    const { world } = channel
    const { window } = findStack(world.hosts, connection.flow.server.ip)
    const fits = (length: number) =>
      hasRoom(world, onConnection(channel, 'client', 9, new Uint8Array(length)), connection)
    expect(fits(window + 1)).toBe(true)
    send(0, 1, 'dropped')
    expect([fits(window - 1), fits(window)]).toEqual([true, false])
    expect(hasRoom(world, onConnection(channel, 'server', 9, new Uint8Array(window)), connection)).toBe(true)
    expect(hasRoom(world, datagram(channel, 0, new Uint8Array(window)), connection)).toBe(true)
  })
})

describe('repeatOldest()', () => {
  it('sends a segment again with its sequence number and its shift, and a new identification', () => {
    const { channel, connection, send } = openChannel()
    connection.flow = { ...connection.flow, removed: { client: 1 } }
    const sequence = send(0, 1, 'dropped')
    const identification = channel.world.hosts.identifications[connection.flow.client.ip]
    const direction = { connection, side: 'client', timeUs: channel.startUs + 9 } as const
    const { flow } = connection
    const { numbers, shift } = must(repeatOldest(channel, direction, 'timeout')).transmission
    expect([numbers.sequence, shift?.sequence]).toEqual([sequence, 1])
    expect(numbers.identification).not.toBe(identification)
    expect(connection.flow).toEqual(flow)
  })
})

describe('earliestTimer()', () => {
  it('finds the oldest timer of all connections that runs out within the step', () => {
    const { channel, connection, send } = openChannel()
    expect(earliestTimer(channel)).toBeUndefined()
    send(0, 1, 'dropped')
    // The first wait is 204 ms, and a step takes 100.
    expect(earliestTimer(channel)).toBeUndefined()
    const later = { ...channel, startUs: channel.startUs + 200_000, endUs: channel.startUs + 300_000 }
    expect(earliestTimer(later)).toEqual({ connection, side: 'client', timeUs: channel.startUs + 204_000 })
  })

  it('runs out at the start of a step where time before it was not computed', () => {
    const { channel, connection, send } = openChannel()
    send(0, 1, 'dropped')
    const later = { ...channel, startUs: channel.startUs + 60e6, endUs: channel.startUs + 60e6 + 100_000 }
    expect(earliestTimer(later)).toEqual({ connection, side: 'client', timeUs: later.startUs })
  })
})
