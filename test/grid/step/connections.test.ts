/** Connections between devices: every segment in the capture, every octet acknowledged, nothing left behind. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { flush } from '#grid/channel/deliver.ts'
import { storeMessage } from '#grid/channel/held.ts'
import { decodeFrame } from '#grid/link/frame.ts'
import { closeConnection, endsOf, envelope, findConnection, openConnection } from '#grid/step/connections.ts'
import { type StepContext, send } from '#grid/step/step-context.ts'
import { contextOf, datagram, far, near, newConnection, onConnection } from '../../support/grid-context.ts'
import { must } from '../../support/must.ts'

const from = { client: `${near.ip}:${near.port}`, server: `${far.ip}:${far.port}` }

/** The segments that a step has recorded: who, when after its start, control bits, numbers and length. */
function segments({ drafts, startUs }: StepContext) {
  return drafts.map(({ bytes, timeUs, src, protocol, isMessage }) => {
    const decoded = decodeFrame(bytes)
    if (!decoded.ok || decoded.value.carrier !== 'tcp') throw new Error('not a TCP segment')
    const { sequence, acknowledgment, control, payload } = decoded.value.segment
    const afterUs = timeUs - startUs
    return { src, afterUs, control, sequence, acknowledgment, octets: payload.length, protocol, isMessage }
  })
}

function opened() {
  const context = contextOf()
  const connection = newConnection()
  openConnection(context, connection, context.startUs + 100)
  return { context, connection }
}

describe('openConnection()', () => {
  it('shakes hands in three segments, which the capture shows and which are not messages', () => {
    const { context, connection } = opened()
    const common = { octets: 0, protocol: 'TCP', isMessage: false }
    expect(segments(context)).toEqual([
      { ...common, src: from.client, afterUs: 100, control: ['syn'], sequence: 1_000, acknowledgment: 0 },
      {
        ...common,
        src: from.server,
        afterUs: expect.closeTo(280, -2.2),
        control: ['ack', 'syn'],
        sequence: 4_294_967_290,
        acknowledgment: 1_001,
      },
      {
        ...common,
        src: from.client,
        afterUs: expect.closeTo(460, -2.6),
        control: ['ack'],
        sequence: 1_001,
        acknowledgment: 4_294_967_291,
      },
    ])
    expect(connection.flow.phase).toBe('established')
    expect(context.drafts.map(({ status, label, tap }) => [status, label, tap])).toEqual(
      Array(3).fill(['clean', null, 'after']),
    )
  })

  it("marks the segments of an attacker's own connection as his", () => {
    const context = contextOf()
    const label = { attack_id: 'X-1', attack_type: 'X', technique: null, changes: [] }
    openConnection(context, newConnection(label), context.startUs)
    expect(context.drafts.map((draft) => [draft.status, draft.label])).toEqual(Array(3).fill(['attacked', label]))
  })
})

describe('envelope()', () => {
  it('gives the ends of each side of a connection, and the protocol of its dialogue', () => {
    const both = (['client', 'server'] as const).map((side) => envelope(newConnection(), side))
    const { id: connection, link } = newConnection()
    expect(both).toEqual([
      { protocol: 'C37.118', link, carrier: { kind: 'tcp', connection, side: 'client' }, srcNode: 'A', dstNode: 'B' },
      { protocol: 'C37.118', link, carrier: { kind: 'tcp', connection, side: 'server' }, srcNode: 'B', dstNode: 'A' },
    ])
  })
})

describe('findConnection()', () => {
  it('finds the connection of a TCP message, and nothing for other carriers or unknown names', () => {
    const { context, connection } = opened()
    const octets = Uint8Array.of(1)
    expect(findConnection(context.world, onConnection(context, 'client', 0, octets))).toBe(connection)
    expect(findConnection(context.world, onConnection(context, 'client', 0, octets, 'other'))).toBeUndefined()
    expect(findConnection(context.world, datagram(context, 0, octets))).toBeUndefined()
  })
})

describe('closeConnection()', () => {
  it('closes in both directions from its client, and is removed', () => {
    const { context, connection } = opened()
    context.drafts.length = 0
    closeConnection(context, connection.id, context.startUs + 5_000)
    expect(segments(context)).toMatchObject([
      { src: from.client, afterUs: 5_000, control: ['ack', 'fin'], sequence: 1_001 },
      { src: from.server, afterUs: expect.closeTo(5_180, -2.2), control: ['ack', 'fin'], acknowledgment: 1_002 },
      {
        src: from.client,
        afterUs: expect.closeTo(5_360, -2.6),
        control: ['ack'],
        sequence: 1_002,
        acknowledgment: 4_294_967_292,
      },
    ])
    expect(context.world.connections).toEqual({})
  })

  it('takes along what is held on it: the next connection of that name gets none of it', () => {
    const { context, connection } = opened()
    const { world } = context
    const octet = Uint8Array.of(1)
    const messages = [onConnection(context, 'server', 10, octet), datagram(context, 10, octet)]
    const [held, other] = messages.map((message) => {
      const interception = { payload: message.payload, outcome: 'held', delayUs: 9, attack: null } as const
      const numbers = { identification: 9, sequence: 0, acknowledgment: 0 }
      const transmission = { message, interception: { ...interception, description: undefined }, trace: null, numbers }
      return { ...storeMessage(transmission), dueUs: context.endUs }
    })
    world.held = [must(held), must(other)]
    closeConnection(context, connection.id, context.startUs + 5_000)
    expect(world.held).toMatchObject([other])
  })

  it('only removes one that was never open, and ignores one that does not exist', () => {
    const context = contextOf()
    context.world.connections['a-b#1'] = newConnection()
    closeConnection(context, 'a-b#1', context.startUs)
    closeConnection(context, 'a-b#1', context.startUs)
    expect([context.world.connections, context.drafts]).toEqual([{}, []])
  })
})

describe('a whole connection', () => {
  it('numbers every octet once in each direction and acknowledges nothing that was not sent', () => {
    const talk = fc.array(
      fc.record({
        side: fc.constantFrom<'client' | 'server'>('client', 'server'),
        afterUs: fc.nat(90_000),
        octets: fc.uint8Array({ minLength: 1, maxLength: 9 }),
      }),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(talk, (messages) => {
        const { context, connection } = opened()
        for (const { side, afterUs, octets } of messages) send(context, onConnection(context, side, afterUs, octets))
        flush(context, () => undefined)
        closeConnection(context, connection.id, context.endUs)
        const next = { [from.client]: 1_000, [from.server]: 4_294_967_290 }
        for (const segment of segments(context)) {
          const { src, control, sequence, acknowledgment, octets } = segment
          expect(sequence).toBe(next[src])
          const other = src === from.client ? from.server : from.client
          // Segments are recorded in the order in which they were made, so all that came before is known.
          if (control.includes('ack')) expect(acknowledgment).toBe(next[other])
          const consumed = octets + (control.includes('syn') || control.includes('fin') ? 1 : 0)
          next[src] = ((next[src] ?? 0) + consumed) % 2 ** 32
        }
        const sent = (side: string) =>
          messages.filter((one) => one.side === side).reduce((sum, { octets }) => sum + octets.length, 0)
        expect(next).toEqual({
          [from.client]: 1_002 + sent('client'),
          [from.server]: (4_294_967_292 + sent('server')) % 2 ** 32,
        })
      }),
      { seed: 51 },
    )
  })
})

describe('endsOf()', () => {
  it('names both ends from each side, and the flow the same from both', () => {
    const { flow } = newConnection()
    const name = `${from.client}-${from.server}`
    expect(endsOf(flow, 'client')).toEqual({ src: from.client, dst: from.server, flow: name })
    expect(endsOf(flow, 'server')).toEqual({ src: from.server, dst: from.client, flow: name })
  })
})
