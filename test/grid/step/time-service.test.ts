/** Requests for the time in captures: who asks whom, how long clients wait, and what the server answers. */

import { describe, expect, it } from 'vitest'
import { findStack } from '#grid/link/ip-stack.ts'
import { decodeNtp, noNtpTime, toNtpTime } from '#grid/protocols/ntp.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import type { PacketRecord } from '#grid/types.ts'
import { contextOf } from '../../support/grid-context.ts'
import { runSteps, startTime, startWorld } from '../../support/grid-session.ts'
import { mustDecode } from '../../support/must.ts'

/** Every packet in a capture with its frame; the payload of a datagram begins at octet 42. */
function listNtp(frames: readonly PacketRecord[]) {
  return frames
    .filter(({ protocol }) => protocol === 'NTP')
    .map((frame) => ({ frame, packet: mustDecode(decodeNtp(frame.bytes.subarray(42, 90))) }))
}

const { frames, incidents } = runSteps(startWorld(), 6_000)
const packets = listNtp(frames)
const requests = packets.filter(({ packet }) => packet.mode === 'client')

describe('serveTime()', () => {
  it('lets each host ask whose clock no master and no receiver sets, for the first time within 64 s', () => {
    const { plan } = contextOf()
    const modbus = plan.outstations.filter(({ protocol }) => protocol === 'Modbus')
    const clients = [plan.pdc, ...[...plan.ieds, ...modbus].map(({ host }) => host)].map(({ ip }) => `${ip}:123`)
    expect([...new Set(requests.map(({ frame }) => frame.src))].sort()).toEqual(clients.sort())
    for (const client of clients) {
      const first = requests.find(({ frame }) => frame.src === client)
      expect((first?.frame.timeUs ?? 0) - startTime * 1e6).toBeLessThan(64.1e6)
    }
    expect(requests.every(({ frame }) => frame.dst === '10.20.0.10:123')).toBe(true)
  })

  it('doubles the wait of a client up to the limit of its stack, within a sixteenth', () => {
    let judged = 0
    for (const client of new Set(requests.map(({ frame }) => frame.src))) {
      const all = requests.filter(({ frame }) => frame.src === client)
      const [least, most] = findStack({ seed: 1 }, client.slice(0, -4)).timePolls
      for (const [at, { frame, packet }] of all.entries()) {
        expect(packet.poll).toBe(Math.min(most, least + at))
        const next = all[at + 1]
        if (next === undefined) continue
        judged++
        const share = (next.frame.timeUs - frame.timeUs) / 1e6 / 2 ** packet.poll
        expect(Math.abs(share - 1)).toBeLessThan(0.064)
      }
    }
    expect(judged).toBeGreaterThan(20)
  })

  it('answers each request within a millisecond with its time, and the times at which it came and was answered', () => {
    expect(packets.length).toBe(2 * requests.length)
    for (const { frame, packet } of requests) {
      const reply = packets.find(
        (one) => one.packet.mode === 'server' && one.frame.dst === frame.src && one.frame.timeUs > frame.timeUs,
      )
      const waitUs = (reply?.frame.timeUs ?? 0) - frame.timeUs
      expect(waitUs > 90 && waitUs < 1_000).toBe(true)
      expect(reply?.frame.flow).toBe(frame.flow)
      expect(reply?.packet).toMatchObject({ stratum: 1, origin: packet.transmit, version: packet.version })
      const { receive = noNtpTime, transmit = noNtpTime } = reply?.packet ?? {}
      const seconds = ({ seconds, fraction }: typeof receive) => seconds + fraction / 2 ** 32
      // A path of up to 50 us to the tap.
      const seen = seconds(toNtpTime(frame.timeUs))
      expect(seconds(receive) > seen && seconds(receive) < seconds(transmit)).toBe(true)
      expect(Math.abs(seconds(packet.transmit) - seen)).toBeLessThan(0.0021)
    }
  })

  it('is clean, and neither an incident nor a packet of the records', () => {
    expect(packets.every(({ frame }) => frame.status === 'clean' && frame.label === null)).toBe(true)
    expect(incidents.some(({ protocol }) => protocol === 'NTP')).toBe(false)
  })

  it('waits on where the clock was stopped', () => {
    const world = startWorld()
    runSteps(world, 700)
    const before = structuredClone(world.clocks)
    applyCommand(world, { kind: 'clock', step: 700, timeUs: (startTime + 3_670) * 1e6, reason: 'resume' })
    for (const [ip, { dueUs }] of Object.entries(world.clocks)) {
      expect(dueUs - (before[ip]?.dueUs ?? 0)).toBeCloseTo(3_600e6, -1)
    }
  })
})
