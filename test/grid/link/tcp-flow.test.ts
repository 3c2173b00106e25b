/** TCP connections as captures show them: handshake, numbers of segments, teardown. */

import { describe, expect, it } from 'vitest'
import { decodeFrame } from '#grid/link/frame.ts'
import type { Hosts } from '#grid/link/ip-stack.ts'
import { closeTcp, connectTcp, type FlowStep, newTcpFlow, resetTcp, retakeNumbers } from '#grid/link/tcp-flow.ts'
import { newHosts, sendSegment } from '../../support/grid-frames.ts'

const client = { mac: '02:00:5e:00:00:0a', ip: '10.20.1.10', port: 50_001 }
const server = { mac: '02:00:5e:00:00:0b', ip: '10.20.2.11', port: 502 }
const fresh = newTcpFlow(client, server, { client: 4_294_967_290, server: 5000 })

/** Each frame in short: its sender, control bits, numbers and length. */
function summary(step: FlowStep): string[] {
  return step.frames.map(({ from, bytes }) => {
    const outcome = decodeFrame(bytes)
    if (!outcome.ok || outcome.value.carrier !== 'tcp') throw new Error('expected a TCP frame')
    const { segment, identification } = outcome.value
    const { control, sequence, acknowledgment, payload } = segment
    return `${from} ${control.join('+')} ${sequence} ${acknowledgment} ${payload.length} #${identification}`
  })
}

/** Hosts whose last identifications are known. */
function hostsWith(ofClient: number, ofServer: number): Hosts {
  return { seed: 1, identifications: { [client.ip]: ofClient, [server.ip]: ofServer } }
}

describe('connectTcp()', () => {
  it('shakes hands with numbers modulo 2^32 and one identification counter per host', () => {
    expect(summary(connectTcp(fresh, hostsWith(65_535, 65_535)))).toEqual([
      'client syn 4294967290 0 0 #1',
      'server ack+syn 5000 4294967291 0 #1',
      'client ack 4294967291 5001 0 #2',
    ])
  })

  it('refuses a connection that is open', () => {
    const hosts = hostsWith(0, 0)
    const { flow } = connectTcp(fresh, hosts)
    expect(() => connectTcp(flow, hosts)).toThrow(/it is established, expected closed/)
  })
})

describe('takeNumbers()', () => {
  const hosts = hostsWith(0, 0)
  const open = connectTcp(fresh, hosts)

  it('refuses a connection that is not open', () => {
    expect(() => sendSegment(fresh, 'client', new Uint8Array(1), hosts)).toThrow(/it is closed, expected established/)
  })

  it('continues from its state after a trip through JSON', () => {
    const stored: typeof open.flow = JSON.parse(JSON.stringify(open.flow))
    const [here, there] = [open.flow, stored].map((flow) => sendSegment(flow, 'server', new Uint8Array(9), newHosts()))
    expect(there).toEqual(here)
  })
})

describe('retakeNumbers()', () => {
  it('keeps the sequence number of a segment, with a new identification and the present acknowledgment', () => {
    const hosts = hostsWith(0, 0)
    const first = sendSegment(connectTcp(fresh, hosts).flow, 'client', new Uint8Array(2), hosts)
    const { flow } = sendSegment(first.flow, 'server', new Uint8Array(9), hosts)
    const numbers = { identification: 4, sequence: 4_294_967_291, acknowledgment: 5010 }
    expect(retakeNumbers(flow, 'client', 4_294_967_291, hosts)).toEqual(numbers)
    expect(retakeNumbers(flow, 'client', 7, hosts)).toEqual({ ...numbers, identification: 5, sequence: 7 })
  })
})

describe('closeTcp()', () => {
  it('takes leave in both directions', () => {
    const hosts = hostsWith(0, 0)
    const open = connectTcp(fresh, hosts)
    const step = closeTcp(open.flow, 'client', hosts)
    expect(summary(step)).toEqual([
      'client ack+fin 4294967291 5001 0 #3',
      'server ack+fin 5001 4294967292 0 #2',
      'client ack 4294967292 5002 0 #4',
    ])
    expect(step.flow.phase).toBe('finished')
  })
})

describe('resetTcp()', () => {
  it('ends a connection at once', () => {
    const hosts = hostsWith(0, 0)
    const open = connectTcp(fresh, hosts)
    const step = resetTcp(open.flow, 'server', hosts)
    expect(summary(step)).toEqual(['server ack+rst 5001 4294967291 0 #2'])
    expect(step.flow.phase).toBe('finished')
  })
})
