import { describe, expect, it } from 'vitest'
import {
  decodeStatusMessage,
  encodeStatusMessage,
  parseStatusCode,
  statusCodes,
  statusOfHttp,
  statusTable,
} from '#proto-json/grpc-web/status.ts'
import vectors from '../../vectors/grpc-web.json' with { type: 'json' }

describe('statusTable', () => {
  it('has the row of every code at its number', () => {
    for (const [name, code] of Object.entries(statusCodes)) expect(statusTable[code].name).toBe(name)
    expect(Object.keys(statusTable).length).toBe(17)
  })

  it('gives the reverse bridge an HTTP status that maps back to the code, or to UNKNOWN, or to INTERNAL for a mistake', () => {
    for (const [key, { bridgeHttp, name }] of Object.entries(statusTable)) {
      const expected: Readonly<Record<string, number>> = {
        OK: 2,
        INVALID_ARGUMENT: statusCodes.INTERNAL,
        OUT_OF_RANGE: statusCodes.INTERNAL,
        DEADLINE_EXCEEDED: statusCodes.UNAVAILABLE,
        RESOURCE_EXHAUSTED: statusCodes.UNAVAILABLE,
      }
      const back = bridgeHttp === 500 ? statusCodes.UNKNOWN : (expected[name] ?? Number(key))
      expect([name, statusOfHttp(bridgeHttp)]).toEqual([name, back])
    }
  })
})

describe('parseStatusCode()', () => {
  it('reads 0 to 16 and makes UNKNOWN of the rest', () => {
    expect(['0', '16', '17', '', '-1', '1.0', 'x', '00'].map(parseStatusCode)).toEqual([0, 16, 2, 2, 2, 2, 2, 0])
  })
})

describe('encodeStatusMessage()', () => {
  for (const { text, encoded } of vectors.messages) {
    it(`writes ${JSON.stringify(text)}, which decodeStatusMessage() reads back`, () => {
      expect(encodeStatusMessage(text)).toBe(encoded)
      expect(decodeStatusMessage(encoded)).toBe(text)
    })
  }
})

describe('decodeStatusMessage()', () => {
  for (const { text, encoded } of vectors.brokenMessages) {
    it(`makes the best of ${encoded}`, () => expect(decodeStatusMessage(encoded)).toBe(text))
  }
})
