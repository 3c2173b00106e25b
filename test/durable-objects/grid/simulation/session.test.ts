/** A session that plays a scenario: its commands at their steps, after a crash too, and its end. */

import { env, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { GridEnv } from '#objects/grid/env.ts'
import { openSession } from '#objects/grid/simulation/session.ts'
import type { SimulationObject } from '#objects/grid/simulation.ts'
import { openSimulationStore } from '#objects/grid/storage/simulation.ts'

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

function inside<T>(name: string, look: (state: DurableObjectState) => T): Promise<T> {
  // The test pool gives the bindings of wrangler.toml; these are the grid's.
  const { SIMULATION } = env as unknown as GridEnv
  return runInDurableObject(SIMULATION.getByName(name), (_: SimulationObject, state) => look(state))
}

type Session = ReturnType<typeof openSession>

const open = (state: DurableObjectState) => openSession(openSimulationStore(state.storage), 1_000)
const logOf = (session: Session) => session.commands().map(({ kind, step }) => `${step} ${kind}`)

function run(session: Session, steps: number): void {
  for (let count = 0; count < steps; count++) session.runStep(() => undefined)
}

describe('openSession()', () => {
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

  it('computes the very world again after a crash at any step', () =>
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

  it('forgets the scenario with the next session, and goes on without one that is not one any more', () =>
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
