/** Sampled values: the layout of 9-2LE to the octet, any message back from its octets, and each fault with its place. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { decodeSampledValues, encodeSampledValues, type SampledValuesMessage } from '#grid/protocols/sampled-values.ts'

const channels = [1_000, -500, -500, 0, 6_350_853, -3_175_426, -3_175_426, 0].map((value, index) => ({
  value,
  quality: index % 4 === 3 ? 0x2000 : 0,
}))

const message: SampledValuesMessage = {
  destination: '01:0c:cd:04:00:01',
  source: '02:00:5e:04:00:01',
  vlan: { priority: 4, dropEligible: false, id: 0 },
  appId: 0x4000,
  isSimulated: false,
  asdus: [{ id: 'MU0101', sampleCount: 3_999, configurationRevision: 1, synchronization: 2, values: channels }],
}

/** The frame of 9-2LE, element by element: tag, length, contents. */
const frame = [
  '010ccd040001 02005e040001 8100 8000 88ba',
  '4000 0068 0000 0000',
  '60 5e 80 01 01 a2 59 30 57',
  '80 06 4d5530313031 82 02 0f9f 83 04 00000001 85 01 02',
  '87 40 000003e8 00000000 fffffe0c 00000000 fffffe0c 00000000 00000000 00002000',
  '0060e805 00000000 ffcf8bfe 00000000 ffcf8bfe 00000000 00000000 00002000',
]
  .join('')
  .replace(/ /g, '')

const u32 = fc.nat({ max: 0xffffffff })
const u16 = fc.nat({ max: 0xffff })
const anyAsdu = fc.record(
  {
    id: fc.string({ maxLength: 34 }),
    dataSet: fc.string({ maxLength: 65 }),
    sampleCount: u16,
    configurationRevision: u32,
    refreshTime: fc.record({ seconds: u32, fraction: fc.nat({ max: 0xffffff }), quality: fc.nat({ max: 255 }) }),
    synchronization: fc.nat({ max: 255 }),
    sampleRate: u16,
    values: fc.array(fc.record({ value: fc.integer(), quality: u32 }), { maxLength: 20 }),
    sampleMode: u16,
    clockIdentity: fc.uint8Array({ minLength: 8, maxLength: 8 }),
  },
  { requiredKeys: ['id', 'sampleCount', 'configurationRevision', 'synchronization', 'values'] },
)

describe('encodeSampledValues()', () => {
  it('writes the layout of 9-2LE to the octet', () => {
    expect(encodeHex(encodeSampledValues(message))).toBe(frame)
    expect(decodeSampledValues(decodeHex(frame))).toEqual({ ok: true, value: message })
  })

  it('is undone by decodeSampledValues() for any message', () => {
    fc.assert(
      fc.property(fc.array(anyAsdu, { minLength: 1, maxLength: 6 }), fc.boolean(), u16, (asdus, isSimulated, appId) => {
        const one = { ...message, asdus, isSimulated, appId }
        expect(decodeSampledValues(encodeSampledValues(one))).toEqual({ ok: true, value: one })
      }),
    )
  })

  it.each([
    [{ asdus: [] }, '0 ASDUs, expected 1 to 16'],
    [{ asdus: [{ ...message.asdus[0], sampleCount: 65_536 }] }, 'smpCnt is 65536'],
    [{ asdus: [{ ...message.asdus[0], id: 'Mü' }] }, 'holds more than ASCII'],
  ])('refuses %j', (change, state) => {
    expect(() => encodeSampledValues({ ...message, ...change } as SampledValuesMessage)).toThrow(state)
  })
})

describe('decodeSampledValues()', () => {
  it.each([
    ['another EtherType', '88ba', '88b8', 'protocol', 'EtherType'],
    ['a length beyond the frame', '40000068', '40000168', 'length', 'length'],
    ['another number of ASDUs', '800101', '800102', 'length', 'noASDU'],
    ['another tag', '850102', '860102', 'value', 'smpSynch'],
    ['a counter of one octet', '82020f9f83', '82010f9f83', 'length', 'smpCnt'],
  ])('names %s', (_, from, to, code, field) => {
    const octets = decodeHex(frame.replace(from, to))
    expect(decodeSampledValues(octets)).toMatchObject({ ok: false, fault: { code, field } })
  })

  it('never throws on octets that were changed or cut', () => {
    const octets = decodeHex(frame)
    fc.assert(
      fc.property(
        fc.nat({ max: octets.length - 1 }),
        fc.nat({ max: 255 }),
        fc.nat({ max: octets.length }),
        (at, to, end) => {
          const changed = octets.slice()
          changed[at] = to
          expect(typeof decodeSampledValues(changed.subarray(0, end)).ok).toBe('boolean')
        },
      ),
    )
  })
})
