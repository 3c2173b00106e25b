/** Frames of messages: the numbers that each takes, and the octets before and behind an attacker. */

import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { decodeFrame } from '#grid/link/frame.ts'
import { openConnection } from '#grid/step/connections.ts'
import { frameOf, noteLength, numberFrame, renumberFrame } from '#grid/step/message-frame.ts'
import { contextOf, datagram, far, near, newConnection, onConnection } from '../../support/grid-context.ts'
import { mustDecode } from '../../support/must.ts'

const payload = decodeHex('0564')

/** A step with one open connection, its first numbers 1,001 and 4,294,967,291. */
function opened() {
  const context = contextOf()
  const connection = newConnection()
  openConnection(context, connection, context.startUs)
  return { context, connection }
}

/** The TCP segment of a frame. */
function segmentOf(bytes: Uint8Array) {
  const frame = mustDecode(decodeFrame(bytes))
  if (frame.carrier !== 'tcp') throw new Error(`${frame.carrier} is not tcp`)
  return frame.segment
}

describe('numberFrame()', () => {
  it('takes the next IP identification of its sender for each datagram', () => {
    const context = contextOf()
    const back = datagram(context, 0, payload, { carrier: { kind: 'udp', from: far, to: near } })
    const sent = [datagram(context, 0, payload), datagram(context, 1, payload), back]
    const taken = sent.map((message) => numberFrame(context, message).numbers)
    const first = taken[0]?.identification ?? Number.NaN
    expect(taken[1]).toEqual({ identification: (first + 1) % 65_536, sequence: 0, acknowledgment: 0 })
    expect(Object.keys(context.world.hosts).sort()).toEqual([near.ip, far.ip].sort())
  })

  it('takes as many sequence numbers of a connection as the message has octets, modulo 2^32', () => {
    const { context } = opened()
    const long = new Uint8Array(10)
    const numbers = [
      numberFrame(context, onConnection(context, 'client', 0, payload)),
      numberFrame(context, onConnection(context, 'server', 1, long)),
      numberFrame(context, onConnection(context, 'server', 2, payload)),
    ]
    expect(numbers).toMatchObject([
      { numbers: { sequence: 1_001, acknowledgment: 4_294_967_291 } },
      { numbers: { sequence: 4_294_967_291, acknowledgment: 1_003 } },
      { numbers: { sequence: 5, acknowledgment: 1_003 } },
    ])
  })

  it('takes none for an Ethernet frame', () => {
    const { context } = opened()
    const before = structuredClone(context.world)
    const frame = datagram(context, 0, payload, { carrier: { kind: 'ethernet' } })
    expect(numberFrame(context, frame)).toEqual({
      numbers: { identification: 0, sequence: 0, acknowledgment: 0 },
    })
    expect(context.world).toEqual(before)
  })

  it('throws for a connection that is not there', () => {
    const context = contextOf()
    expect(() => numberFrame(context, onConnection(context, 'client', 0, payload))).toThrow(
      'no connection a-b#1',
    )
  })
})

describe('renumberFrame()', () => {
  it('keeps the sequence number of a segment, with a new identification and the present acknowledgment', () => {
    const { context, connection } = opened()
    const first = numberFrame(context, onConnection(context, 'client', 0, payload)).numbers
    numberFrame(context, onConnection(context, 'server', 1, payload))
    const flow = connection.flow
    const again = renumberFrame(context, connection, 'client', first.sequence, undefined)
    expect(again).toEqual({
      numbers: {
        identification: (first.identification + 1) % 65_536,
        sequence: first.sequence,
        acknowledgment: 4_294_967_293,
      },
    })
    expect(connection.flow).toBe(flow)
    const shift = { sequence: 1, acknowledgment: 0 }
    expect(renumberFrame(context, connection, 'client', 7, shift)).toMatchObject({ shift })
    expect(renumberFrame(context, connection, 'client', 7, shift).numbers.identification).toBe(
      (first.identification + 3) % 65_536,
    )
  })
})

describe('noteLength()', () => {
  it('adds up the octets that an attacker took from each side, and shifts later numbers by them', () => {
    const { context, connection } = opened()
    const message = onConnection(context, 'client', 0, new Uint8Array(10))
    noteLength(context, message, new Uint8Array(7))
    noteLength(context, message, new Uint8Array(12))
    noteLength(context, onConnection(context, 'server', 0, payload), new Uint8Array(0))
    expect(connection.flow.removed).toEqual({ client: 1, server: 2 })
    expect(numberFrame(context, message).shift).toEqual({ sequence: 1, acknowledgment: -2 })
    expect(numberFrame(context, onConnection(context, 'server', 0, payload)).shift).toEqual({
      sequence: 2,
      acknowledgment: -1,
    })
  })

  it('notes nothing for a message of the same length, nor for a datagram', () => {
    const { context, connection } = opened()
    noteLength(context, onConnection(context, 'client', 0, payload), new Uint8Array(2))
    noteLength(context, datagram(context, 0, payload), new Uint8Array(1))
    expect(connection.flow.removed).toBeUndefined()
  })
})

describe('frameOf()', () => {
  const ends = { client: `${near.ip}:${near.port}`, server: `${far.ip}:${far.port}` }

  it('writes a datagram behind 42 octets of headers (RFC 894, 791 and 768)', () => {
    const context = contextOf()
    const numbers = { identification: 0x1234, sequence: 0, acknowledgment: 0 }
    const {
      bytes,
      octets,
      ends: named,
    } = frameOf(context, datagram(context, 0, payload), payload, { numbers }, 'after')
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
    const { context } = opened()
    const message = onConnection(context, 'server', 0, payload)
    const numbers = { identification: 1, sequence: 2, acknowledgment: 50 }
    const shifted = { numbers, shift: { sequence: 4, acknowledgment: -1 } }
    const before = frameOf(context, message, payload, shifted, 'before')
    const after = frameOf(context, message, payload, shifted, 'after')
    expect(segmentOf(before.bytes)).toMatchObject({ sequence: 2, acknowledgment: 50, payload })
    expect(segmentOf(after.bytes)).toMatchObject({ sequence: 4_294_967_294, acknowledgment: 51, payload })
    expect(after.ends).toMatchObject({ src: ends.server, dst: ends.client })
    expect([after.octets, after.octets.byteOffset - after.bytes.byteOffset]).toEqual([payload, 54])
  })

  it('keeps the octets of an Ethernet frame, named by their addresses', () => {
    const context = contextOf()
    const frame = decodeHex('010ccd010001' + '02005e030001' + '88b8' + '0001')
    const message = datagram(context, 0, frame, { carrier: { kind: 'ethernet' } })
    const written = frameOf(context, message, frame, numberFrame(context, message), 'after')
    const [src, dst] = ['02:00:5e:03:00:01', '01:0c:cd:01:00:01']
    expect(written.ends).toEqual({ src, dst, flow: `${src}-${dst}` })
    expect(written.bytes).toEqual(frame)
    expect(written.octets).toBe(written.bytes)
  })
})
