/** Tests of the entries of a scenario: each is of one kind, and within the duration. */

import type { PlaceMistake } from '../interface/body-mistakes.ts'
import { expectOne, type Path, refuse } from './mistakes.ts'
import { secondsOf, stepAt } from './orders.ts'
import type { Scenario } from './shape.ts'

/** Finds times outside of the scenario; a check may be at its very end. */
export function findLateTimes(scenario: Scenario, mistakes: PlaceMistake[]): void {
  const { duration, timeline, background, questions } = scenario
  const expect = (path: Path, value: number | undefined, least: number, most: number) => {
    if (value === undefined || (value >= least && value <= most)) return
    refuse(path, `is ${value}, expected ${least} to ${most}, within the duration of ${duration} s`, { mistakes })
  }
  const last = secondsOf(stepAt(duration) - 1)
  for (const [index, { at, for: lasts, check }] of timeline.entries()) {
    const path = ['timeline', index]
    expect([...path, 'at'], at, check === undefined ? 0 : 0.1, check === undefined ? last : duration)
    if (at <= last) expect([...path, 'for'], lasts, 0.1, secondsOf(stepAt(duration - at)))
    expect([...path, 'check', 'since'], check?.since, 0, at)
  }
  for (const [index, { at, until }] of background.entries()) {
    expect(['background', index, 'at'], at, 0, last)
    if (at <= last) expect(['background', index, 'until'], until, at, last)
  }
  for (const [index, { of }] of questions.entries()) expect(['questions', index, 'of', 'at'], of.at, 0.1, duration)
}

/** Finds entries that are not exactly one of attack, order, fault and check, and members that belong to another kind. */
export function findMixedEntries({ timeline, background }: Scenario, mistakes: PlaceMistake[]): void {
  for (const [index, entry] of timeline.entries()) {
    const path = ['timeline', index]
    expectOne(entry, ['attack', 'operator', 'fault', 'check'], path, { mistakes })
    if (entry.attack !== undefined) continue
    for (const name of ['id', 'params', 'link', 'for'] as const) {
      if (entry[name] !== undefined) refuse([...path, name], 'is without an attack', { mistakes })
    }
  }
  for (const [index, entry] of background.entries()) {
    expectOne(entry, ['operator', 'fault'], ['background', index], { mistakes })
    if (entry.until !== undefined && entry.every === undefined)
      refuse(['background', index, 'until'], 'is without every', { mistakes })
  }
}
