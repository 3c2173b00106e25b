/** Tests of a scenario beyond its shape: times, names, and parts that contradict each other. */

import { suggest } from '../../base/nearest.ts'
import { findAttack } from '../attacks/catalogue.ts'
import { toParams } from '../attacks/definition.ts'
import type { AttackOrder, Command } from '../configuration.ts'
import { formatPlace, type PlaceMistake } from '../interface/body-mistakes.ts'
import type { Telecontrol } from '../telecontrol/telecontrol.ts'
import {
  expectBreaker,
  expectOne,
  type Places,
  type PlannedAttack,
  type PlannedOrder,
  refuse,
  secondsOf,
  stepAt,
} from './orders.ts'
import type { Check, Question, Scenario } from './shape.ts'

/** The subjects of a check: it has exactly one of them. */
const subjects = ['alarm', 'no_alarm', 'breaker', 'grid', 'bus', 'estimate', 'attack'] as const

/** Finds times outside of the scenario; a check may be at its very end. */
export function findLateTimes(scenario: Scenario, mistakes: PlaceMistake[]): void {
  const { duration, timeline, background, questions } = scenario
  const expect = (path: readonly PropertyKey[], value: number | undefined, least: number, most: number) => {
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

/**
 * Finds names that are there twice, and attacks that contradict each other while both last: two of one type, two that
 * want different states of one breaker, and one that leaves no message of a link to the other.
 */
export function findOverlaps(
  attacks: readonly PlannedAttack[],
  { plan }: Pick<Places, 'plan'>,
  mistakes: PlaceMistake[],
): void {
  for (const [index, { path, id, order, from, to }] of attacks.entries()) {
    for (const before of attacks.slice(0, index)) {
      const there = formatPlace(before.path)
      if (id !== undefined && id === before.id)
        refuse([...path, 'id'], `is "${id}", which ${there} has, expected another one`, { mistakes })
      const reason = from < before.to ? findContradiction(order, before.order, plan) : undefined
      if (reason === undefined) continue
      const other = order.type === before.order.type ? '' : ` ${before.order.type}`
      const times = `from ${secondsOf(from)} to ${secondsOf(to)} s`
      const others = `${there}${other} from ${secondsOf(before.from)} to ${secondsOf(before.to)} s`
      const right = `expected times that do not overlap, because ${reason}`
      mistakes.push({
        path: [...path, 'at'],
        text: `${formatPlace(path)} has ${order.type} ${times}, and ${others}, ${right}`,
      })
    }
  }
}

/** Finds why two attacks cannot last at one time; undefined where they can. */
function findContradiction(one: AttackOrder, other: AttackOrder, plan: Telecontrol): string | undefined {
  if (one.type === other.type) return 'enabling a type again ends the first'
  const before = new Map(movesOf(other, plan))
  const branch = movesOf(one, plan).find(([number, closed]) => (before.get(number) ?? closed) !== closed)?.[0]
  if (branch !== undefined) return `they want different states of ${plan.breakerNames.get(branch)}`
  const link = linksOf(one, plan).find((id) => linksOf(other, plan).includes(id))
  const silent = [one, other].find(({ type, params }) => findAttack(type)?.silences?.(toParams(params)) === true)
  const changed = [one, other].find(({ type }) => findAttack(type)?.alter !== undefined && type !== silent?.type)
  if (link === undefined || silent === undefined || changed === undefined) return undefined
  return `${silent.type} leaves no message of ${link} for ${changed.type}`
}

function movesOf({ type, params, target_link }: AttackOrder, plan: Telecontrol) {
  return findAttack(type)?.moves?.(toParams(params), plan, target_link) ?? []
}

function linksOf({ type, params, target_link }: AttackOrder, plan: Telecontrol): readonly string[] {
  return target_link === null ? (findAttack(type)?.links(toParams(params), plan) ?? []) : [target_link]
}

/** Finds commands of one step that want different states of one breaker, tap or machine. */
export function findContradictions(orders: readonly PlannedOrder[], mistakes: PlaceMistake[]): void {
  const wanted = new Map<string, { readonly path: readonly PropertyKey[]; readonly state: string }>()
  for (const { path, command } of orders) {
    const target = describeTarget(command)
    if (target === undefined) continue
    const key = `${command.step} ${target.name}`
    const before = wanted.get(key)
    wanted.set(key, { path, state: target.state })
    if (before === undefined || before.state === target.state) continue
    const both = `wants ${target.name} ${target.state} at ${secondsOf(command.step)} s, and ${formatPlace(before.path)} ${before.state}`
    mistakes.push({
      path: [...path, 'at'],
      text: `${formatPlace(path)} ${both}: expected another time for one of them`,
    })
  }
}

function describeTarget(command: Command): { readonly name: string; readonly state: string } | undefined {
  if (command.kind === 'switch') return { name: command.breaker, state: command.closed ? 'closed' : 'open' }
  if (command.kind === 'tap') return { name: `the tap at ${command.breaker}`, state: `at step ${command.position}` }
  if (command.kind === 'trip' && command.breaker !== undefined) return { name: command.breaker, state: 'open' }
  if (command.kind === 'trip') return { name: `the machine at bus ${command.bus}`, state: 'disconnected' }
  if (command.kind !== 'generator' || command.connected === undefined) return undefined
  return { name: `the machine at bus ${command.bus}`, state: command.connected ? 'connected' : 'disconnected' }
}

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

interface Reader {
  readonly places: Places
  readonly mistakes: PlaceMistake[]
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
type Complain = (names: readonly PropertyKey[], state: string) => void

function testCheck(check: Check, path: readonly PropertyKey[], reader: Reader): void {
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

function expectAttack(name: string, path: readonly PropertyKey[], { names, mistakes }: Reader): void {
  if (names.includes(name)) return
  const right = names.length === 0 ? 'expected the id of an attack, and none has one' : suggest(name, names)
  mistakes.push({ path, text: `${formatPlace(path)}: there is no attack with the id "${name.slice(0, 64)}", ${right}` })
}

function testQuestion({ of, answer, choices }: Question, path: readonly PropertyKey[], reader: Reader): void {
  if (!expectOne(of, ['attack', 'grid', 'breakers', 'alarm'], [...path, 'of'], reader)) return
  const complain: Complain = (names, state) => refuse([...path, ...names], state, reader)
  if (of.attack !== undefined) {
    expectAttack(of.attack, [...path, 'of', 'attack'], reader)
    if (of.member === undefined) complain(['of', 'member'], 'is missing, expected what of the attack is the answer')
  } else if (of.member !== undefined) complain(['of', 'member'], 'is without attack')
  if (choices === undefined) return
  if (!choices.some((choice) => choice === String(answer))) complain(['choices'], `lack the answer, ${String(answer)}`)
}
