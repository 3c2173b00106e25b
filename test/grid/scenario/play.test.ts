/** A scenario as it is played: each kind of check in green and in red, and the answers of the run. */

import { describe, expect, it } from 'vitest'
import { playScenario, type ScenarioResult } from '#grid/scenario/play.ts'
import { checkScenario } from '#grid/scenario/session.ts'

function play(change: object): ScenarioResult {
  const read = checkScenario({
    name: 'drill',
    title: 'A drill',
    summary: 'S',
    briefing: 'B',
    seed: 7,
    start: '2026-03-02T08:00:00Z',
    duration: 12,
    network: 'case9',
    ...change,
  })
  if (!read.ok) throw new Error(read.mistakes.map(({ text }) => text).join('\n'))
  const run = playScenario(read.checked, { octets: 1_000_000 })
  for (;;) {
    const next = run.next()
    if (next.done === true) return next.value
  }
}

const drop = { at: 2, text: 'D', attack: 'DROP', id: 'loss', params: { drop_percent: 100 }, link: 'PMU-1--PDC', for: 4 }
const fault = { at: 3, text: 'F', fault: { line: '4-5' } }
const check = (value: object) => ({ at: 12, text: JSON.stringify(value), check: value })

describe('playScenario()', () => {
  it('finds true statements green and false ones red, with what it found', () => {
    const right = [
      { alarm: 'stale', where: 'PMU-1', since: 2 },
      { no_alarm: 'malformed' },
      { breaker: 'CB-4-5', is: 'open' },
      { breaker: 'CB-4-5', is: 'open', of: 'measured' },
      { grid: 'open_breakers', min: 1, max: 1 },
      { bus: 5, min: 0.9 },
      { bus: 5, of: 'measured', min: 0.9 },
      { bus: 5, quantity: 'va_deg', of: 'error', max: 1 },
      { estimate: 'j_share', max: 1 },
      { attack: 'loss', min: 20, max: 20 },
    ]
    const wrong = [
      { alarm: 'late' },
      { no_alarm: 'any' },
      { breaker: 'CB-4-5', is: 'closed' },
      { grid: 'shed_mw', min: 1 },
      { bus: 5, max: 0.5 },
      { attack: 'loss', max: 19 },
    ]
    const { checks, passed } = play({ timeline: [drop, fault, ...[...right, ...wrong].map(check)] })
    expect(checks.map((one) => one.passed)).toEqual([...right.map(() => true), ...wrong.map(() => false)])
    expect(passed).toBe(false)
    expect(checks.slice(right.length).map(({ found }) => found)).toEqual([
      'alarms of late from 0 s: none, expected one',
      expect.stringMatching(/^alarms of any from 0 s: \d+, the first at [\d.]+ s of \w+ at [\w-]+, expected none$/),
      'CB-4-5 is open, expected closed',
      'shed_mw is 0, expected at least 1',
      expect.stringMatching(/^vm_pu of bus 5 is 0\.9\d+, expected at most 0\.5$/),
      'the number of frames of loss is 20, expected at most 19',
    ])
  })

  it('compares answers with the labels and the truth', () => {
    const questions = [
      { ask: '1', answer: 'drop', of: { attack: 'loss', member: 'type' } },
      { ask: '2', answer: ['PMU-1'], of: { attack: 'loss', member: 'stations' } },
      { ask: '3', answer: 2, tolerance: 0.2, of: { attack: 'loss', member: 'begins' } },
      { ask: '4', answer: ['CB-4-5'], of: { breakers: 'open' } },
      { ask: '5', answer: [], of: { breakers: 'open', at: 2 } },
      { ask: '6', answer: 'T0856', of: { attack: 'loss', member: 'technique_legacy' } },
      { ask: '7', answer: 0, of: { grid: 'open_breakers' } },
    ]
    const result = play({ timeline: [drop, fault], questions })
    expect(result.questions.map((one) => one.passed)).toEqual([true, true, true, true, true, false, false])
    expect(result.questions.slice(5).map(({ derived }) => derived)).toEqual(['T0804', 1])
    expect(result.attacks).toMatchObject([
      { id: 'loss', attack_id: 'DROP-1', type: 'DROP', technique: 'T1691.002', frames: 20, stations: ['PMU-1'] },
    ])
  })

  it('has no answer from an attack without a frame', () => {
    const late = { at: 11.9, text: 'L', attack: 'REPLAY', id: 'late' }
    const question = { ask: 'Which?', answer: 'REPLAY', of: { attack: 'late', member: 'type' } }
    expect(play({ timeline: [late], questions: [question] }).questions).toMatchObject([
      { derived: null, passed: false },
    ])
  })
})
