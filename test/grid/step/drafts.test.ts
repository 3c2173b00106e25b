/** Drafts that become records: numbers, ids, times that never decrease, and the fields of an incident. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import { assignNumbers, type FrameDraft, type IncidentDraft, recordGap } from '#grid/step/drafts.ts'
import type { StepContext } from '#grid/step/step-context.ts'
import { contextOf } from '../../support/grid-context.ts'
import { startTime, startWorld } from '../../support/grid-session.ts'

const clean: IncidentDraft = { protocol: 'DNP3', status: 'clean', attackType: 'NONE', srcNode: 'CC', dstNode: 'RTU-2' }

/** A frame of three octets that carries a clean message, `afterUs` into the step. */
function draftAt({ startUs }: StepContext, afterUs: number, change: Partial<FrameDraft> = {}): FrameDraft {
  return {
    bytes: Uint8Array.of(1, 2, 3),
    src: '10.20.0.10:50001',
    dst: '10.20.1.2:20000',
    flow: '10.20.0.10:50001-10.20.1.2:20000',
    timeUs: startUs + afterUs,
    protocol: 'DNP3',
    status: 'clean',
    payloadLength: 2,
    latencyMs: 0,
    tap: 'after',
    label: null,
    isMessage: true,
    incident: clean,
    ...change,
  }
}

/** Numbers the drafts of a step. */
const number = ({ drafts, world, random }: StepContext) => assignNumbers(drafts, world, random('incident ids'))

/** The one incident of a step with one draft. */
function incidentOf(incident: Partial<IncidentDraft>, change: Partial<FrameDraft> = {}) {
  const context = contextOf()
  context.drafts.push(draftAt(context, 5, { ...change, incident: { ...clean, ...incident } }))
  return number(context).incidents[0]
}

describe('assignNumbers()', () => {
  it('counts frames on from the world, in the order of their times; equal times stay as recorded', () => {
    const world = startWorld()
    world.nextFrameNo = 41
    const context = contextOf(world)
    for (const [afterUs, octet] of [
      [300, 1],
      [100, 2],
      [300, 3],
      [200, 4],
    ] as const) {
      context.drafts.push(draftAt(context, afterUs, { bytes: Uint8Array.of(octet) }))
    }
    const { frames } = number(context)
    expect(frames.map(({ frameNo, bytes }) => [frameNo, bytes[0]])).toEqual([
      [41, 2],
      [42, 4],
      [43, 1],
      [44, 3],
    ])
    expect(world.nextFrameNo).toBe(45)
  })

  it('never lets the times of a capture decrease, over the end of a step either', () => {
    const steps = fc.array(fc.array(fc.nat(250_000), { maxLength: 5 }), { maxLength: 4 })
    fc.assert(
      fc.property(steps, (times) => {
        const world = startWorld()
        let last = 0
        for (const list of times) {
          const context = contextOf(world)
          context.drafts.push(...list.map((afterUs) => draftAt(context, afterUs)))
          for (const { timeUs } of number(context).frames) {
            expect(timeUs).toBeGreaterThanOrEqual(last)
            last = timeUs
          }
          expect(world.lastFrameUs).toBe(last)
          world.step += 1
        }
      }),
      { seed: 12, numRuns: 50 },
    )
  })

  it('moves a frame that is too early to the time of the last one, and its incident with it', () => {
    const world = startWorld()
    world.lastFrameUs = startTime * 1e6 + 700
    const context = contextOf(world)
    context.drafts.push(draftAt(context, 650))
    const { frames, incidents, packets } = number(context)
    expect(frames[0]?.timeUs).toBe(startTime * 1e6 + 700)
    expect([incidents[0]?.timestamp, packets[0]?.timestamp]).toEqual(Array(2).fill(startTime + 0.0007))
  })

  it('draws one id of eight hex digits for each incident, and none for frames without one', () => {
    const context = contextOf()
    context.drafts.push(
      draftAt(context, 100),
      draftAt(context, 200, { isMessage: false, incident: undefined }),
      draftAt(context, 300),
    )
    const ids = createRandom(context.world.configuration.seed, 'incident ids')
    const wanted = [ids.uint32(), ids.uint32()].map((number) => number.toString(16).padStart(8, '0'))
    const { frames, incidents, packets } = number(context)
    expect(incidents.map(({ id }) => id)).toEqual(wanted)
    expect(incidents.map(({ frame_no }) => frame_no)).toEqual([1, 3])
    expect(packets.map(({ frame_no }) => frame_no)).toEqual([1, 3])
    expect(frames).toHaveLength(3)
  })

  it('keeps a shift in the record of its frame, and no field where there is none', () => {
    const context = contextOf()
    const shift = { sequence: 4, acknowledgment: -2 }
    context.drafts.push(draftAt(context, 1, { shift }), draftAt(context, 2))
    const { frames } = number(context)
    expect(frames[0]?.shift).toEqual(shift)
    expect('shift' in (frames[1] ?? {})).toBe(false)
  })
})

describe('an incident', () => {
  it('of a clean message has these fields, in this order', () => {
    const incident = incidentOf({})
    expect(Object.entries(incident ?? {}).slice(1)).toEqual(
      Object.entries({
        timestamp: startTime + 5e-6,
        timestamp_iso: '2025-11-24T16:00:00.000005+00:00',
        protocol: 'DNP3',
        src_ip: '10.20.0.10',
        dst_ip: '10.20.1.2',
        attack_type: 'NONE',
        status: 'clean',
        severity: 'INFO',
        description: 'DNP3 clean packet',
        src_node: 'CC',
        dst_node: 'RTU-2',
        src_port: 50_001,
        dst_port: 20_000,
        frame_no: 1,
      }),
    )
  })

  it('of an attacked message has the attack, its technique, its evidence and its impact besides', () => {
    const technique = { id: 'T1', legacy_id: 'T0', name: 'One', tactic: 'impact' }
    const evidence = {
      reading: { protocol: 'DNP3' as const, isRequest: true },
      original: null,
      modified: Uint8Array.of(9),
    }
    const told = {
      status: 'attacked',
      attackType: 'ORDER',
      attackId: 'ORDER-3',
      technique,
      evidence,
      description: 'Opened',
      severity: 'CRITICAL',
      impact: { effects: [] },
    } as const
    const incident = incidentOf(told, { status: 'attacked' })
    expect(incident).toMatchObject({
      attack_type: 'ORDER',
      attack_id: 'ORDER-3',
      technique,
      description: 'Opened',
      severity: 'CRITICAL',
      impact: { effects: [] },
    })
    expect(incident?.evidence).toBe(evidence)
  })

  it.each([
    ['attacked', 'HIGH'],
    ['dropped', 'MEDIUM'],
    ['invalid', 'LOW'],
  ] as const)('that is %s is %s, and has a sentence where its attack gives none', (status, severity) => {
    const incident = incidentOf({ status, attackType: 'DROP', technique: null })
    expect(incident).toMatchObject({ severity, description: `DNP3 ${status} packet (DROP)` })
    expect('technique' in (incident ?? {})).toBe(false)
  })

  it('of a frame without IP has MAC addresses and no ports', () => {
    const incident = incidentOf({}, { src: '02:00:5e:03:00:01', dst: '01:0c:cd:01:00:01' })
    expect(incident).toMatchObject({ src_ip: '02:00:5e:03:00:01', dst_ip: '01:0c:cd:01:00:01' })
    expect(Object.keys(incident ?? {}).filter((name) => name.endsWith('_port'))).toEqual([])
  })
})

describe('recordGap()', () => {
  it('gives an incident without a frame, without ends and without a packet summary', () => {
    const context = contextOf()
    recordGap(context.drafts, 'Paused', context.startUs)
    const { frames, packets, incidents } = number(context)
    expect([frames, packets]).toEqual([[], []])
    expect(incidents).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{8}$/),
        timestamp: startTime,
        timestamp_iso: '2025-11-24T16:00:00.000000+00:00',
        protocol: 'SIM',
        attack_type: 'NONE',
        status: 'clean',
        severity: 'INFO',
        description: 'Paused',
      },
    ])
    expect(context.world.nextFrameNo).toBe(1)
  })
})
