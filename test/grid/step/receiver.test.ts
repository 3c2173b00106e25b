/** The end of a message's path: who takes octets in, and who reports octets that cannot be read. */

import { describe, expect, it } from 'vitest'
import { decodeHex } from '#base/hex.ts'
import { handOver } from '#grid/step/receiver.ts'
import type { Outcome } from '#grid/step/world.ts'
import { contextOf, datagram } from '../../support/grid-context.ts'

/** Modbus, section 6.1 of the specification: a client reads 19 coils from 0x13 of unit 1. */
const readable = decodeHex('000900000006' + '01' + '0100130013')

/** Hands octets over as a request, and gives what the receiver took and what the control centre reported. */
function hand(payload: Uint8Array, outcome: Outcome) {
  const context = contextOf()
  const carrier = { kind: 'tcp', connection: 'a-b#1', side: 'client' } as const
  const message = datagram(context, 0, readable, { protocol: 'Modbus', carrier })
  const taken: unknown[] = []
  handOver(context, message, payload, outcome, (...args) => taken.push(args))
  return { context, message, taken, alarms: context.world.view.alarms }
}

describe('handOver()', () => {
  it.each(['clean', 'attacked', 'held', 'dropped'] as const)(
    'gives octets of a message that is %s to its receiver, as they arrived',
    (outcome) => {
      const payload = readable.slice(0, 5)
      const { context, message, taken, alarms } = hand(payload, outcome)
      expect(taken).toEqual([[context, message, payload]])
      expect(alarms).toEqual([])
    },
  )

  it('reports octets that an attacker made unreadable, with their fault, and gives them to no receiver', () => {
    const { taken, alarms } = hand(readable.slice(0, 5), 'invalid')
    expect(taken).toEqual([])
    expect(alarms).toMatchObject([
      {
        detector: 'malformed',
        where: 'a-b',
        text: expect.stringContaining('(Modbus from A)'),
        evidence: { code: 'truncated' },
      },
    ])
  })

  it('reports nothing where the octets can be read after all, and gives them to no receiver', () => {
    const { taken, alarms } = hand(readable, 'invalid')
    expect([taken, alarms]).toEqual([[], []])
  })

  it('reads a request as a request: the same octets are no answer', () => {
    const context = contextOf()
    const carrier = { kind: 'tcp', connection: 'a-b#1', side: 'server' } as const
    const message = datagram(context, 0, readable, { protocol: 'Modbus', carrier })
    handOver(context, message, readable, 'invalid', () => undefined)
    expect(context.world.view.alarms).toMatchObject([{ detector: 'malformed' }])
  })
})
