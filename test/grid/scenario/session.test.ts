/** Scenarios at their bounds: what would fill the memory or end a session is refused, and what a trainer sees of the rest. */

import { describe, expect, it } from 'vitest'
import { describeScenario } from '#grid/scenario/describe.ts'
import { checkScenario } from '#grid/scenario/session.ts'

const attack = { at: 12.1, text: 'A', attack: 'NOISE', params: {}, for: 0.2 }

function check(change: object) {
  const texts = { name: 'drill', title: 'A drill', summary: 'S', briefing: 'B' }
  return checkScenario({
    ...texts,
    seed: 7,
    start: '2026-03-02T08:00:00Z',
    duration: 60,
    timeline: [attack],
    ...change,
  })
}

function mistakesOf(change: object): readonly string[] {
  const read = check(change)
  return read.ok ? [] : read.mistakes.map(({ text }) => text)
}

describe('checkScenario()', () => {
  it('names some of the contradictions of 500 attacks, and not all 125,000', () => {
    const mistakes = mistakesOf({ timeline: Array.from({ length: 500 }, () => ({ ...attack, for: 20 })) })
    expect(mistakes.length).toBeGreaterThan(1_000)
    expect(mistakes.length).toBeLessThan(1_600)
  })

  it('refuses 200 entries that repeat each second for ten hours without planning every turn', () => {
    const entry = { at: 0, text: 'A', every: 1, operator: { load: 1 } }
    const mistakes = mistakesOf({ duration: 36_000, background: Array.from({ length: 200 }, () => entry) })
    expect(mistakes).toEqual(['the scenario has more than 2000 commands, background included'])
  })

  it.each([
    [14, 'tables: Cannot run a session on the network: 14 branches begin at bus 1, expected at most 13'],
    [300, 'tables: Cannot run a session on the network: it has 301 buses, expected 2 to 300'],
  ])('refuses a network with %d branches at its first bus, which no outstation can report', (count, mistake) => {
    const buses = Array.from({ length: count + 1 }, (_, at) => [
      at + 1,
      at === 0 ? 0 : 1,
      0,
      0,
      0,
      1,
      110,
      1.1,
      0.9,
      at,
      0,
    ])
    const branches = Array.from({ length: count }, (_, at) => [1, at + 2, 0.01, 0.05, 0, 0, 0, 100, 150, 120])
    const place = { name: 'hub', title: 'Hub', source: 'A test', baseMva: 100, f0Hz: 60, slackBus: 1, slackAngleDeg: 0 }
    const generators = [[1, 10, 1, 100, -100, 200, 0, 200, 5, 0, 1, 0]]
    expect(mistakesOf({ network: 'hub', tables: { ...place, buses, generators, branches, pmuBuses: [1] } })).toEqual([
      mistake,
    ])
  })
})

describe('describeScenario()', () => {
  it('tells tenths of seconds as they are written, and that a check at the end has passed', () => {
    const last = { at: 60, text: 'C', check: { no_alarm: 'late' } }
    const read = check({ timeline: [attack, { at: 20.1, text: 'A', attack: 'MAGNITUDE_OVERRIDE' }, last] })
    if (!read.ok) throw new Error('it has mistakes')
    const at = (step: number) =>
      describeScenario(read.checked, step).scenario?.timeline.map(({ until_s, passed }) => [until_s, passed])
    expect(at(600)).toEqual([
      [12.3, true],
      [60, true],
      [undefined, true],
    ])
    expect(at(599)?.at(-1)).toEqual([undefined, false])
  })
})
