/** Evidence that incidents and labels keep as octets and show decoded. */

import { describe, expect, it } from 'vitest'
import { encodeModbusRequest } from '#grid/protocols/modbus.ts'
import {
  decodeModified,
  decodeOriginal,
  findChanges,
  findReading,
  openChangeReader,
  showIncident,
} from '#grid/records/evidence.ts'
import { readMessage } from '#grid/telecontrol/message.ts'
import type { Evidence } from '#grid/types.ts'
import { payloadOf } from '../../support/attack-session.ts'
import { calmStretch, enable, runSteps } from '../../support/grid-session.ts'

const write = (value: number) =>
  encodeModbusRequest({ transactionId: 1, unitId: 1, pdu: { kind: 'write_single_register', address: 0, value } })
const reading = findReading('Modbus', true, undefined)

describe('findReading()', () => {
  it('is one value for all messages of a kind', () => {
    expect(findReading('Modbus', true, undefined)).toBe(reading)
    expect(findReading('Modbus', false, undefined)).not.toBe(reading)
  })
})

describe('findChanges()', () => {
  const [original, modified] = [write(1000), write(1050)]
  const labelOf = (evidence: Evidence) => ({ attack_id: 'X-1', attack_type: 'X', technique: null, evidence })
  const changes = [{ field: 'pdu.value', old: 1000, new: 1050 }]

  it('decodes what was changed, and so does a reader that remembers the last', () => {
    const label = labelOf({ reading, original, modified })
    expect(findChanges(label)).toEqual(changes)
    const read = openChangeReader()
    expect(read(label)).toEqual(changes)
    expect(read(structuredClone(label))).toEqual(changes)
    expect(read(label)).toBe(read(label))
    expect(read({ ...label, evidence: { ...label.evidence, modified: original } })).toEqual([])
  })

  it('gives the changes of a record that lists them', () => {
    expect(findChanges({ attack_id: 'X-1', attack_type: 'X', technique: null, changes })).toEqual(changes)
  })

  it.each([
    ['forged', { reading, original: null, modified }],
    ['dropped', { reading, original, modified: null }],
    ['untouched', { reading, original, modified: original }],
  ])('has no changes for a message that was %s', (_, evidence) => {
    expect(findChanges(labelOf(evidence))).toEqual([])
  })
})

describe('an incident', () => {
  const attacks = [
    ['SCALE', {}],
    ['DROP', { drop_percent: 100 }],
    ['DELAY', {}],
    ['MODBUS_CMD_INJECT', {}],
  ] as const

  it.each(attacks)('of %s shows the octets of its frames, decoded, in its fields and in its JSON', (type, params) => {
    const { world } = calmStretch(21)
    enable(world, type, params)
    const { outputs, frames } = runSteps(world, 20)
    const records = outputs.flatMap(({ incidents }) => incidents)
    const told = records.filter(({ status }) => status !== 'clean')
    expect(told.length).toBeGreaterThan(0)
    for (const record of told) {
      const incident = showIncident(record)
      const frame = frames.find(({ frameNo }) => frameNo === incident.frame_no)
      const { evidence } = record
      if (frame === undefined || evidence === undefined) throw new Error('an incident without its frame')
      const { protocol, isRequest, configuration } = evidence.reading
      const shown = readMessage(protocol, isRequest, payloadOf(frame), configuration)
      const [field, other] =
        type === 'DROP' ? (['original_val', 'modified_val'] as const) : (['modified_val', 'original_val'] as const)
      expect(incident[field]).toEqual(shown)
      expect([decodeOriginal(record), decodeModified(record)]).toEqual([incident.original_val, incident.modified_val])
      expect(incident).not.toHaveProperty('evidence')
      expect(other in incident).toBe(incident[other] !== undefined)
      // The octets are those of the frame and not a copy of their own.
      expect((evidence.modified ?? evidence.original)?.buffer).toBe(frame.bytes.buffer)
    }
  })
})
