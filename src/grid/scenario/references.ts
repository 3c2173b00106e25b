/** Tests of the checks and questions of a scenario: what they refer to exists, and they say what they need. */

import { suggest } from '../../base/nearest.ts'
import { formatPlace, type PlaceMistake } from '../interface/body-mistakes.ts'
import { expectBreaker, expectOne, type Path, type Places, type Reader, refuse } from './mistakes.ts'
import type { PlannedAttack } from './orders.ts'
import type { Check, Question, Scenario } from './shape.ts'

/** The subjects of a check: it has exactly one of them. */
const subjects = ['alarm', 'no_alarm', 'breaker', 'grid', 'bus', 'estimate', 'attack'] as const

/** Finds checks and questions that refer to a name that does not exist, or lack a bound or a state. */
export function findDangling(
  scenario: Scenario,
  places: Places,
  attacks: readonly PlannedAttack[],
  mistakes: PlaceMistake[],
): void {
  const names = attacks.flatMap(({ id }) => id ?? [])
  const reader = { places, mistakes, names }
  for (const [index, { check }] of scenario.timeline.entries()) {
    if (check !== undefined) testCheck(check, ['timeline', index, 'check'], reader)
  }
  for (const [index, question] of scenario.questions.entries()) testQuestion(question, ['questions', index], reader)
}

interface NameReader extends Reader {
  /** Names of the attacks. */
  readonly names: readonly string[]
}

/** The members that each subject of a check takes beside itself. */
const companions: Readonly<Record<(typeof subjects)[number], readonly (keyof Check)[]>> = {
  alarm: ['where', 'since'],
  no_alarm: ['where', 'since'],
  breaker: ['is', 'of'],
  grid: ['min', 'max'],
  bus: ['quantity', 'of', 'min', 'max'],
  estimate: ['min', 'max'],
  attack: ['min', 'max'],
}

/** Adds a mistake of a member below a path. */
type Complain = (names: Path, state: string) => void

function testCheck(check: Check, path: Path, reader: NameReader): void {
  if (!expectOne(check, subjects, path, reader)) return
  const subject = subjects.find((name) => check[name] !== undefined) ?? 'grid'
  const complain: Complain = (names, state) => refuse([...path, ...names], state, reader)
  const taken = companions[subject]
  for (const name of Object.keys(check)) {
    if (name === subject || taken.some((one) => one === name)) continue
    complain([name], `is beside ${subject}, which takes ${taken.join(', ')}`)
  }
  if (taken.includes('min') && check.min === undefined && check.max === undefined) {
    complain([], 'has no bound, expected min, max or both')
  }
  if (check.min !== undefined && check.max !== undefined && check.min > check.max) {
    complain(['min'], `is ${check.min} and max ${check.max}, expected min below max`)
  }
  if (check.breaker !== undefined) {
    expectBreaker(check.breaker, [...path, 'breaker'], reader)
    testBreakerState(check, complain)
  }
  testBus(check, reader.places, complain)
  if (check.attack !== undefined) expectAttack(check.attack, [...path, 'attack'], reader)
}

function testBreakerState({ is, of }: Check, complain: Complain): void {
  if (is === undefined) complain(['is'], 'is missing, expected open or closed')
  if (of === 'estimated' || of === 'error') complain(['of'], `is ${of}, expected truth or measured`)
}

function testBus({ bus, quantity, of }: Check, { plan }: Places, complain: Complain): void {
  if (bus !== undefined && !plan.neighbours.has(bus)) complain(['bus'], `is ${bus}, which is not in the network`)
  if (quantity !== 'va_deg' || of !== 'measured') return
  complain(['of'], 'is measured, and no outstation measures angles')
}

function expectAttack(name: string, path: Path, { names, mistakes }: NameReader): void {
  if (names.includes(name)) return
  const right = names.length === 0 ? 'expected the id of an attack, and none has one' : suggest(name, names)
  mistakes.push({ path, text: `${formatPlace(path)}: there is no attack with the id "${name.slice(0, 64)}", ${right}` })
}

function testQuestion({ of, answer, choices }: Question, path: Path, reader: NameReader): void {
  if (!expectOne(of, ['attack', 'grid', 'breakers', 'alarm'], [...path, 'of'], reader)) return
  const complain: Complain = (names, state) => refuse([...path, ...names], state, reader)
  if (of.attack !== undefined) {
    expectAttack(of.attack, [...path, 'of', 'attack'], reader)
    if (of.member === undefined) complain(['of', 'member'], 'is missing, expected what of the attack is the answer')
  } else if (of.member !== undefined) complain(['of', 'member'], 'is without attack')
  if (choices === undefined) return
  if (!choices.some((choice) => choice === String(answer))) complain(['choices'], `lack the answer, ${String(answer)}`)
}
