/** Sources of a data set: sessions as `GET /api/v1/export/session` writes them. */

import { isRecord } from '../../base/json.ts'
import { readOrder } from '../attacks/order.ts'
import type { Command } from '../configuration.ts'
import { Session } from '../contract/simulation.ts'
import { GridError } from '../errors.ts'
import { listMistakes } from '../interface/body-mistakes.ts'
import { parseConfiguration } from '../interface/requests.ts'
import { requireBreaker } from '../interface/session-view.ts'
import { assertSessionNetwork } from '../network/assert-network.ts'
import { findNetwork } from '../network/find-network.ts'
import type { Network } from '../network/network.ts'
import { refuseOrder } from '../step/plant-orders.ts'
import { planTelecontrol } from '../telecontrol/plan-telecontrol.ts'
import type { Telecontrol } from '../telecontrol/telecontrol.ts'
import type { Source } from './plan.ts'

/** Most steps of one run: ten hours of 100 ms. */
export const mostSteps = 360_000

/** Name of a source: a part of paths on every system. */
const sourceName = /^[a-z0-9][a-z0-9_-]{0,63}$/

/**
 * Reads a source, a document as JSON.
 *
 * @throws GridError invalid_request when the document is malformed, or cannot be repeated with another seed.
 * @throws GridError invalid_configuration when its configuration has mistakes.
 * @throws GridError invalid_case when the network that it carries cannot be computed with.
 */
export function readSource(name: string, value: unknown): Source {
  const action = `read the session "${name.slice(0, 64)}"`
  if (!sourceName.test(name))
    throw refuse(action, 'its name is not 1 to 64 of a-z, 0-9, _ and -, a letter or digit first')
  if (isRecord(value) && value.field !== undefined) {
    throw refuse(action, 'masters from outside took part (member "field"), which cannot be repeated with another seed')
  }
  const read = Session.safeParse(value)
  if (!read.success) throw refuse(action, listMistakes(Session, value, read.error, { name: 'the document' }))
  const { configuration, commands, steps } = read.data
  const { case: _, network, ...rest } = configuration
  parseConfiguration(network === undefined ? configuration : rest)
  if (configuration.mode === 'external') throw refuse(action, 'its mode is "external", expected "embedded"')
  if (steps < 1 || steps > mostSteps) throw refuse(action, `steps is ${steps}, expected 1 to ${mostSteps}`)
  const late = commands.find(({ step }) => step >= steps)
  if (late !== undefined) {
    throw refuse(action, `the command "${late.kind}" has step ${late.step}, expected one below steps, ${steps}`)
  }
  for (const [at, { kind, step }] of commands.entries()) {
    const { step: before } = commands[at - 1] ?? { step }
    const place = `the command "${kind}" of step ${step} comes after one of step ${before}`
    if (step < before) throw refuse(action, `${place}, expected the order of their steps`)
  }
  const grid = findNetwork(configuration)
  assertSessionNetwork(grid)
  const plan = planTelecontrol(grid)
  for (const command of commands) {
    const place = `${action}: the command "${command.kind}" of step ${command.step}`
    expectKnown(place, command, plan)
    expectPossible(place, command, grid)
  }
  return { name, configuration, commands, steps }
}

/** Refuses an order to a machine, a load or a tap that its grid does not have. */
function expectPossible(action: string, command: Command, grid: Network): void {
  if (command.kind === 'restore' && command.bus !== undefined) expectAt(action, grid.loads, 'load', command.bus)
  if (command.kind !== 'generator' && command.kind !== 'trip' && command.kind !== 'tap') return
  if ('bus' in command && command.bus !== undefined) expectAt(action, grid.generators, 'machine', command.bus)
  const refusal = refuseOrder(undefined, grid, command)
  if (refusal !== undefined) throw refuse(action, refusal)
}

function expectAt(action: string, elements: readonly { readonly bus: number }[], name: string, bus: number): void {
  if (!elements.some((element) => element.bus === bus)) throw refuse(action, `there is no ${name} at bus ${bus}`)
}

/** Refuses a command that names a breaker, bus or attack that its grid does not have. */
function expectKnown(action: string, command: Command, plan: Telecontrol): void {
  const breaker = 'breaker' in command ? command.breaker : undefined
  if (breaker !== undefined) {
    requireBreaker(plan, breaker, `Cannot ${action}: there is no breaker "${breaker.slice(0, 64)}"`)
  }
  const bus = 'bus' in command ? command.bus : undefined
  if (bus !== undefined && !plan.neighbours.has(bus)) throw refuse(action, `there is no bus ${bus}`)
  if (command.kind !== 'enable') return
  const read = readOrder(command.order, plan, command.order.seed)
  if (!read.ok) throw refuse(action, read.mistakes.map(({ path, message }) => `${path} ${message}`.trim()).join('; '))
}

function refuse(action: string, state: string): GridError {
  return new GridError('invalid_request', `Cannot ${action}: ${state}`)
}
