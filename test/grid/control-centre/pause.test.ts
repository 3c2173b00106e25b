/** Pauses and jumps of the clock: time stood still, so nothing was missed and nothing is late. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Alarm } from '#grid/contract/grid.ts'
import { step, type World, worldTimeUs } from '#grid/engine.ts'
import { pmuRates } from '#grid/interface/session-settings.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import { calmStretch, enable, runSteps, startWorld } from '../../support/grid-session.ts'
import { sweep } from '../../support/sweep.ts'

/** Lets the wall clock go on while the session does not. */
function pause(world: World, seconds: number, reason: 'resume' | 'gap' = 'resume'): void {
  const timeUs = worldTimeUs(world) + Math.round(seconds * 1e6)
  applyCommand(world, { kind: 'clock', step: world.step, timeUs, reason })
}

/** Reports of meters that disagree have another stated rate. */
const ofTime = ({ detector }: Alarm) => !['chi_square', 'largest_residual'].includes(detector)

describe('a pause', () => {
  it('raises no alarm about samples, whose count goes on from the new time', () => {
    const world = startWorld({ iec61850: 2 })
    runSteps(world, 35)
    pause(world, 12.7)
    runSteps(world, 20)
    expect(world.view.alarms).toEqual([])
  })

  it('raises no alarm, however long it is, wherever it falls, at every rate', () => {
    const pauses = fc.array(
      fc.record({
        steps: fc.integer({ min: 1, max: 45 }),
        // Wall clocks resume at any millisecond.
        milliseconds: fc.integer({ min: 1, max: 5_000_000 }),
        reason: fc.constantFrom('resume' as const, 'gap' as const),
      }),
      { minLength: 1, maxLength: 4 },
    )
    fc.assert(
      fc.property(pauses, fc.constantFrom(...pmuRates), fc.nat(999), (stops, pmu_rate, startMs) => {
        const world = startWorld({ case: 'case9', pmu_rate, load_noise: 0.005 })
        applyCommand(world, {
          kind: 'clock',
          step: 0,
          timeUs: 1_764_000_000_000_000 + startMs * 1_000,
          reason: 'start',
        })
        for (const { steps, milliseconds, reason } of stops) {
          runSteps(world, steps)
          pause(world, milliseconds / 1_000, reason)
        }
        runSteps(world, 70)
        expect(world.view.alarms.filter(ofTime)).toEqual([])
      }),
      { seed: 81, numRuns: sweep(15, 5) },
    )
  })

  it('does not silence what was silent before it, nor what falls silent after it', () => {
    const { world } = calmStretch(45, { case: 'case9' })
    enable(world, 'DROP', { drop_percent: 100 })
    runSteps(world, 5)
    pause(world, 75)
    const resumedUs = worldTimeUs(world)
    runSteps(world, 45)
    const stale = world.view.alarms.filter(({ detector }) => detector === 'stale')
    expect(stale.map(({ where }) => where).sort()).toEqual(['PMU-1', 'PMU-2', 'PMU-3'])
    // The silence is counted from the resume and not from before the pause.
    for (const { timestamp, evidence } of stale) {
      expect(Number(evidence.silent_s)).toBeLessThanOrEqual(timestamp - resumedUs / 1e6 + 0.1)
    }
  })

  it('sends no heartbeat for the time of the pause', () => {
    const { world } = calmStretch(40, { case: 'case9' })
    const resumedUs = worldTimeUs(world) + 3_600e6
    pause(world, 3_600)
    const { frames } = step(world)
    expect(frames.filter(({ timeUs }) => timeUs < resumedUs)).toEqual([])
    const later = runSteps(world, 40).frames.filter(({ protocol }) => protocol === 'GOOSE')
    const expected = runSteps(startWorld({ case: 'case9' }), 40).frames.filter(({ protocol }) => protocol === 'GOOSE')
    expect(Math.abs(later.length - expected.length)).toBeLessThanOrEqual(expected.length / 2)
  })

  it('is recorded: one event and one incident have its begin and its end', () => {
    const world = startWorld({ case: 'case9' })
    runSteps(world, 3)
    const fromUs = worldTimeUs(world)
    pause(world, 75)
    const { events, incidents } = step(world)
    expect(events.find(({ topic }) => topic === 'gap')?.data).toEqual({
      from: fromUs / 1e6,
      to: fromUs / 1e6 + 75,
      reason: 'resume',
    })
    expect(incidents.filter(({ protocol }) => protocol === 'SIM').map(({ description }) => description)).toEqual([
      'Paused from 2025-11-24T16:00:00.300000+00:00 to 2025-11-24T16:01:15.300000+00:00',
    ])
  })

  it('holds messages at the attacker as they are: none moves on, and none counts as lost', () => {
    const { world } = calmStretch(40)
    enable(world, 'DELAY', { delay_ms: 3_000 })
    runSteps(world, 20)
    const held = world.held.length
    const fromUs = worldTimeUs(world)
    pause(world, 3_600)
    const resumedUs = worldTimeUs(world)
    const { frames, outputs } = runSteps(world, 40)
    expect(frames.filter(({ timeUs }) => timeUs > fromUs && timeUs < resumedUs)).toEqual([])
    const late = outputs.flatMap(({ packets }) => packets).filter(({ latency_ms }) => (latency_ms ?? 0) > 0)
    expect(late.length).toBeGreaterThanOrEqual(held)
    // The unit over TCP has sent some again: those waited longer for their first sighting.
    expect(new Set(late.map(({ latency_ms }) => latency_ms))).toEqual(new Set([3_000]))
    expect(world.view.alarms.map(({ detector }) => detector)).not.toContain('missing')
    const lateMs = world.view.alarms
      .filter(({ detector }) => detector === 'late')
      .map(({ evidence }) => Number(evidence.late_ms))
    expect(lateMs).toHaveLength(4)
    // What was measured before the pause is as late as the clock has run since.
    expect(Math.max(...lateMs)).toBeLessThan(3_001)
  })
})
