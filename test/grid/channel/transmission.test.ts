/** Transmissions: the numbers that each takes, and the trace of an attack in the records. */

import { describe, expect, it } from 'vitest'
import { decodeHex } from '#base/hex.ts'
import { numberFrame, recordLength } from '#grid/channel/transmission.ts'
import { openConnection } from '#grid/step/connections.ts'
import type { StepContext } from '#grid/step/step-context.ts'
import type { Message } from '#grid/telecontrol/message.ts'
import { arrived, attackedTransmission, interceptionOf, sent } from '../../support/grid-channel.ts'
import { contextOf, datagram, far, near, newConnection, onConnection } from '../../support/grid-context.ts'
import { must } from '../../support/must.ts'

const payload = decodeHex('0564')

/** A step with one open connection, its first numbers 1,001 and 4,294,967,291. */
function opened() {
  const context = contextOf()
  const connection = newConnection()
  openConnection(context, connection, context.startUs)
  return { context, connection }
}

/** Records that an attacker left so many octets of a message. */
function shorten({ world }: StepContext, message: Message, length: number): void {
  recordLength(world, { message, interception: interceptionOf(new Uint8Array(length), 'attacked') })
}

describe('numberFrame()', () => {
  it('takes the next IP identification of its sender for each datagram', () => {
    const context = contextOf()
    const back = datagram(context, 0, payload, { carrier: { kind: 'udp', from: far, to: near } })
    const sent = [datagram(context, 0, payload), datagram(context, 1, payload), back]
    const taken = sent.map((message) => numberFrame(context.world, message).numbers)
    const first = taken[0]?.identification ?? Number.NaN
    expect(taken[1]).toEqual({ identification: (first + 1) % 65_536, sequence: 0, acknowledgment: 0 })
    expect(Object.keys(context.world.hosts.identifications).sort()).toEqual([near.ip, far.ip].sort())
  })

  it('takes as many sequence numbers of a connection as the message has octets, modulo 2^32', () => {
    const { context } = opened()
    const long = new Uint8Array(10)
    const numbers = [
      numberFrame(context.world, onConnection(context, 'client', 0, payload)),
      numberFrame(context.world, onConnection(context, 'server', 1, long)),
      numberFrame(context.world, onConnection(context, 'server', 2, payload)),
    ]
    expect(numbers).toMatchObject([
      { numbers: { sequence: 1_001, acknowledgment: 4_294_967_291 } },
      { numbers: { sequence: 4_294_967_291, acknowledgment: 1_003 } },
      { numbers: { sequence: 5, acknowledgment: 1_003 } },
    ])
  })

  it('takes none for an Ethernet frame', () => {
    const { context } = opened()
    const before = structuredClone(context.world)
    const frame = datagram(context, 0, payload, { carrier: { kind: 'ethernet' } })
    expect(numberFrame(context.world, frame)).toEqual({
      numbers: { identification: 0, sequence: 0, acknowledgment: 0 },
    })
    expect(context.world).toEqual(before)
  })

  it('throws for a connection that is not there', () => {
    const context = contextOf()
    expect(() => numberFrame(context.world, onConnection(context, 'client', 0, payload))).toThrow('no connection a-b#1')
  })
})

describe('recordLength()', () => {
  it('adds up the octets that an attacker took from each side, and shifts later numbers by them', () => {
    const { context, connection } = opened()
    const message = onConnection(context, 'client', 0, new Uint8Array(10))
    shorten(context, message, 7)
    shorten(context, message, 12)
    shorten(context, onConnection(context, 'server', 0, payload), 0)
    expect(connection.flow.removed).toEqual({ client: 1, server: 2 })
    expect(numberFrame(context.world, message).shift).toEqual({ sequence: 1, acknowledgment: -2 })
    expect(numberFrame(context.world, onConnection(context, 'server', 0, payload)).shift).toEqual({
      sequence: 2,
      acknowledgment: -1,
    })
  })

  it('notes nothing for a message of the same length, nor for a datagram', () => {
    const { context, connection } = opened()
    shorten(context, onConnection(context, 'client', 0, payload), 2)
    shorten(context, datagram(context, 0, payload), 1)
    expect(connection.flow.removed).toBeUndefined()
  })
})

describe('openTransmission()', () => {
  it('reports nothing of a clean message', () => {
    expect(attackedTransmission({ outcome: 'clean', attack: null }).transmission.trace).toBeNull()
  })

  it('labels a changed message with its attack, and shows both forms', () => {
    const trace = must(attackedTransmission().transmission.trace ?? undefined)
    expect(trace.label).toEqual({
      attack_id: 'DROP-1',
      attack_type: 'DROP',
      technique: expect.objectContaining({ id: 'T1691.002' }),
      evidence: { reading: { protocol: 'DNP3', isRequest: false }, original: sent, modified: arrived },
    })
    expect(trace.shown).toBe(trace.evidence)
    expect(trace.label?.evidence).toBe(trace.evidence)
  })

  it.each([
    ['a dropped message without its modified form', 'dropped', null, { original: sent, modified: null }],
    ['a forged message without its original', 'attacked', 'F', { original: null, modified: arrived }],
    ['a forged message that was dropped without either', 'dropped', 'F', { original: null, modified: null }],
  ] as const)('shows %s, and keeps both for the label', (_, outcome, description, shown) => {
    const forged = description === null ? null : { attackId: 'DROP-1', description }
    const trace = must(attackedTransmission({ outcome }, forged).transmission.trace ?? undefined)
    expect(trace.shown).toMatchObject(shown)
    expect(trace.evidence).toMatchObject({ original: sent, modified: arrived })
  })

  it('has no label where the attack is not known', () => {
    const { trace } = attackedTransmission({ attack: null, outcome: 'invalid' }).transmission
    expect(trace).toMatchObject({ label: null, shown: { original: sent, modified: arrived } })
  })
})
