/** The commands of a scenario: its attacks, orders and faults at their steps, and every name in them that is wrong. */

import { createRandom } from '../../base/random.ts'
import { readOrder } from '../attacks/order.ts'
import { type AttackOrder, type Command, type CommandOf, stepsPerSecond } from '../configuration.ts'
import { formatPlace, type PlaceMistake } from '../interface/body-mistakes.ts'
import { refuseOrder } from '../step/plant-orders.ts'
import { expectAt, expectBreaker, expectOne, type Path, type Places, type Reader, refuse } from './mistakes.ts'
import type { Entry, Scenario } from './shape.ts'

/** Most commands of a scenario, background included; a session takes 10,000. */
export const mostCommands = 2_000

/** An attack of the timeline; it is enabled at the step `from` and ends before the step `to`. */
export interface PlannedAttack {
  readonly path: Path
  /** Its name in the scenario; absent where it has none. */
  readonly id?: string
  readonly order: AttackOrder
  readonly from: number
  readonly to: number
}

/** A command of an operator or a fault, and the entry that it comes from. */
export interface PlannedOrder {
  readonly path: Path
  readonly command: Command
}

/** The number of the step that begins so many seconds after the start. */
export function stepAt(seconds: number): number {
  return Math.round(seconds * stepsPerSecond)
}

/** The seconds from the start that so many steps take. */
export function secondsOf(steps: number): number {
  return steps / stepsPerSecond
}

/** Plans the attacks in the order of their steps, by which they are numbered. */
export function planAttacks(scenario: Scenario, { plan }: Places, mistakes: PlaceMistake[]): readonly PlannedAttack[] {
  const end = stepAt(scenario.duration)
  const entries = scenario.timeline
    .map((entry, index) => ({ entry, path: ['timeline', index] }))
    .filter(({ entry }) => entry.attack !== undefined)
    .sort((one, other) => one.entry.at - other.entry.at)
  return entries.flatMap(({ entry, path }, index) => {
    const { attack = '', id, params = {}, link, at } = entry
    const seed = createRandom(scenario.seed, `attack ${index + 1}`).uint32()
    const read = readOrder({ type: attack, params, ...(link !== undefined && { target_link: link }) }, plan, seed)
    if (!read.ok) {
      for (const mistake of read.mistakes) mistakes.push(placeAttackMistake(path, mistake.path, mistake.message))
      return []
    }
    const from = stepAt(at)
    const order = { ...read.order, attack_id: `${read.order.type}-${index + 1}` }
    const to = entry.for === undefined ? end : from + stepAt(entry.for)
    return [{ path, ...(id !== undefined && { id }), order, from, to }]
  })
}

function placeAttackMistake(path: Path, at: string, message: string): PlaceMistake {
  // A scenario has other names for two members of an order.
  const members: Readonly<Record<string, string>> = { type: 'attack', target_link: 'link' }
  const names = (members[at] ?? at).split('.').filter((name) => name !== '')
  return { path: [...path, ...names], text: `${formatPlace(path)}: ${message}` }
}

/** The commands that enable and end attacks. */
export function attackCommands(attacks: readonly PlannedAttack[], steps: number): readonly Command[] {
  return attacks.flatMap(({ order, from, to }): Command[] => [
    { kind: 'enable', step: from, order },
    ...(to < steps ? [{ kind: 'disable', step: to, attackIds: [order.attack_id] } as const] : []),
  ])
}

/** Plans what operators and faults do, background included. */
export function planOrders(scenario: Scenario, places: Places, mistakes: PlaceMistake[]): readonly PlannedOrder[] {
  const timeline = scenario.timeline.flatMap((entry, index) =>
    plan({ path: ['timeline', index], steps: [stepAt(entry.at)], ...entry }, places, mistakes),
  )
  // What is beyond the bound is not planned: it is refused in any case.
  let left = mostCommands + 1
  const background = scenario.background.flatMap((entry, index) => {
    const { at, every, until = scenario.duration - 0.1 } = entry
    // Tenths of a second are not exact in a double: a turn that falls on `until` counts.
    const turns = every === undefined ? 1 : Math.max(1, Math.floor((until - at) / every + 1e-6) + 1)
    const steps = Array.from({ length: Math.min(turns, left) }, (_, turn) => stepAt(at + turn * (every ?? 0)))
    left -= steps.length
    return plan({ path: ['background', index], steps, ...entry }, places, mistakes)
  })
  return [...background, ...timeline]
}

interface Doing extends Pick<Entry, 'operator' | 'fault'> {
  readonly path: Path
  readonly steps: readonly number[]
}

function plan({ path, steps, operator, fault }: Doing, places: Places, mistakes: PlaceMistake[]): PlannedOrder[] {
  const reader = { places, mistakes }
  const bodies = [
    ...(operator === undefined ? [] : [readOperator(operator, [...path, 'operator'], reader)]),
    ...(fault === undefined ? [] : [readFault(fault, [...path, 'fault'], reader)]),
  ]
  return bodies.flatMap((body) => {
    if (body === undefined) return []
    return steps.map((step) => ({ path, command: { ...body, step } }))
  })
}

type Body<One = Command> = One extends Command ? Omit<One, 'step'> : never

type Operator = NonNullable<Entry['operator']>

function readOperator(operator: Operator, path: Path, reader: Reader): Body | undefined {
  const { closing, ...order } = operator
  if (!expectOne(order, ['open', 'close', 'restore', 'machine', 'tap', 'load', 'acknowledge'], path, reader))
    return undefined
  if (closing !== undefined && order.close === undefined)
    return refuse([...path, 'closing'], 'is without close', reader)
  if (order.load !== undefined) return { kind: 'load', scale: order.load }
  if (order.acknowledge !== undefined) return { kind: 'acknowledge' }
  if (order.machine !== undefined) return readMachine(order.machine, [...path, 'machine'], reader)
  if (order.tap !== undefined) return readTap(order.tap, [...path, 'tap'], reader)
  if (order.restore !== undefined) return readRestore(order.restore, [...path, 'restore'], reader)
  const [member, breaker = ''] = order.open === undefined ? ['close', order.close] : ['open', order.open]
  if (!expectBreaker(breaker, [...path, member], reader)) return undefined
  return { kind: 'switch', breaker, closed: member === 'close', ...(closing !== undefined && { closing }) }
}

function readMachine(machine: NonNullable<Operator['machine']>, path: Path, reader: Reader): Body | undefined {
  const body = { kind: 'generator', ...machine } as const
  if (!expectAt('generators', body.bus, [...path, 'bus'], reader)) return undefined
  if (Object.keys(machine).length === 1)
    return refuse(path, 'has only a bus, expected connected, p_mw or v_pu beside it', reader)
  return expectPossible(body, path, reader)
}

function readTap(tap: NonNullable<Operator['tap']>, path: Path, reader: Reader): Body | undefined {
  const body = { kind: 'tap', ...tap } as const
  if (!expectBreaker(body.breaker, [...path, 'breaker'], reader)) return undefined
  return expectPossible(body, path, reader)
}

/** Gives the order back where the plant can carry it out, or else adds a mistake. */
function expectPossible(body: Body<CommandOf<'generator' | 'tap'>>, path: Path, reader: Reader): Body | undefined {
  const reason = refuseOrder(undefined, reader.places.network, { ...body, step: 0 })
  return reason === undefined ? body : refuse(path, `cannot be ordered: ${reason}`, reader)
}

function readRestore(restore: NonNullable<Operator['restore']>, path: Path, reader: Reader): Body | undefined {
  const isPossible = restore.bus === undefined || expectAt('loads', restore.bus, [...path, 'bus'], reader)
  return isPossible ? { kind: 'restore', ...restore } : undefined
}

function readFault(fault: NonNullable<Entry['fault']>, path: Path, reader: Reader): Body | undefined {
  if (!expectOne(fault, ['line', 'machine'], path, reader)) return undefined
  const { line, machine, seconds } = fault
  if (machine !== undefined) {
    if (seconds !== undefined) return refuse(path, 'has seconds, expected them beside a line only', reader)
    return expectAt('generators', machine, [...path, 'machine'], reader) ? { kind: 'trip', bus: machine } : undefined
  }
  const breaker = `CB-${line}`
  if (!expectBreaker(breaker, [...path, 'line'], reader)) return undefined
  return { kind: 'trip', breaker, ...(seconds !== undefined && { fault_s: seconds }) }
}
