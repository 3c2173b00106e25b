/** Masters from outside: whom a message is for, and what an outstation does with one that comes too early. */

import { expect, test } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import { applyField } from '#grid/channel/outside.ts'
import type { FieldEntry } from '#grid/configuration.ts'
import { step, type World } from '#grid/engine.ts'
import { encodeC37118 } from '#grid/protocols/c37118.ts'
import { encodeIec104 } from '#grid/protocols/iec104.ts'
import { iec104Cause } from '#grid/protocols/iec104-asdu.ts'
import { showIncident } from '#grid/records/evidence.ts'
import { toAsdu } from '#grid/step/stations/iec104-dialogue.ts'
import { calmStretch, runSteps } from '#test/support/grid-session.ts'

/** Applies events of one socket, and computes the step behind them. */
function hear(world: World, ...events: readonly FieldEntry['event'][]) {
  const pending = { drafts: [], events: [] }
  const sent = events.flatMap((event, index) => {
    const place = { number: world.field.applied + 1, step: world.step, commands: world.commandsApplied }
    return applyField(world, { ...place, atUs: index * 5_000, connection: 1, event }, pending)
  })
  return { sent, ...step(world, pending) }
}

test('an answer of a phasor unit is recorded as one to the master that asked', () => {
  const { world } = calmStretch(21)
  const time = { seconds: 0, fraction: 0, quality: 0 }
  const command = { idCode: 1, time, kind: 'command', command: 'send_header', extension: new Uint8Array(0) } as const
  const { sent, incidents } = hear(world, { open: 'PMU-1' }, { octets: encodeHex(encodeC37118(command)) })
  expect(sent).toHaveLength(1)
  const ways = incidents.map(showIncident).filter(({ dst_ip }) => dst_ip === '10.20.0.30')
  expect(ways.map(({ src_node, dst_node }) => [src_node, dst_node])).toEqual([['PMU-1', 'FIELD']])
})

test('an IEC 104 outstation closes the connection of a master that acknowledges nothing for 15 s', () => {
  const { world } = calmStretch(21)
  hear(world, { open: 'RTU-1' }, { octets: encodeHex(encodeIec104({ format: 'U', function: 'STARTDT_ACT' })) })
  runSteps(world, 120)
  expect(world.connections['field#1']).toBeDefined()
  runSteps(world, 80)
  expect(world.connections['field#1']).toBeUndefined()
})

test('an IEC 104 outstation closes a connection on which a command comes before STARTDT, and obeys nothing', () => {
  const { world } = calmStretch(21)
  const objects = [{ address: 1001, isOn: false, select: true, qualifier: 0 }]
  const asdu = toAsdu({ type: 'C_SC_NA_1', objects, cause: iec104Cause.activation, commonAddress: 1 })
  const early = encodeIec104({ format: 'I', sendSequence: 0, receiveSequence: 0, asdu })
  const { sent } = hear(world, { open: 'RTU-1' }, { octets: encodeHex(early) })
  expect([sent, world.connections['field#1'], world.field.open]).toEqual([[], undefined, 0])
})
