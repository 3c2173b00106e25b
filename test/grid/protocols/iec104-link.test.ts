/** One end of an IEC 104 connection: its numbers, its window, its answers, and how long it waits. */

import { describe, expect, it } from 'vitest'
import { decodeIec104, encodeIec104 } from '#grid/protocols/iec104.ts'
import type { Iec104Asdu } from '#grid/protocols/iec104-asdu.ts'
import {
  acknowledge,
  followWait,
  type Iec104Link,
  maySend,
  newIec104Link,
  receiveApdu,
  sendAsdu,
  stampAcknowledgment,
} from '#grid/protocols/iec104-link.ts'

const asdu: Iec104Asdu = {
  type: 'C_IC_NA_1',
  cause: 6,
  isSequence: false,
  isNegative: false,
  isTest: false,
  originator: 0,
  commonAddress: 1,
  objects: [{ address: 0, qualifier: 20 }],
}
const started: Iec104Link = { ...newIec104Link, isStarted: true }

describe('maySend()', () => {
  it('waits for STARTDT', () => {
    expect(maySend(newIec104Link)).toBe(false)
    const { link } = receiveApdu(newIec104Link, { format: 'U', function: 'STARTDT_CON' })
    expect(maySend(link)).toBe(true)
  })

  it('stops at 12 unacknowledged I-formats and continues when they are acknowledged', () => {
    let link = { ...started, sendSequence: 32_760, acknowledged: 32_760 }
    for (let count = 0; count < 12; count++) {
      expect(maySend(link)).toBe(true)
      link = sendAsdu(link, asdu).link
    }
    expect(link.sendSequence).toBe(4)
    expect(maySend(link)).toBe(false)
    expect(maySend(receiveApdu(link, { format: 'S', receiveSequence: 32_761 }).link)).toBe(true)
  })
})

describe('receiveApdu()', () => {
  it('acknowledges the eighth I-format on its own', () => {
    let link = started
    for (let count = 0; count < 8; count++) {
      const receipt = receiveApdu(link, { format: 'I', sendSequence: count, receiveSequence: 0, asdu })
      expect(receipt.reply).toEqual(count === 7 ? { format: 'S', receiveSequence: 8 } : undefined)
      link = receipt.link
    }
    expect(link.unacknowledgedReceived).toBe(0)
  })

  it('counts what an own I-format acknowledged on its way', () => {
    const { link } = receiveApdu(started, { format: 'I', sendSequence: 0, receiveSequence: 0, asdu })
    const sent = sendAsdu(link, asdu)
    expect(sent.apdu).toMatchObject({ sendSequence: 0, receiveSequence: 1 })
    expect(sent.link.unacknowledgedReceived).toBe(0)
    expect(acknowledge(link).apdu).toEqual({ format: 'S', receiveSequence: 1 })
  })

  it('names a jump of N(S), which no dissector flags', () => {
    const receipt = receiveApdu(started, { format: 'I', sendSequence: 5, receiveSequence: 0, asdu })
    expect(receipt.violation).toBe('N(S) is 5, expected 0')
    expect(receipt.link).toBe(started)
  })

  it('names an N(R) for what was never sent', () => {
    expect(receiveApdu(started, { format: 'S', receiveSequence: 1 }).violation).toMatch(/never sent/)
  })

  it.each([
    ['STARTDT_ACT', 'STARTDT_CON'],
    ['STOPDT_ACT', 'STOPDT_CON'],
    ['TESTFR_ACT', 'TESTFR_CON'],
  ] as const)('confirms %s', (act, con) => {
    expect(receiveApdu(started, { format: 'U', function: act }).reply).toEqual({ format: 'U', function: con })
  })
})

describe('stampAcknowledgment()', () => {
  const received = { ...started, receiveSequence: 3, unacknowledgedReceived: 2 }

  it.each([
    { format: 'I', sendSequence: 7, receiveSequence: 1, asdu },
    { format: 'S', receiveSequence: 0 },
  ] as const)('lets a waiting $format-format acknowledge what has been received since it was made', (apdu) => {
    const octets = encodeIec104(apdu)
    expect(stampAcknowledgment(received, octets)).toEqual({ ...received, unacknowledgedReceived: 0 })
    expect(decodeIec104(octets)).toMatchObject({ ok: true, value: { ...apdu, receiveSequence: 3 } })
  })

  it('does not change U-formats, which acknowledge nothing', () => {
    const octets = encodeIec104({ format: 'U', function: 'TESTFR_ACT' })
    const before = octets.slice()
    expect(stampAcknowledgment(received, octets)).toBe(received)
    expect(octets).toEqual(before)
  })
})

describe('followWait()', () => {
  const sent = sendAsdu(started, asdu).link

  it('counts from the look at which a message was first without an acknowledgment', () => {
    const first = followWait(sent, undefined, true, 5_000)
    expect(first).toEqual({ acknowledged: 0, sinceUs: 5_000 })
    expect(followWait(sendAsdu(sent, asdu).link, first, true, 9_000)).toBe(first)
  })

  it('restarts when the oldest message was acknowledged, and ends when all were', () => {
    const first = followWait(sent, undefined, false, 5_000)
    const two = { ...sendAsdu(sent, asdu).link, acknowledged: 1 }
    expect(followWait(two, first, false, 9_000)).toEqual({ acknowledged: 1, sinceUs: 9_000 })
    expect(followWait({ ...sent, acknowledged: 1 }, first, false, 9_000)).toBeUndefined()
  })

  it('waits for the confirmation of STARTDT at the end that sent the request', () => {
    expect(followWait(newIec104Link, undefined, true, 5_000)).toEqual({ acknowledged: 0, sinceUs: 5_000 })
    expect(followWait(newIec104Link, undefined, false, 5_000)).toBeUndefined()
  })
})
