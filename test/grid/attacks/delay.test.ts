/** DELAY: the same octets, later, in the same order, all of them. */

import { describe, expect, it } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import { fromC37118Time } from '#grid/protocols/c37118.ts'
import { techniqueOf } from '../../support/attack-catalogue.ts'
import {
  alarmNames,
  disableAll,
  duel,
  handled,
  incidentOf,
  measurementOf,
  payloadOf,
} from '../../support/attack-session.ts'
import { calmStretch, changesIn, enable, runSteps } from '../../support/grid-session.ts'

const site = '10.20.2.1:4713'

describe('DELAY', () => {
  it('lets every frame go with its own octets, later by the delay, and labels both sightings without a change', () => {
    const { attacked, attackId } = duel('DELAY', { delay_ms: 350 })
    const arrived = handled(attacked).filter(({ after }) => after !== undefined)
    expect(arrived.length).toBeGreaterThan(100)
    for (const { before, after } of arrived) {
      if (after === undefined) continue
      expect(encodeHex(payloadOf(after))).toBe(encodeHex(payloadOf(before)))
      expect(Math.abs(after.timeUs - before.timeUs - 350_000)).toBeLessThan(50)
      expect(after.latencyMs).toBe(350)
      const label = { attack_id: attackId, attack_type: 'DELAY', technique: techniqueOf('DELAY') }
      expect([before.label, after.label]).toMatchObject([label, label])
      expect([before, after].flatMap(changesIn)).toEqual([])
      expect(incidentOf(attacked, before)).toBeUndefined()
      expect(incidentOf(attacked, after)).toMatchObject({
        status: 'attacked',
        severity: 'HIGH',
        description: 'Delayed by 350.0 ms',
        attack_id: attackId,
      })
    }
  })

  it('keeps the order of a stream under any jitter, and the time of measurement in the stamp', () => {
    const { attacked } = duel('DELAY', { delay_ms: 10, jitter_ms: 1000 }, { steps: 100 })
    const stream = attacked.frames.filter(({ src, tap, label }) => src === site && tap === 'after' && label !== null)
    const stamps = stream.map((frame) => fromC37118Time(measurementOf(attacked.world, frame).time))
    expect(stamps).toEqual([...stamps].sort((a, b) => a - b))
    const late = stream.map(({ timeUs }, index) => (timeUs - (stamps[index] ?? 0)) / 1000)
    expect(Math.min(...late)).toBeGreaterThanOrEqual(10)
    expect(Math.max(...late)).toBeGreaterThan(200)
  })

  it('lets what it holds arrive after it was disabled, still in its name; nothing is lost', () => {
    const { attacked, twin, attackId } = duel('DELAY', { delay_ms: 1500 }, { steps: 30 })
    // The unit over TCP has sent some again by then.
    const held = attacked.world.held.filter(({ isAgain }) => isAgain !== true).length
    // Seven frames of each of the four streams were sent in the last second and a half.
    expect(held).toBe(4 * 7)
    disableAll(attacked.world)
    const rest = runSteps(attacked.world, 30)
    const late = rest.incidents.filter(({ status }) => status === 'attacked')
    expect(late).toHaveLength(held)
    expect(new Set(late.map(({ attack_id, technique }) => `${attack_id} ${technique?.id}`))).toEqual(
      new Set([`${attackId} T0830`]),
    )
    const measuredIn = ({ frames }: Pick<typeof rest, 'frames'>) =>
      frames
        .filter(({ src, tap, payloadLength }) => src === site && tap === 'after' && payloadLength > 0)
        .map(payloadOf)
        .map(encodeHex)
        .sort()
    const twinRest = runSteps(twin.world, 30)
    expect(measuredIn({ frames: [...attacked.frames, ...rest.frames] })).toEqual(
      measuredIn({ frames: [...twin.frames, ...twinRest.frames] }),
    )
  })

  it('of 0 ms raises no alarm; from the limit on every unit is late', () => {
    const none = duel('DELAY', { delay_ms: 0 })
    expect(alarmNames(none.alarms)).toEqual([])
    expect(alarmNames(duel('DELAY', { delay_ms: 60 }).alarms)).toEqual([
      'late PMU-1',
      'late PMU-2',
      'late PMU-3',
      'late PMU-4',
    ])
  })

  it.each([['DELAY', 'MALFORMED'] as const, ['MALFORMED', 'DELAY'] as const])(
    '%s with %s: a broken frame is held in its place, is invalid, and its receiver says so',
    (first, second) => {
      const { world } = calmStretch(40)
      const params = { DELAY: { delay_ms: 450 }, MALFORMED: { protocol: 'C37.118', kind: 'bad_crc', rate_percent: 30 } }
      enable(world, first, params[first])
      enable(world, second, params[second])
      const { incidents, frames, outputs } = runSteps(world, 60)
      const broken = incidents.filter(({ protocol, status }) => protocol === 'C37.118' && status === 'invalid')
      expect(broken.length).toBeGreaterThan(30)
      expect(new Set(broken.map(({ severity }) => severity))).toEqual(new Set(['LOW']))
      const late = outputs.flatMap(({ packets }) => packets).filter(({ status }) => status === 'invalid')
      // The unit over TCP waits for the repetition of what came before.
      expect(Math.min(...late.map(({ latency_ms }) => latency_ms ?? 0))).toBe(450)
      const stamps = frames
        .filter(({ src, tap, label }) => src === site && tap === 'after' && label !== null)
        .map(payloadOf)
        .map((octets) => new DataView(octets.buffer, octets.byteOffset + 6, 8).getBigUint64(0))
      expect(stamps).toEqual(stamps.toSorted((one, other) => Number(one - other)))
      expect(world.view.alarms.map(({ detector, where }) => `${detector} ${where}`)).toContain('malformed PMU-1--PDC')
    },
  )
})
