/** Attacks and orders of a scenario that contradict each other. */

import { findAttack } from '../attacks/catalogue.ts'
import { toParams } from '../attacks/definition.ts'
import type { AttackOrder, Command } from '../configuration.ts'
import { formatPlace, type PlaceMistake } from '../interface/body-mistakes.ts'
import type { Telecontrol } from '../telecontrol/telecontrol.ts'
import { type Path, type Places, refuse } from './mistakes.ts'
import { type PlannedAttack, type PlannedOrder, secondsOf } from './orders.ts'

/** Mistakes after which no further attack is compared with those before it: 500 attacks have 125,000 pairs. */
const mostMistakes = 1_000

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
    if (mistakes.length > mostMistakes) return
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
  const wanted = new Map<string, { readonly path: Path; readonly state: string }>()
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
