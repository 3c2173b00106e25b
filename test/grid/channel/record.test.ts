/** Frames and incidents of transmissions, and the place of their evidence in the frames. */

import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import type { Interception } from '#grid/channel/attackers.ts'
import { encodeFrame, recordFrame, recordImpact, recordRepetition } from '#grid/channel/record.ts'
import { numberFrame } from '#grid/channel/transmission.ts'
import { decodeFrame } from '#grid/link/frame.ts'
import { openConnection } from '#grid/step/connections.ts'
import type { StepContext } from '#grid/step/step-context.ts'
import type { Message } from '#grid/telecontrol/message.ts'
import { arrived, attackedTransmission, interceptionOf, sent } from '../../support/grid-channel.ts'
import { contextOf, datagram, far, near, newConnection, onConnection } from '../../support/grid-context.ts'
import { mustDecode } from '../../support/must.ts'

const payload = decodeHex('0564')

/** Writes the message's frames on both sides of the attacker. */
function recorded(change: Partial<Interception> = {}, forged: Message['forged'] = null) {
  const { context, transmission } = attackedTransmission(change, forged)
  const { timeUs } = transmission.message
  const before = recordFrame(context, transmission, { tap: 'before', timeUs, isMessage: false })
  const after = recordFrame(context, transmission, { tap: 'after', timeUs: timeUs + 9, isMessage: true })
  return { context, transmission, trace: transmission.trace, before, after }
}

/** Offset of octets in the frame that they are a view of; undefined for octets that are not a view. */
function offsetIn(frame: Uint8Array, octets: Uint8Array | null | undefined): number | undefined {
  return octets?.buffer === frame.buffer ? octets.byteOffset - frame.byteOffset : undefined
}

/** The TCP segment of a frame. */
function segmentOf(bytes: Uint8Array) {
  const frame = mustDecode(decodeFrame(bytes))
  if (frame.carrier !== 'tcp') throw new Error(`${frame.carrier} is not tcp`)
  return frame.segment
}

/** The octets of headers in front of a datagram's payload. */
const headers = 42

describe('recordFrame()', () => {
  it('writes the message as sent before the attacker, and as changed behind', () => {
    const { context, before, after } = recorded({ delayUs: 2_500 })
    expect([before.bytes.subarray(headers, headers + 3), after.bytes.subarray(headers, headers + 2)]).toEqual([
      sent,
      arrived,
    ])
    expect(context.drafts).toEqual([before, after])
    const { timeUs } = before
    expect(before).toMatchObject({ tap: 'before', payloadLength: 3, latencyMs: 2.5, isMessage: false })
    expect(after).toMatchObject({ tap: 'after', payloadLength: 2, timeUs: timeUs + 9, status: 'attacked' })
  })

  it('points the evidence of both forms at the octets of the frames', () => {
    const { trace, before, after } = recorded()
    expect(offsetIn(before.bytes, trace?.evidence.original)).toBe(headers)
    expect(offsetIn(after.bytes, trace?.evidence.modified)).toBe(headers)
    const forged = recorded({}, { attackId: 'DROP-1', description: 'F' })
    expect(forged.trace?.shown.original).toBeNull()
    expect(offsetIn(forged.after.bytes, forged.trace?.shown.modified)).toBe(headers)
  })

  it('gives an incident to the frame of the message only', () => {
    const { before, after, trace } = recorded()
    expect(before.incident).toBeUndefined()
    expect(after.incident).toEqual({
      protocol: 'DNP3',
      status: 'attacked',
      attackType: 'DROP',
      attackId: 'DROP-1',
      technique: trace?.label?.technique,
      description: 'Changed',
      srcNode: 'A',
      dstNode: 'B',
      evidence: trace?.shown,
    })
  })

  it('counts a held message as attacked, and keeps the words of the other outcomes', () => {
    const statuses = (['held', 'dropped', 'invalid', 'attacked'] as const).map(
      (outcome) => recorded({ outcome }).after.status,
    )
    expect(statuses).toEqual(['attacked', 'dropped', 'invalid', 'attacked'])
  })

  it('names no attack where it is not known, nor a description where there is none', () => {
    const { after } = recorded({ attack: null, description: undefined })
    expect(Object.keys(after.incident ?? {}).sort()).toEqual(
      ['attackType', 'dstNode', 'evidence', 'protocol', 'srcNode', 'status'].sort(),
    )
    expect([after.incident?.attackType, after.label]).toEqual(['NONE', null])
  })

  it('of a clean message has a plain incident, and the shift that later numbers have', () => {
    const context: StepContext = contextOf()
    const message = datagram(context, 0, sent)
    const shift = { sequence: 3, acknowledgment: 0 }
    const interception: Interception = {
      payload: sent,
      outcome: 'clean',
      delayUs: 0,
      attack: null,
      description: undefined,
    }
    const numbers = { ...numberFrame(context.world, message), shift }
    const transmission = { message, interception, trace: null, ...numbers }
    const draft = recordFrame(context, transmission, { tap: 'after', timeUs: message.timeUs, isMessage: true })
    expect(draft).toMatchObject({ status: 'clean', label: null, shift })
    expect(draft.incident).toEqual({
      protocol: 'DNP3',
      status: 'clean',
      attackType: 'NONE',
      srcNode: 'A',
      dstNode: 'B',
    })
    const attacked = { ...recorded().transmission, ...numbers }
    const touched = recordFrame(context, attacked, { tap: 'after', timeUs: 0, isMessage: true })
    expect('shift' in touched).toBe(false)
  })
})

describe('recordRepetition()', () => {
  it('writes the same octets as a segment that only serves TCP', () => {
    const { context, transmission, after } = recorded()
    recordRepetition(context, transmission, { tap: 'after', timeUs: 77 })
    expect(context.drafts).toHaveLength(3)
    expect(context.drafts[2]).toMatchObject({
      protocol: 'TCP',
      payloadLength: 0,
      isMessage: false,
      incident: undefined,
      timeUs: 77,
      status: 'attacked',
    })
    expect(context.drafts[2]?.bytes).toEqual(after.bytes)
  })
})

describe('recordImpact()', () => {
  it('writes effects and severity into the incident of an attacked message only', () => {
    const effects = [{ breaker: 'CB-1-2', state: 'open' }]
    const { after, before, transmission } = recorded()
    recordImpact(effects, transmission.interception, after)
    expect(after.incident).toMatchObject({ impact: { effects }, severity: 'MEDIUM' })
    recordImpact(effects, transmission.interception, before)
    expect(before.incident).toBeUndefined()
    const clean = recorded().after
    recordImpact(effects, { ...transmission.interception, outcome: 'clean' }, clean)
    recordImpact([], transmission.interception, clean)
    expect(clean.incident).not.toHaveProperty('impact')
  })
})

describe('encodeFrame()', () => {
  const ends = { client: `${near.ip}:${near.port}`, server: `${far.ip}:${far.port}` }
  const clean = (message: Message) => ({ message, interception: interceptionOf(message.payload) })

  it('writes a datagram behind 42 octets of headers (RFC 894, 791 and 768)', () => {
    const context = contextOf()
    const numbers = { identification: 0x1234, sequence: 0, acknowledgment: 0 }
    const written = encodeFrame(context.world, { ...clean(datagram(context, 0, payload)), numbers }, 'after')
    const { bytes, octets, ends: named } = written
    const headers = encodeHex(bytes.subarray(0, 42))
    expect(headers.slice(0, 28)).toBe('02005e00000c02005e00000a0800')
    // Version and header length, 30 octets in all, the identification.
    expect(headers.slice(28, 40)).toBe('4500001e1234')
    // Ports 50,001 and 20,000, ten octets.
    expect(headers.slice(68, 80)).toBe('c3514e20000a')
    expect(encodeHex(bytes.subarray(42, 44))).toBe('0564')
    expect([octets.buffer === bytes.buffer, octets.byteOffset - bytes.byteOffset]).toEqual([true, 42])
    expect(octets).toEqual(payload)
    expect(named).toEqual({ src: ends.client, dst: ends.server, flow: `${ends.client}-${ends.server}` })
  })

  it('shows the numbers of a shifted segment before the attacker, and smaller ones behind', () => {
    const context = contextOf()
    openConnection(context, newConnection(), context.startUs)
    const message = onConnection(context, 'server', 0, payload)
    const numbers = { identification: 1, sequence: 2, acknowledgment: 50 }
    const shifted = { ...clean(message), numbers, shift: { sequence: 4, acknowledgment: -1 } }
    const before = encodeFrame(context.world, shifted, 'before')
    const after = encodeFrame(context.world, shifted, 'after')
    expect(segmentOf(before.bytes)).toMatchObject({ sequence: 2, acknowledgment: 50, payload })
    expect(segmentOf(after.bytes)).toMatchObject({ sequence: 4_294_967_294, acknowledgment: 51, payload })
    expect(after.ends).toMatchObject({ src: ends.server, dst: ends.client })
    expect([after.octets, after.octets.byteOffset - after.bytes.byteOffset]).toEqual([payload, 54])
  })

  it('keeps the octets of an Ethernet frame, named by their addresses', () => {
    const context = contextOf()
    const frame = decodeHex('010ccd010001' + '02005e030001' + '88b8' + '0001')
    const message = datagram(context, 0, frame, { carrier: { kind: 'ethernet' } })
    const written = encodeFrame(context.world, { ...clean(message), ...numberFrame(context.world, message) }, 'after')
    const [src, dst] = ['02:00:5e:03:00:01', '01:0c:cd:01:00:01']
    expect(written.ends).toEqual({ src, dst, flow: `${src}-${dst}` })
    expect(written.bytes).toEqual(frame)
    expect(written.octets).toBe(written.bytes)
  })
})
