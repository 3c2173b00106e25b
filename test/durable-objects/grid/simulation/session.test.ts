/** A session: restored after a crash and a failed step, bounded in its log, and as one that plays a scenario. */

import { describe, expect, it } from 'vitest'
import { listRing } from '#base/ring.ts'
import { doAtOnce } from '#base/slices.ts'
import { enableAttack } from '#objects/grid/simulation/attack-orders.ts'
import { openSession } from '#objects/grid/simulation/session.ts'
import { snapshotSteps } from '#objects/grid/simulation/session-step.ts'
import { maximumCommands, type SessionRow } from '#objects/grid/storage/session-tables.ts'
import { openSimulationStore } from '#objects/grid/storage/simulation.ts'
import { configuration, inside, openSimulationRun, quiet } from './simulation-run.ts'

/** The row of a session that has not run yet. */
const newRow: SessionRow = {
  sessionId: '00000000-0000-4000-8000-000000000000',
  createdMs: 0,
  configuration: { ...configuration, start_time: null },
  run: 'new',
  step: 0,
  anchorMs: 0,
  anchorStep: 0,
  speed: 1,
  activeMs: 0,
}

const scenario = {
  name: 'drill',
  title: 'T',
  summary: 'S',
  briefing: 'B',
  seed: 3,
  start: '2026-03-02T08:00:00Z',
  duration: 4,
  network: 'case9',
  background: [{ at: 0.5, text: 'A', every: 1, until: 3, operator: { acknowledge: 'all' } }],
  timeline: [
    { at: 1, text: 'D', attack: 'DROP', params: { drop_percent: 100 }, for: 2 },
    { at: 2, text: 'F', fault: { line: '4-5' } },
  ],
}
const planned = ['5 acknowledge', '10 enable', '15 acknowledge', '20 trip', '25 acknowledge', '30 disable']

type Session = ReturnType<typeof openSession>

const open = (state: DurableObjectState) => openSession(openSimulationStore(state.storage), 1_000)
const logOf = (session: Session) => session.commands().map(({ kind, step }) => `${step} ${kind}`)

function run(session: Session, steps: number): void {
  for (let count = 0; count < steps; count++) session.runStep(() => undefined)
}

describe('openSession()', () => {
  it('restores the same world and records from a snapshot and the commands after it', () =>
    inside('restore', (state) => {
      const store = openSimulationStore(state.storage)
      const run = openSimulationRun(store, quiet, 1_000)
      run.create(configuration, 1_000)
      run.setRun('running', 1_000)
      doAtOnce(run.stepBy(snapshotSteps + 20))
      const order = {
        attack_id: 'REPLAY-1',
        type: 'REPLAY',
        params: { buffer_size: 5, refresh_timestamps: false },
        schedule: { start_frame: 0, duration_frames: 0 },
        target_link: null,
        seed: 1,
      }
      run.command({ kind: 'enable', order })
      run.advanceNow(1_000 + 15_300)
      const again = openSimulationRun(store, quiet, 9_000)
      // The promise on disk is up to a second ahead of what was computed; the first run catches up with it.
      expect(again.world().step - run.world().step).toBeGreaterThanOrEqual(0)
      doAtOnce(run.stepBy(again.world().step - run.world().step))
      expect(again.session().sessionId).toBe(run.session().sessionId)
      expect(JSON.stringify(again.world())).toBe(JSON.stringify(run.world()))
      expect(JSON.stringify(listRing(again.records().incidents))).toBe(
        JSON.stringify(listRing(run.records().incidents)),
      )
      expect(listRing(again.records().frames)).toEqual(listRing(run.records().frames))
    }))

  it('undoes a step that failed, and goes on with a new world when the step fails again', () =>
    inside('failed', (state) => {
      const store = openSimulationStore(state.storage)
      const run = openSimulationRun(store, quiet, 1_000)
      run.create(configuration, 1_000)
      run.setRun('stopped', 1_000)
      doAtOnce(run.stepBy(snapshotSteps + 20))
      run.command({ kind: 'switch', breaker: 'CB-2-3', closed: false })
      const before = JSON.stringify(run.world())
      const frames = listRing(run.records().frames)
      /** Makes the step fail at its end, when nearly everything in the world has changed. */
      const spoil = () =>
        Object.defineProperty(run.world(), 'lastFrameUs', {
          get: () => {
            throw new Error('a fault of the engine')
          },
        })
      spoil()
      expect(() => run.runStep(quiet)).toThrow('a fault of the engine')
      expect(JSON.stringify(run.world())).toBe(before)
      expect(listRing(run.records().frames)).toEqual(frames)
      spoil()
      expect(() => run.runStep(quiet)).toThrow('a fault of the engine')
      expect(run.world().step).toBe(snapshotSteps + 20)
      expect(JSON.stringify(run.world())).not.toBe(before)
      doAtOnce(run.stepBy(20))
      expect(run.world().plant.open).toEqual([3])
    }))

  it('refuses orders when its log is full, but still wakes, pauses and ends attacks', () =>
    inside('full', (state) => {
      const store = openSimulationStore(state.storage)
      store.writeSession(newRow)
      state.storage.sql.exec(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${maximumCommands})
         INSERT INTO command SELECT i, 0, '{"kind":"load","scale":1,"step":0}' FROM n`,
      )
      const run = openSimulationRun(store, quiet, 0)
      expect(run.commands()).toHaveLength(maximumCommands)
      run.setRun('running', 1_000)
      run.setRun('paused', 2_000)
      run.wake(3_000)
      expect(run.session().run).toBe('running')
      expect(() => run.command({ kind: 'load', scale: 1 })).toThrow(/holds 10000 commands already/)
      expect(enableAttack(run, { type: 'NOISE', params: {} })).toMatchObject({
        success: false,
        error: expect.stringContaining('holds 10000 commands already'),
        hint: 'Start a new session: POST /api/v1/sim/reset',
      })
      expect(run.command({ kind: 'disable', attackIds: [] }).kind).toBe('disable')
    }))
})

describe('openSession() with a scenario', () => {
  it('gives the commands of a scenario at their steps, between those of operators, and stops at its end', () =>
    inside('play', (state) => {
      const session = open(state)
      session.play(scenario, 1_000)
      session.write({ run: 'running' })
      run(session, 22)
      session.command({ kind: 'load', scale: 1.1 })
      run(session, 18)
      const expected = [...planned.slice(0, 4), '22 load', ...planned.slice(4)]
      expect(logOf(session)).toEqual(expected)
      expect([session.session().run, session.world().step]).toEqual(['stopped', 40])
      expect(logOf(open(state))).toEqual(expected)
    }))

  it('computes the same world again after a crash at any step', () =>
    inside('crash', (state) => {
      const whole = open(state)
      whole.play(scenario, 1_000)
      run(whole, 45)
      for (const step of [0, 3, 8, 12, 19, 24, 29]) {
        const session = open(state)
        session.play(scenario, 1_000)
        run(session, step)
        // The row is up to a second ahead of what was computed, and the scenario has commands in that second.
        const again = open(state)
        run(again, 45 - again.world().step)
        expect([step, logOf(again)]).toEqual([step, planned])
        expect(JSON.stringify(again.world())).toBe(JSON.stringify(whole.world()))
      }
    }))

  it('forgets the scenario with the next session, and goes on without a stored one that is no longer valid', () =>
    inside('forget', (state) => {
      const session = open(state)
      session.play(scenario, 1_000)
      openSimulationStore(state.storage).writeScenario({ name: 'old' })
      expect(open(state).scenario()).toBe(null)
      session.create(session.session().configuration, 2_000)
      expect([session.scenario(), openSimulationStore(state.storage).readScenario()]).toEqual([null, undefined])
      expect(() => session.play({ name: 'x' }, 3_000)).toThrow('Cannot play a scenario: title is missing')
    }))
})
