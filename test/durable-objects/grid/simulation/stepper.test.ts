/** The steps that the clock makes due and those by hand: published once, jumped over, paused and ended. */

import { describe, expect, it } from 'vitest'
import { listRing } from '#base/ring.ts'
import { doAtOnce } from '#base/slices.ts'
import { catchUpSteps } from '#grid/step/step-schedule.ts'
import { openSimulationStore } from '#objects/grid/storage/simulation.ts'
import { configuration, inside, openSimulationRun, quiet } from './simulation-run.ts'

/** A scenario of one second. */
const drill = {
  ...{ name: 'drill', title: 'T', summary: 'S', briefing: 'B' },
  ...{ seed: 3, start: '2026-03-02T08:00:00Z', duration: 1, network: 'case9' },
  timeline: [{ at: 0.5, text: 'F', fault: { line: '4-5' } }],
}

describe('openStepper()', () => {
  it('publishes the steps that are due, and none that a restart computes again', () =>
    inside('publish', async (state) => {
      const store = openSimulationStore(state.storage)
      let published = 0
      const count = () => {
        published += 1
      }
      const run = openSimulationRun(store, count, 1_000)
      run.create(configuration, 1_000)
      run.setRun('running', 1_000)
      await run.advance(4_000)
      expect([published, run.world().step]).toEqual([30, 30])
      openSimulationRun(store, count, 5_000)
      expect(published).toBe(30)
    }))

  it('jumps over a gap too long to catch up, and records it, with the wall clock', () =>
    inside('jump', async (state) => {
      const run = openSimulationRun(openSimulationStore(state.storage), quiet, 0)
      run.create({ ...configuration, start_time: null }, 0)
      run.setRun('running', 10_000)
      await run.advance(11_000)
      const before = run.world().step
      await run.advance(11_000 + catchUpSteps * 100 + 5_000)
      await run.advance(11_000 + catchUpSteps * 100 + 6_000)
      expect(run.world().step - before).toBeLessThan(20)
      const gaps = listRing(run.records().incidents).filter(({ protocol }) => protocol === 'SIM')
      expect(gaps).toHaveLength(1)
      expect(run.commands().map(({ kind }) => kind)).toEqual(['clock', 'clock'])
    }))

  it('pauses on time after a jump, and does not jump while it is paused', () =>
    inside('late', async (state) => {
      const run = openSimulationRun(openSimulationStore(state.storage), quiet, 0)
      run.create({ ...configuration, start_time: null, auto_pause_s: 120 }, 0)
      run.setRun('running', 10_000)
      await run.advance(10_000 + catchUpSteps * 100 + 5_000)
      expect(run.commands()).toHaveLength(2)
      expect(run.session().activeMs).toBe(10_000)
      run.pauseIfUnwatched(130_000)
      expect(run.session().run).toBe('paused')
      await run.advance(900_000)
      expect(run.commands()).toHaveLength(2)
    }))

  it('sets the clock of a session that was stopped before it ever ran', () =>
    inside('stopped', (state) => {
      const run = openSimulationRun(openSimulationStore(state.storage), quiet, 0)
      run.create({ ...configuration, start_time: null }, 0)
      run.setRun('stopped', 0)
      doAtOnce(run.stepBy(2))
      expect(listRing(run.records().incidents)[0]?.timestamp).toBeGreaterThan(1_700_000_000)
    }))

  it('computes no step behind the end of a scenario before an order', () =>
    inside('ended', (state) => {
      const run = openSimulationRun(openSimulationStore(state.storage), quiet, 0)
      run.play(drill, 0)
      run.setRun('running', 0)
      run.advanceNow(1_400)
      expect([run.session().run, run.world().step]).toEqual(['stopped', 10])
    }))

  it('ends steps by hand when another session begins or the clock starts between two of them', () =>
    inside('interrupted', (state) => {
      const run = openSimulationRun(openSimulationStore(state.storage), quiet, 0)
      run.create(configuration, 0)
      const first = run.stepBy(20)
      first.next()
      run.create(configuration, 0)
      expect([first.next().done, run.world().step]).toEqual([true, 0])
      const second = run.stepBy(20)
      second.next()
      const { step } = run.world()
      run.setRun('running', 0)
      expect([second.next().done, run.world().step]).toEqual([true, step])
    }))
})
