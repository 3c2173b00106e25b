/** Messages as dictionaries: what they hold, and in what two of them differ. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '#base/json.ts'
import { encodeModbusRequest, encodeModbusResponse } from '#grid/protocols/modbus.ts'
import { listChanges, readMessage } from '#grid/telecontrol/message.ts'

describe('readMessage()', () => {
  it('reads a message in its direction and keeps its octets as hex', () => {
    const pdu = { kind: 'write_single_coil', address: 3, value: true } as const
    const message = { transactionId: 7, unitId: 1, pdu }
    expect(readMessage('Modbus', true, encodeModbusRequest(message))).toEqual({
      ...message,
      raw_hex: '00070000000601050003ff00',
    })
    const answer = {
      transactionId: 7,
      unitId: 1,
      pdu: { kind: 'exception', functionCode: 5, exceptionCode: 2 },
    } as const
    expect(readMessage('Modbus', false, encodeModbusResponse(answer))).toMatchObject(answer)
  })

  it('names the fault of any octets that are not a message, and never throws', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('Modbus', 'DNP3', 'IEC104', 'GOOSE', 'C37.118'),
        fc.uint8Array({ maxLength: 60 }),
        (protocol, octets) => {
          const frame = readMessage(protocol, true, octets)
          expect(JSON.parse(JSON.stringify(frame))).toEqual(frame)
          expect(frame.raw_hex).toHaveLength(octets.length * 2)
        },
      ),
      { seed: 9 },
    )
    expect(readMessage('DNP3', true, Uint8Array.of(1, 2))).toMatchObject({
      fault: expect.stringContaining('Cannot decode DNP3'),
    })
  })
})

describe('listChanges()', () => {
  const frames = fc.dictionary(
    fc.constantFrom('a', 'b', 'raw_hex'),
    fc.jsonValue({ maxDepth: 3 }),
  ) as fc.Arbitrary<JsonObject>

  it('lists nothing for equal messages, and what it lists for others really differs', () => {
    fc.assert(
      fc.property(frames, frames, (left, right) => {
        expect(listChanges(left, structuredClone(left))).toEqual([])
        for (const { old, new: now } of listChanges(left, right))
          expect(JSON.stringify(old)).not.toBe(JSON.stringify(now))
        expect(listChanges(left, right).map(({ field, old, new: now }) => ({ field, old: now, new: old }))).toEqual(
          expect.arrayContaining([...listChanges(right, left)]),
        )
      }),
      { seed: 10 },
    )
  })

  it('names fields by their path, with null for ones that were added or removed', () => {
    const before = { a: 1, list: [{ x: 1 }, { x: 2 }], gone: true, raw_hex: '00' }
    const after = { a: 1, list: [{ x: 1 }, { x: 3 }], new: 'y', raw_hex: '01' }
    expect(listChanges(before, after)).toEqual([
      { field: 'list.1.x', old: 2, new: 3 },
      { field: 'gone', old: true, new: null },
      { field: 'new', old: null, new: 'y' },
    ])
  })

  it('lists at most 64', () => {
    const values = (offset: number) => ({ values: Array.from({ length: 100 }, (_, index) => index + offset) })
    expect(listChanges(values(0), values(1))).toHaveLength(64)
  })
})
