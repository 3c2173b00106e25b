/** The orders that a simulation takes, each carried out at the moment of its request; refusals are thrown. */

import type { Sliced } from '#base/slices.ts'
import type { Configuration, Order } from '#grid/configuration.ts'
import type { AttackEnableResult } from '#grid/contract/attacks.ts'
import type { HandedIn } from '#grid/contract/scenario.ts'
import { findTelecontrol, type World } from '#grid/engine.ts'
import { GridError } from '#grid/errors.ts'
import { fieldCloseCodes } from '#grid/field/messages.ts'
import { planDisable, planEnable, refuseOrder as refuseEnable } from '#grid/interface/attack-answers.ts'
import type { AttackDisableRequest, AttackEnableRequest } from '#grid/interface/attack-requests.ts'
import type { PlayRequest } from '#grid/interface/scenario-requests.ts'
import {
  expectEmbedded,
  expectStopped,
  isExternal,
  requireAtBus,
  requireBreaker,
} from '#grid/interface/session-view.ts'
import { findNetwork } from '#grid/network/find-network.ts'
import type { Visibility } from '#grid/rights.ts'
import { takeAnswers } from '#grid/scenario/describe.ts'
import { mostPeople } from '#grid/scenario/shape.ts'
import { refuseOrder } from '#grid/step/plant-orders.ts'
import { refuseSocket } from '../../base/refuse-socket.ts'
import { maximumStarts } from '../storage/simulation.ts'
import { describe, type SimulationParts } from './parts.ts'
import type { CommandBody, SimulationSession } from './session.ts'

/**
 * Starts the clock.
 *
 * @throws GridError out_of_order when an outside simulator drives the session.
 * @throws GridError too_many when the log of the session has been filled by starts.
 */
export function start(parts: SimulationParts, nowMs: number): object {
  expectEngine(parts, 'start')
  if (parts.session.commands().length >= maximumStarts && parts.session.session().run !== 'running') {
    throw new GridError('too_many', `Cannot start: the session was started ${maximumStarts} times already`, {
      hint: 'Start a new session: POST /api/v1/sim/reset',
    })
  }
  parts.clock.setRun('running', nowMs)
  parts.clock.start()
  return describe(parts)
}

/**
 * Stops the clock.
 *
 * @throws GridError out_of_order when an outside simulator drives the session.
 */
export function stop(parts: SimulationParts, nowMs: number): object {
  expectEngine(parts, 'stop')
  parts.clock.advanceNow(nowMs)
  parts.clock.setRun('stopped', nowMs)
  return describe(parts)
}

/** Begins a new session; fields that are absent keep their present value, but a case ends the use of a network. */
export function begin({ session }: SimulationParts, change: Partial<Configuration>): void {
  const { network, ...present } = session.session().configuration
  const kept = network === undefined || change.case !== undefined ? present : { ...present, network }
  session.create({ ...kept, ...change }, Date.now())
}

/** Begins a new session, announces it to the listeners, and wakes it. */
export function reset(parts: SimulationParts, change: Partial<Configuration>): object {
  begin(parts, change)
  return renew(parts)
}

/** Begins the session anew, with its scenario where it plays one: the same octets unless an operator gives orders. */
export function restart(parts: SimulationParts): object {
  const value = parts.store.readScenario()
  if (value === undefined) return reset(parts, {})
  parts.session.play(value, Date.now())
  return renew(parts)
}

/**
 * Begins a session that plays a scenario; one with mistakes is refused.
 *
 * @throws GridError invalid_request when the scenario has mistakes.
 */
export function play(parts: SimulationParts, { value, start: isStarted }: PlayRequest): object {
  parts.session.play(value, Date.now())
  if (!isStarted) parts.session.write({ run: 'stopped' })
  return renew(parts)
}

/** Keeps answers to the questions of a scenario; refused before its end, and for more people than a session keeps. */
export function handIn({ session, store }: SimulationParts, handedIn: HandedIn): object {
  session.expectExisting()
  const kept = takeAnswers(session.scenario(), session.world().step, handedIn)
  if (store.writeAnswers(kept, mostPeople)) return kept
  throw new GridError('too_many', `Cannot hand answers in: the session holds those of ${mostPeople} others`)
}

function renew(parts: SimulationParts): object {
  parts.external.reset()
  parts.clock.touch()
  parts.audience.announce({ topic: 'status', data: { event: 'reset', ...describe(parts) } })
  for (const diagram of Object.values(parts.diagrams)) diagram.repeat()
  parts.field.reset()
  return describe(parts)
}

/**
 * Computes steps in slices. An order between them acts at the step that they have reached; one that starts the clock or
 * another session ends them.
 *
 * @throws GridError out_of_order when the clock runs, or an outside simulator drives the session.
 */
export function* step(parts: SimulationParts, steps: number): Sliced<object> {
  expectStopped(parts.session.session())
  yield* parts.clock.stepBy(steps)
  return describe(parts)
}

/**
 * Sets the speed, as a multiple of the wall clock's.
 *
 * @throws GridError out_of_order when an outside simulator drives the session.
 */
export function setSpeed(parts: SimulationParts, speed: number, nowMs: number): object {
  expectEngine(parts, 'set the speed')
  parts.clock.advanceNow(nowMs)
  parts.clock.setSpeed(speed, nowMs)
  // A check that was planned at the speed before could come too late.
  parts.clock.checkNow()
  return describe(parts)
}

/**
 * Takes an order of an operator or a fault, which the next step carries out. For the control room no order is refused
 * for the state of the plant, because the refusal would tell it.
 *
 * @throws GridError out_of_order when an outside simulator drives the session, or the plant cannot carry the order out.
 * @throws GridError invalid_request when the network does not have the breaker, or no machine or load at the bus.
 * @throws GridError too_many when the command log is full.
 */
export function takeOrder(parts: SimulationParts, order: OrderBody, visibility: Visibility, nowMs: number): object {
  const action = actions[order.kind]
  expectEngine(parts, action)
  expectPlace(parts.session.world(), order)
  parts.clock.advanceNow(nowMs)
  const { plant, configuration, step } = parts.session.world()
  const refusal = refuseOrder(visibility === 'full' ? plant : undefined, findNetwork(configuration), { ...order, step })
  if (refusal !== undefined) throw new GridError('out_of_order', `Cannot ${action}: ${refusal}`, hintFor(order.kind))
  const taken = parts.session.command(order)
  if (order.kind === 'acknowledge') {
    parts.audience.announce({ topic: 'grid', audience: 'all', data: { event: 'acknowledged', numbers: order.numbers } })
  }
  return taken
}

/** An order without its step. */
export type OrderBody = Extract<CommandBody, { readonly kind: Order['kind'] }>

const actions: Readonly<Record<Order['kind'], string>> = {
  switch: 'switch a breaker',
  restore: 'restore load',
  generator: 'order a machine',
  trip: 'put a fault on a line',
  tap: 'move a tap',
  load: 'scale the loads',
  acknowledge: 'acknowledge alarms',
}

/** Refuses an order to a breaker, machine or load that the network does not have. */
function expectPlace(world: World, order: OrderBody): void {
  if ('breaker' in order && order.breaker !== undefined) requireBreaker(findTelecontrol(world), order.breaker)
  if ((order.kind === 'generator' || order.kind === 'restore') && order.bus !== undefined) {
    requireAtBus(findNetwork(world.configuration), order.kind, order.bus)
  }
}

function hintFor(kind: Order['kind']) {
  if (kind !== 'switch') return {}
  return { hint: 'POST /api/v1/grid/join {"breaker": ...} steers one side until they are in step' }
}

/** Opens the connection of a front with the sockets of masters from outside; refused in a session without the engine. */
export function openField({ field, clock, session }: SimulationParts): Response {
  if (session.isForgotten() || isExternal(session.session().configuration)) {
    const state = 'Cannot connect: the session is fed from outside or was deleted'
    return refuseSocket(fieldCloseCodes.refused, state)
  }
  return field.connect(clock)
}

/** Enables an attack in a session that the engine drives, or lists every mistake of the request. */
export function enableAttack(
  { world, session, command }: Pick<SimulationSession, 'world' | 'session' | 'command'>,
  request: AttackEnableRequest,
): AttackEnableResult {
  const plan = planEnable(world(), request, session().run === 'stopped')
  if (!plan.ok) return plan.result
  try {
    command({ kind: 'enable', order: plan.order })
  } catch (error) {
    if (error instanceof GridError) return refuseEnable(plan.order.type, error)
    throw error
  }
  return plan.result
}

/** Enables an attack, here or in the outside simulator; the answer says whether it was enabled. */
export function enable(parts: SimulationParts, request: AttackEnableRequest, nowMs: number): object {
  const { session, external, audience, clock } = parts
  if (isExternal(session.session().configuration)) return external.enable(request, audience.listeners, nowMs)
  clock.advanceNow(nowMs)
  const result = enableAttack(session, request)
  if (result.success) audience.announce({ topic: 'attack', data: { event: 'enabled', ...result } })
  return result
}

/** Ends one attack or all, here or in the outside simulator; always acknowledged. */
export function disable(parts: SimulationParts, request: AttackDisableRequest, nowMs: number): object {
  const { session, external, audience, clock } = parts
  if (isExternal(session.session().configuration)) return external.disable(request, audience.listeners)
  clock.advanceNow(nowMs)
  const result = planDisable(session.world(), request)
  if (result.disabled.length > 0) {
    session.command({ kind: 'disable', attackIds: result.disabled })
    audience.announce({ topic: 'attack', data: { event: 'disabled', ...result } })
  }
  return result
}

/** Ends every stream and forgets the session in memory; the tables are still to be deleted. */
export function end({ audience, syslog, session, external, field }: SimulationParts): void {
  const reason = 'closed: the simulation was deleted'
  audience.listeners.closeAll(reason)
  audience.relays.closeAll(reason)
  syslog.close()
  field.end()
  session.forget(Date.now())
  external.forget()
}

/** Refuses an order in a session that an outside simulator drives. */
function expectEngine({ session }: SimulationParts, action: string): void {
  expectEmbedded(session.session().configuration, action)
}
