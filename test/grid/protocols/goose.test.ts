import { describe, expect, it } from 'vitest'
import { decodeHex } from '../../../src/base/hex.ts'
import { fromIntegerOctets, toIntegerOctets } from '../../../src/grid/protocols/ber.ts'
import { decodeGoose, encodeGoose } from '../../../src/grid/protocols/goose.ts'
import {
  gooseChanged,
  gooseDelayMs,
  gooseRepeated,
  judgeGoose,
} from '../../../src/grid/protocols/goose-publisher.ts'
import { toUtcTime } from '../../../src/grid/protocols/mms-data.ts'
import { gooseMessage } from '../../support/grid-capture.ts'

describe('toIntegerOctets()', () => {
  it.each([
    [0, '00'],
    [127, '7f'],
    [128, '0080'],
    [255, '00ff'],
    [256, '0100'],
    [4_294_967_295, '00ffffffff'],
    [-1, 'ff'],
    [-128, '80'],
    [-129, 'ff7f'],
  ])('writes %d in the fewest octets of two’s complement', (value, hex) => {
    expect(toIntegerOctets(value)).toEqual(decodeHex(hex))
    expect(fromIntegerOctets(decodeHex(hex))).toBe(value)
  })
})

describe('gooseDelayMs()', () => {
  it('doubles from 4 ms up to the heartbeat', () => {
    expect(Array.from({ length: 10 }, (_, sequence) => gooseDelayMs(sequence, 1000))).toEqual([
      4, 8, 16, 32, 64, 128, 256, 512, 1000, 1000,
    ])
  })

  it('stays at the heartbeat however long a state lasts', () => {
    expect(gooseDelayMs(4_294_967_295, 2000)).toBe(2000)
  })
})

describe('the counters of a publisher', () => {
  it('count states from the change and repetitions within a state', () => {
    expect(gooseChanged({ stateNumber: 7, sequenceNumber: 200 })).toEqual({
      stateNumber: 8,
      sequenceNumber: 0,
    })
    expect(gooseRepeated({ stateNumber: 8, sequenceNumber: 0 })).toEqual({
      stateNumber: 8,
      sequenceNumber: 1,
    })
  })

  it('wrap to 1 after 32 bits', () => {
    const last = { stateNumber: 0xffffffff, sequenceNumber: 0xffffffff }
    expect(gooseChanged(last)).toEqual({ stateNumber: 1, sequenceNumber: 0 })
    expect(gooseRepeated(last)).toEqual({ stateNumber: 0xffffffff, sequenceNumber: 1 })
  })
})

describe('judgeGoose()', () => {
  const last = { stateNumber: 5, sequenceNumber: 9 }
  it.each([
    [undefined, { stateNumber: 1, sequenceNumber: 0 }, 'changed'],
    [last, { stateNumber: 6, sequenceNumber: 0 }, 'changed'],
    [last, { stateNumber: 5, sequenceNumber: 10 }, 'repeated'],
    [last, { stateNumber: 5, sequenceNumber: 12 }, 'lost'],
    [last, { stateNumber: 5, sequenceNumber: 9 }, 'stale'],
    [last, { stateNumber: 4, sequenceNumber: 99 }, 'stale'],
  ] as const)('after %o takes %o as %s', (before, next, verdict) => {
    expect(judgeGoose(before, next)).toBe(verdict)
  })
})

describe('decodeGoose()', () => {
  it('refuses data that nests too deep instead of following it', () => {
    const message = gooseMessage(1, 0, true)
    const deep = Array.from({ length: 20 }).reduce<(typeof message.pdu.entries)[number]>(
      (inner) => ({ kind: 'structure', entries: [inner] }),
      { kind: 'boolean', value: true },
    )
    const outcome = decodeGoose(encodeGoose({ ...message, pdu: { ...message.pdu, entries: [deep] } }))
    expect(outcome).toMatchObject({ ok: false, fault: { code: 'value', field: 'allData' } })
  })
})

describe('toUtcTime()', () => {
  it('counts fractions in 2^-24 s', () => {
    expect(toUtcTime(1_795_190_400_500_000)).toEqual({
      seconds: 1_795_190_400,
      fraction: 0x800000,
      quality: 0x0a,
    })
  })
})
