/** Segments in flight: noted from the first one that is missing, delivered in order, sent again when overdue. */

import { describe, expect, it } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import { tcpWindow } from '#grid/link/tcp-flow.ts'
import { openConnection } from '#grid/step/connections.ts'
import type { Interception } from '#grid/step/interception.ts'
import { numberFrame } from '#grid/step/message-frame.ts'
import { earliestTimer, hasRoom, noteSent, resend, takeIn } from '#grid/step/segments.ts'
import type { Connection, Outcome } from '#grid/step/world.ts'
import { contextOf, datagram, newConnection, onConnection } from '../../support/grid-context.ts'

/** A step with an open connection, and what its receiver got. */
function opened() {
  const context = contextOf()
  const connection = newConnection()
  openConnection(context, connection, context.startUs)
  const received: string[] = []
  const receive = (_: unknown, __: unknown, payload: Uint8Array) => void received.push(encodeHex(payload))
  const send = (afterUs: number, octet: number, outcome: Outcome = 'clean') => {
    const message = onConnection(context, 'client', afterUs, Uint8Array.of(octet))
    const interception: Interception = {
      payload: message.payload,
      outcome,
      delayUs: 0,
      attack: null,
      description: undefined,
    }
    const passage = { message, interception, trace: null, numbers: numberFrame(context, message) }
    noteSent(passage, connection)
    return passage.numbers.numbers.sequence
  }
  return { context, connection, received, receive, send }
}

const inFlight = ({ transit }: Connection) => transit?.client?.segments.map(({ sequence }) => sequence)

describe('noteSent()', () => {
  it('remembers nothing while every segment arrives, and everything from the first one that does not', () => {
    const { connection, send } = opened()
    send(0, 1)
    expect(connection.transit).toBeUndefined()
    const second = send(1, 2, 'dropped')
    const third = send(2, 3)
    expect(inFlight(connection)).toEqual([second, third])
    expect([third - second, connection.flow.received]).toEqual([1, { client: second }])
  })

  it('remembers no datagram', () => {
    const { context, connection } = opened()
    const message = datagram(context, 0, Uint8Array.of(1))
    const dropped: Interception = {
      payload: message.payload,
      outcome: 'dropped',
      delayUs: 0,
      attack: null,
      description: undefined,
    }
    noteSent(
      { message, interception: dropped, trace: null, numbers: numberFrame(context, message) },
      connection,
    )
    expect(connection.transit).toBeUndefined()
  })
})

describe('hasRoom()', () => {
  it('lets octets in flight fill the window of the receiver, and no more', () => {
    const { context, connection, send } = opened()
    const fits = (length: number) =>
      hasRoom(onConnection(context, 'client', 9, new Uint8Array(length)), connection)
    expect(fits(tcpWindow + 1)).toBe(true)
    send(0, 1, 'dropped')
    expect([fits(tcpWindow - 1), fits(tcpWindow)]).toEqual([true, false])
    expect(hasRoom(onConnection(context, 'server', 9, new Uint8Array(tcpWindow)), connection)).toBe(true)
    expect(hasRoom(datagram(context, 0, new Uint8Array(tcpWindow)), connection)).toBe(true)
  })
})

describe('takeIn()', () => {
  it('hands on what is complete, in the order of sending, and acknowledges it', () => {
    const { context, connection, received, receive, send } = opened()
    const sequences = [send(0, 0xa1, 'held'), send(1, 0xa2, 'held'), send(2, 0xa3)]
    const arrive = (index: number, afterUs: number) => {
      const timeUs = context.startUs + afterUs
      const sequence = sequences[index] ?? 0
      takeIn(context, { connection, side: 'client', sequence, timeUs }, receive)
    }
    const drafts = context.drafts.length
    arrive(2, 10)
    arrive(1, 20)
    expect([received, inFlight(connection)]).toEqual([[], sequences])
    arrive(0, 30)
    expect([received, inFlight(connection)]).toEqual([['a1', 'a2', 'a3'], []])
    expect(connection.flow.received).toEqual({})
    // Two acknowledgments that repeat the last number, and one of everything.
    expect(context.drafts.slice(drafts).map(({ payloadLength }) => payloadLength)).toEqual([0, 0, 0])
    arrive(1, 40)
    expect(received).toEqual(['a1', 'a2', 'a3'])
  })

  it('sends the oldest segment again at the third acknowledgment that repeats, before its timer', () => {
    const { context, connection, received, receive, send } = opened()
    send(0, 0xa1, 'dropped')
    const later = [send(1, 0xa2), send(2, 0xa3), send(3, 0xa4)]
    for (const [index, sequence] of later.entries()) {
      expect(received).toEqual([])
      const timeUs = context.startUs + 10 + index
      takeIn(context, { connection, side: 'client', sequence, timeUs }, receive)
    }
    expect(received).toEqual(['a1', 'a2', 'a3', 'a4'])
  })

  it('does nothing on a connection where nothing is missing', () => {
    const { context, connection, received, receive } = opened()
    const drafts = context.drafts.length
    takeIn(context, { connection, side: 'server', sequence: 5, timeUs: context.startUs }, receive)
    expect([received, context.drafts.length]).toEqual([[], drafts])
  })
})

describe('earliestTimer() and resend()', () => {
  it('finds the oldest timer of all connections that runs out within the step', () => {
    const { context, connection, send } = opened()
    expect(earliestTimer(context)).toBeUndefined()
    send(0, 1, 'dropped')
    // The first wait is 204 ms, and a step takes 100.
    expect(earliestTimer(context)).toBeUndefined()
    const later = { ...context, startUs: context.startUs + 200_000, endUs: context.startUs + 300_000 }
    expect(earliestTimer(later)).toEqual({ connection, side: 'client', timeUs: context.startUs + 204_000 })
  })

  it('runs out at the start of a step where time before it was not computed', () => {
    const { context, connection, send } = opened()
    send(0, 1, 'dropped')
    const later = { ...context, startUs: context.startUs + 60e6, endUs: context.startUs + 60e6 + 100_000 }
    expect(earliestTimer(later)).toEqual({ connection, side: 'client', timeUs: later.startUs })
  })

  it('delivers what is sent again, as it was sent, once the attack is over', () => {
    const { context, connection, received, receive, send } = opened()
    send(0, 0xa1, 'dropped')
    send(1, 0xa2)
    const timeUs = context.startUs + 90_000
    resend(context, { connection, side: 'client', timeUs }, 'timeout', receive)
    expect(received).toEqual(['a1'])
    // The wait stays doubled until a segment is acknowledged at its first try (RFC 6298 section 5.7).
    expect(connection.transit?.client?.backoff).toBe(1)
    expect(inFlight(connection)).toHaveLength(1)
  })

  it('sends nothing where nothing is in flight', () => {
    const { context, connection, receive, received } = opened()
    const drafts = context.drafts.length
    resend(context, { connection, side: 'client', timeUs: context.startUs }, 'timeout', receive)
    expect([received, context.drafts.length]).toEqual([[], drafts])
  })
})
