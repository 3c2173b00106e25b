/** Counters, schedules and scenes of attacks. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import { count, countOutcome, isScheduled, openScene, passAttackers } from '#grid/channel/attackers.ts'
import { captureFrames } from '#grid/export/capture.ts'
import { listLabels } from '#grid/export/labels.ts'
import { decodeFrame } from '#grid/link/frame.ts'
import { openConnection } from '#grid/step/connections.ts'
import type { AttackState } from '#grid/step/world.ts'
import { contextOf, datagram, newConnection, onConnection } from '../../support/grid-context.ts'
import { enable, runSteps, startWorld } from '../../support/grid-session.ts'
import { must, mustDecode } from '../../support/must.ts'

const none = { total_packets: 0, modified_packets: 0, dropped_packets: 0 }

describe('count()', () => {
  it.each(['total_packets', 'modified_packets', 'dropped_packets'] as const)('adds one to %s only', (name) => {
    expect(count(none, name)).toEqual({ ...none, [name]: 1 })
    expect(none[name]).toBe(0)
  })
})

describe('countOutcome()', () => {
  it.each([
    ['clean', { total_packets: 1, modified_packets: 0, dropped_packets: 0 }],
    ['dropped', { total_packets: 1, modified_packets: 0, dropped_packets: 1 }],
    ['attacked', { total_packets: 1, modified_packets: 1, dropped_packets: 0 }],
    ['held', { total_packets: 1, modified_packets: 1, dropped_packets: 0 }],
    ['invalid', { total_packets: 1, modified_packets: 1, dropped_packets: 0 }],
    ['lost', { total_packets: 1, modified_packets: 0, dropped_packets: 0 }],
  ] as const)('counts a message that is %s', (outcome, totals) => {
    const world = { totals: none }
    countOutcome(world, outcome)
    expect(world.totals).toEqual(totals)
  })
})

describe('isScheduled()', () => {
  const scheduled = (start_frame: number, duration_frames: number) => {
    const schedule = { start_frame, duration_frames }
    const order = { attack_id: 'DROP-1', type: 'DROP', params: {}, schedule, target_link: null, seed: 0 }
    return [0, 1, 2, 3, 4, 1000].filter((seen) => isScheduled(order, seen))
  }

  it.each([
    [0, 0, [0, 1, 2, 3, 4, 1000]],
    [2, 0, [2, 3, 4, 1000]],
    [1, 2, [1, 2]],
    [3, 1, [3]],
  ])('from message %d for %d messages acts on %j', (start, duration, seen) => {
    expect(scheduled(start, duration)).toEqual(seen)
  })
})

describe('passAttackers()', () => {
  /** A world with DROP on all phasor streams, and a report of its first unit. */
  function dropping(params: Readonly<Record<string, unknown>> = {}) {
    const world = startWorld()
    enable(world, 'DROP', { drop_percent: 100, ...params })
    const context = contextOf(world)
    const { link } = must(context.plan.pmus[0])
    const message = datagram(context, 0, Uint8Array.of(1), { protocol: 'C37.118', link, purpose: 'reporting' })
    return { world, context, message }
  }

  it('counts each message of a targeted link, and drops those of the schedule', () => {
    const { world, context, message } = dropping({ schedule: { start_frame: 1, duration_frames: 2 } })
    const outcomes = [1, 2, 3, 4].map(() => passAttackers(context, message).outcome)
    expect(outcomes).toEqual(['clean', 'dropped', 'dropped', 'clean'])
    expect(world.attacks[0]?.counters).toEqual({ total_packets: 4, modified_packets: 0, dropped_packets: 2 })
  })

  it('does not touch messages of another protocol, nor those that an attack forged', () => {
    const { world, context, message } = dropping()
    expect(passAttackers(context, { ...message, protocol: 'DNP3' }).outcome).toBe('clean')
    const forged = { attackId: 'OTHER-9', description: 'Forged' }
    expect(passAttackers(context, { ...message, forged })).toMatchObject({ outcome: 'clean', payload: message.payload })
    expect(world.attacks[0]?.counters).toEqual(none)
  })

  it('counts what an attack forges as modified by it', () => {
    const { world, context, message } = dropping()
    const forged = { attackId: must(world.attacks[0]).order.attack_id, description: 'Forged command' }
    expect(passAttackers(context, { ...message, forged })).toMatchObject({
      outcome: 'attacked',
      description: 'Forged command',
      attack: { order: { type: 'DROP' } },
    })
    expect(world.attacks[0]?.counters).toEqual({ ...none, total_packets: 1, modified_packets: 1 })
  })

  it("counts an answer on an attacker's connection as modified by the attack, and names its sender", () => {
    const { world, context } = dropping()
    const label = { attack_id: 'DROP-1', attack_type: 'DROP', technique: null, changes: [] }
    openConnection(context, newConnection(label), context.startUs)
    const answer = onConnection(context, 'server', 9, Uint8Array.of(1))
    expect(passAttackers(context, answer)).toMatchObject({
      outcome: 'attacked',
      description: 'answer of A to DROP',
      attack: { order: { attack_id: 'DROP-1' } },
    })
    expect(world.attacks[0]?.counters).toEqual({ ...none, total_packets: 1, modified_packets: 1 })
  })
})

/** An attack of which only the schedule matters. */
function scheduled(start_frame: number, duration_frames: number): AttackState['order'] {
  const schedule = { start_frame, duration_frames }
  return { attack_id: 'X-1', type: 'X', params: {}, schedule, target_link: null, seed: 0 }
}

describe('isScheduled() over many frames', () => {
  it('is true for exactly so many frames from the first on, and without an end for a duration of 0', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.nat(50), (start, duration) => {
        const frames = Array.from({ length: 120 }, (_, seen) => isScheduled(scheduled(start, duration), seen))
        expect(frames.indexOf(true)).toBe(start)
        expect(frames.lastIndexOf(true)).toBe(duration === 0 ? 119 : start + duration - 1)
        expect(frames.filter(Boolean)).toHaveLength(duration === 0 ? 120 - start : duration)
      }),
      { seed: 63 },
    )
  })
})

describe('openScene()', () => {
  const state = (seed: number): AttackState => ({
    order: { ...scheduled(4, 0), seed },
    sinceUs: 0,
    seen: { 'a-b': 9 },
    counters: { total_packets: 0, modified_packets: 0, dropped_packets: 0 },
    memory: {},
  })

  it('counts frames from the beginning of the schedule, for each link', () => {
    const context = contextOf()
    expect(openScene(context, state(1), 'a-b').frame).toBe(5)
    expect(openScene(context, state(1), 'b-c').frame).toBe(-4)
  })

  it('draws from a stream that depends only on the seed', () => {
    const draw = (seed: number) => {
      const scene = openScene(contextOf(), state(seed), 'a-b')
      return [scene.random(), scene.normal(), scene.random()]
    }
    expect(draw(1)).toEqual(draw(1))
    expect(draw(1)).not.toEqual(draw(2))
  })
})

describe('passPath()', () => {
  const { frames, incidents, world } = runSteps(startWorld({ loss: 0.01 }), 1_500)
  const lost = frames.filter(({ tap }) => tap === 'before')
  const segmentOf = ({ bytes }: (typeof frames)[number]) => {
    const link = mustDecode(decodeFrame(bytes))
    return link.carrier === 'tcp' ? `${link.segment.sequence} ${encodeHex(link.payload)}` : undefined
  }

  it('loses nothing, and takes no random number for it, where the session does not say so', () => {
    const clean = runSteps(startWorld(), 50)
    expect(clean.frames.every(({ tap }) => tap === 'after')).toBe(true)
    expect(clean.world.random).not.toHaveProperty('loss')
  })

  it('loses the share of the session, without a sign of an attack', () => {
    const messages = frames.filter(({ src, protocol }) => src.includes('.') && !['TCP', 'NTP'].includes(protocol))
    expect(Math.abs(lost.length / messages.length - 0.01)).toBeLessThan(0.004)
    expect(lost.every(({ status, label }) => status === 'clean' && label === null)).toBe(true)
    expect(incidents.every(({ status, attack_type }) => status === 'clean' && attack_type === 'NONE')).toBe(true)
    expect(world.totals).toMatchObject({ modified_packets: 0, dropped_packets: 0 })
  })

  it('lets TCP send a lost segment again, once, and a datagram never', () => {
    const sent = { tcp: 0, udp: 0 }
    for (const one of lost) {
      const segment = segmentOf(one)
      const again = frames
        .filter((two) => two.tap === 'after' && two.bytes.length === one.bytes.length)
        .filter((two) => two.src === one.src && two.dst === one.dst && segmentOf(two) === segment)
      sent[segment === undefined ? 'udp' : 'tcp'] += 1
      if (segment === undefined) continue
      expect(again.length).toBe(1)
      const waitUs = must(again[0]).timeUs - one.timeUs
      expect(waitUs > 0 && waitUs < 3_000_000).toBe(true)
    }
    expect(Math.min(sent.tcp, sent.udp)).toBeGreaterThan(3)
  })

  it('has one line of labels for each frame, NONE, on the side of the sender for a lost one', () => {
    const lines = [...listLabels(captureFrames(frames, new Map()), null)]
    expect(lines.map(({ frame_no }) => frame_no)).toEqual(frames.map(({ frameNo }) => frameNo))
    expect(new Set(lines.map(({ label }) => label))).toEqual(new Set(['NONE']))
    const numbers = lost.map(({ frameNo }) => frameNo)
    for (const { frame_no, tap, pcap_frame } of lines) {
      expect([tap, pcap_frame === null]).toEqual(numbers.includes(frame_no) ? ['before', true] : ['after', false])
    }
  })
})
