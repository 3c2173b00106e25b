/** The poll schedule: every station once in a scan, both ways, with counters that go on. */

import { describe, expect, it } from 'vitest'
import { findTelecontrol } from '#grid/engine.ts'
import type { LinkFrame } from '#grid/link/frame.ts'
import { decodeIec104 } from '#grid/protocols/iec104.ts'
import { decodeModbusRequest, decodeModbusResponse } from '#grid/protocols/modbus.ts'
import { openFrame } from '#test/support/attack-session.ts'
import { runSteps, type Stretch, startWorld } from '#test/support/grid-session.ts'

const scans = 5
const session = runSteps(startWorld(), 20 * scans)
const plan = findTelecontrol(session.world)

/** The TCP segments between the control centre and a station. */
function segments({ frames }: Stretch, ip: string) {
  return frames
    .filter(({ src, dst }) => src.startsWith(`${ip}:`) || dst.startsWith(`${ip}:`))
    .map((frame) => ({ frame, link: openFrame(frame) }))
    .flatMap(({ frame, link }) => (link.carrier === 'tcp' ? [{ frame, link }] : []))
}

type TcpLink = Extract<LinkFrame, { carrier: 'tcp' }>

describe('the poll schedule', () => {
  it.each(plan.outstations)('polls $node once in every scan, within the scan', ({ node }) => {
    const world = startWorld()
    for (let scan = 0; scan < 3; scan++) {
      const { frames } = runSteps(world, 20)
      const begun = (frames[0]?.timeUs ?? 0) - ((frames[0]?.timeUs ?? 0) % 2_000_000)
      const heard = world.view.heardUs[node] ?? 0
      expect(heard).toBeGreaterThan(begun)
      expect(heard).toBeLessThan(begun + 2_000_000)
    }
  })

  it('follows the interval of the configuration', () => {
    const world = startWorld({ scan_s: 5 })
    const { incidents } = runSteps(world, 100)
    const asked = incidents.filter(
      ({ protocol, src_node, dst_node }) => protocol === 'Modbus' && src_node === 'CC' && dst_node === 'RTU-12',
    )
    const gap = (asked.at(-1)?.timestamp ?? 0) - (asked[0]?.timestamp ?? 0)
    expect(gap).toBeCloseTo(5, 1)
  })

  it('begins each connection with a handshake and never opens a second one', () => {
    for (const { host } of plan.outstations) {
      const opening = segments(session, host.ip).filter(({ link }) => link.segment.control.includes('syn'))
      expect(opening).toHaveLength(2)
    }
  })

  it('numbers every octet of every connection without hole or overlap, and acknowledges what was sent', () => {
    for (const { host } of plan.outstations) {
      const next = new Map<string, number>()
      for (const { link, frame } of segments(session, host.ip)) {
        const length = link.payload.length + (link.segment.control.includes('syn') ? 1 : 0)
        expect(next.get(frame.src) ?? link.segment.sequence).toBe(link.segment.sequence)
        next.set(frame.src, (link.segment.sequence + length) % 2 ** 32)
        if (link.segment.control.includes('ack')) expect(link.segment.acknowledgment).toBe(next.get(frame.dst))
      }
    }
  })

  it('raises the IP identification of a host by one with every datagram, which may leave the path in another order', () => {
    const last = new Map<string, number>()
    const taken = new Map<string, number[]>()
    for (const frame of session.frames) {
      const link: LinkFrame = openFrame(frame)
      if (link.carrier !== 'tcp' && link.carrier !== 'udp') continue
      const before = last.get(link.source) ?? link.identification
      last.set(link.source, link.identification)
      const number = link.identification + (before - link.identification > 30_000 ? 65_535 : 0)
      expect(Math.abs(number - before)).toBeLessThan(8)
      taken.set(link.source, [...(taken.get(link.source) ?? []), number])
    }
    expect(taken.size).toBeGreaterThan(15)
    for (const numbers of taken.values()) {
      const first = Math.min(...numbers)
      expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, at) => first + at))
    }
  })
})

/** Messages with octets, in order, as one flow of a station saw them. */
function messages(node: string): readonly { readonly link: TcpLink; readonly isFromMaster: boolean }[] {
  const host = plan.outstations.find((one) => one.node === node)?.host
  return segments(session, host?.ip ?? '')
    .filter(({ link }) => link.payload.length > 0)
    .map(({ link }) => ({ link, isFromMaster: link.destination === host?.ip }))
}

describe('Modbus stations', () => {
  it('answer each request with its transaction before the next is asked; transactions count up', () => {
    const told = messages('RTU-3').map(({ link, isFromMaster }) => {
      const decoded = isFromMaster ? decodeModbusRequest(link.payload) : decodeModbusResponse(link.payload)
      return decoded.ok
        ? `${isFromMaster ? '>' : '<'} ${decoded.value.pdu.kind} ${decoded.value.transactionId}`
        : 'broken'
    })
    const wanted = Array.from({ length: scans }, (_, scan) =>
      [
        ['read_discrete_inputs', scan * 2 + 1],
        ['read_input_registers', scan * 2 + 2],
      ].flatMap(([kind, id]) => [`> ${kind} ${id}`, `< ${kind} ${id}`]),
    ).flat()
    expect(told).toEqual(wanted)
  })
})

describe('IEC 104 stations', () => {
  it('start, are interrogated once, and report by themselves; N(S) and N(R) of both ends go on', () => {
    const sent = { true: 0, false: 0 }
    for (const { link, isFromMaster } of messages('RTU-1')) {
      const decoded = decodeIec104(link.payload)
      if (!decoded.ok) throw new Error(decoded.fault.message)
      if (decoded.value.format === 'U') continue
      expect(decoded.value.receiveSequence).toBeLessThanOrEqual(sent[`${!isFromMaster}`])
      if (decoded.value.format === 'S') continue
      expect(decoded.value.sendSequence).toBe(sent[`${isFromMaster}`])
      sent[`${isFromMaster}`] += 1
    }
    // An interrogation, a clock and counters; four, one and three answers to them, and two reports in each later scan.
    expect(sent).toEqual({ true: 3, false: 4 + 1 + 3 + 2 * (scans - 1) })
  })
})
