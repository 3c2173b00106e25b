/** What incidents and labels keep as octets, and show decoded. */

import { describe, expect, it } from 'vitest'
import { encodeModbusRequest } from '../../../src/grid/protocols/modbus.ts'
import { evidenceOf, holdLabel, readingOf } from '../../../src/grid/records/evidence.ts'
import { readMessage } from '../../../src/grid/telecontrol/message.ts'
import { payloadOf } from '../../support/attack-session.ts'
import { enable, runSteps, startWorld } from '../../support/grid-session.ts'

const write = (value: number) =>
  encodeModbusRequest({
    transactionId: 1,
    unitId: 1,
    pdu: { kind: 'write_single_register', address: 0, value },
  })
const reading = readingOf('Modbus', true, undefined)

describe('readingOf()', () => {
  it('is one value for all messages of a kind', () => {
    expect(readingOf('Modbus', true, undefined)).toBe(reading)
    expect(readingOf('Modbus', false, undefined)).not.toBe(reading)
  })
})

describe('holdLabel()', () => {
  const [original, modified] = [write(1000), write(1050)]
  const label = holdLabel('X-1', 'X', null, { reading, original, modified })
  const changes = [{ field: 'pdu.value', old: 1000, new: 1050 }]

  it('decodes what was changed when it is read and when it is written as JSON', () => {
    expect(label.changes).toEqual(changes)
    expect(JSON.parse(JSON.stringify(label))).toEqual({
      attack_id: 'X-1',
      attack_type: 'X',
      technique: null,
      changes,
    })
  })

  it.each([
    ['forged', { reading, original: null, modified }],
    ['dropped', { reading, original, modified: null }],
    ['untouched', { reading, original, modified: original }],
  ])('has no changes for a message that was %s', (_, evidence) => {
    expect(holdLabel('X-1', 'X', null, evidence).changes).toEqual([])
  })
})

describe('an incident', () => {
  const attacks = [
    ['SCALE', {}],
    ['DROP', { drop_percent: 100 }],
    ['DELAY', {}],
    ['MODBUS_CMD_INJECT', {}],
  ] as const

  it.each(attacks)(
    'of %s shows the octets of its frames, decoded, in its fields and in its JSON',
    (type, params) => {
      const world = startWorld()
      runSteps(world, 21)
      enable(world, type, params)
      const { incidents, frames } = runSteps(world, 20)
      const told = incidents.filter(({ status }) => status !== 'clean')
      expect(told.length).toBeGreaterThan(0)
      for (const incident of told) {
        const frame = frames.find(({ frameNo }) => frameNo === incident.frame_no)
        const evidence = evidenceOf(incident)
        if (frame === undefined || evidence === undefined) throw new Error('an incident without its frame')
        const { protocol, isRequest, configuration } = evidence.reading
        const shown = readMessage(protocol, isRequest, payloadOf(frame), configuration)
        const [field, other] =
          type === 'DROP'
            ? (['original_val', 'modified_val'] as const)
            : (['modified_val', 'original_val'] as const)
        expect(incident[field]).toEqual(shown)
        const written = JSON.parse(JSON.stringify(incident))
        expect(written[field]).toEqual(shown)
        expect(written.evidence).toBeUndefined()
        expect(other in written).toBe(incident[other] !== undefined)
        // The octets are those of the frame and not a copy of their own.
        expect((evidence.modified ?? evidence.original)?.buffer).toBe(frame.bytes.buffer)
      }
    },
  )
})
