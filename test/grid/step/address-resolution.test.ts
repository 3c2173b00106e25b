/** Address resolution in captures: before the first frame between two hosts, and again when an address has aged. */

import { describe, expect, it } from 'vitest'
import { decodeArp } from '#grid/link/arp.ts'
import { decodeEthernet } from '#grid/link/ethernet.ts'
import { findStack } from '#grid/link/ip-stack.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import type { PacketRecord } from '#grid/types.ts'
import { contextOf } from '../../support/grid-context.ts'
import { enable, runSteps, startTime, startWorld } from '../../support/grid-session.ts'
import { mustDecode } from '../../support/must.ts'

/** Every packet of address resolution in a capture, with its frame. */
function listArp(frames: readonly PacketRecord[]) {
  return frames
    .filter(({ protocol }) => protocol === 'ARP')
    .map((frame) => ({ frame, arp: mustDecode(decodeArp(mustDecode(decodeEthernet(frame.bytes)).payload)) }))
}

const hostOf = (end: string) => end.slice(0, end.lastIndexOf(':'))

const { frames, incidents } = runSteps(startWorld(), 4_000)
const packets = listArp(frames)

describe('resolveAddresses()', () => {
  it('lets no host send to another whose hardware address it has not learned before', () => {
    const known = new Set<string>()
    const [strangers, sent]: [string[], string[]] = [[], []]
    for (const frame of frames) {
      if (frame.protocol === 'ARP') {
        const [{ arp } = expect.fail()] = listArp([frame])
        known.add(`${arp.targetIp} ${arp.senderIp}`)
      } else if (frame.src.includes('.')) {
        const pair = `${hostOf(frame.src)} ${hostOf(frame.dst)}`
        sent.push(pair)
        if (!known.has(pair)) strangers.push(pair)
      }
    }
    expect(strangers).toEqual([])
    expect(sent.length).toBeGreaterThan(10_000)
  })

  it('asks everyone for an unknown address and one host for one that aged, and each request has its reply', () => {
    const asked = new Set<string>()
    for (const [at, { arp, frame }] of packets.entries()) {
      if (arp.operation === 'reply') continue
      const pair = [arp.senderIp, arp.targetIp].sort().join()
      expect(frame.dst === 'ff:ff:ff:ff:ff:ff').toBe(!asked.has(pair))
      asked.add(pair)
      const reply = packets.slice(at).find((one) => one.arp.operation === 'reply' && one.frame.flow === frame.flow)
      expect(reply?.arp).toMatchObject({ senderIp: arp.targetIp, targetIp: arp.senderIp, targetMac: arp.senderMac })
      const waitUs = (reply?.frame.timeUs ?? 0) - frame.timeUs
      expect(waitUs > 0 && waitUs < 500).toBe(true)
    }
    const { outstations, pmus, ieds } = contextOf().plan
    // The centre with its outstations and, for the time, the relays and the concentrator, which has the units.
    expect(asked.size).toBe(outstations.length + ieds.length + 1 + pmus.length)
  })

  it('asks again as old as the stack of the host lets an address become, which TCP keeps where the stack counts it', () => {
    const last = new Map<string, number>()
    let again = 0
    for (const { arp, frame } of packets) {
      if (arp.operation === 'reply') continue
      const pair = `${arp.senderIp} ${arp.targetIp}`
      const { ageS, areConfirmed } = findStack({ seed: 1 }, arp.senderIp).addresses
      const before = last.get([arp.targetIp, arp.senderIp].join(' ')) ?? 0
      const ageUs = frame.timeUs - Math.max(last.get(pair) ?? 0, before)
      if (last.has(pair)) {
        again++
        expect(ageUs).toBeGreaterThan(ageS[0] * 1e6 - 2_000)
        // A poll comes each two seconds, but a request for the time minutes later.
        if (/\.[12]\.\d+/.test(pair)) expect(ageUs).toBeLessThan((ageS[1] + 3) * 1e6)
        expect(areConfirmed && arp.senderIp.startsWith('10.20.1.')).toBe(false)
      }
      last.set(pair, frame.timeUs)
    }
    expect(again).toBeGreaterThan(10)
  })

  it('is clean, and neither an incident nor a packet of the records', () => {
    expect(packets.every(({ frame }) => frame.status === 'clean' && frame.label === null)).toBe(true)
    expect(incidents.some(({ protocol }) => protocol === 'ARP')).toBe(false)
  })

  it('belongs to the attack where its host asks or is asked', () => {
    const world = startWorld()
    enable(world, 'MODBUS_CMD_INJECT')
    const found = listArp(runSteps(world, 30).frames).filter(({ frame }) => frame.status !== 'clean')
    expect(found.map(({ arp }) => arp.operation)).toEqual(['request', 'reply'])
    for (const { frame } of found) {
      expect(frame.label).toMatchObject({ attack_type: 'MODBUS_CMD_INJECT' })
      expect(frame.label?.evidence).toBeUndefined()
    }
  })

  it('does not age addresses while nothing is computed', () => {
    const world = startWorld()
    runSteps(world, 30)
    const timeUs = (startTime + 3_600) * 1e6
    applyCommand(world, { kind: 'clock', step: world.step, timeUs, reason: 'resume' })
    const asked = listArp(runSteps(world, 30).frames).filter(
      ({ arp }) => !`${arp.senderIp} ${arp.targetIp}`.includes('.3.'),
    )
    expect(asked).toEqual([])
  })
})
