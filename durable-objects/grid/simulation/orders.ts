/** Orders of operators and faults, each carried out at the moment of its request; refusals are thrown. */

import type { Order } from '#grid/configuration.ts'
import { findTelecontrol, type World } from '#grid/engine.ts'
import { GridError } from '#grid/errors.ts'
import { expectEmbedded, requireAtBus, requireBreaker } from '#grid/interface/session-view.ts'
import { findNetwork } from '#grid/network/find-network.ts'
import type { Visibility } from '#grid/rights.ts'
import { refuseOrder } from '#grid/step/plant-orders.ts'
import type { SimulationParts } from './parts.ts'
import type { CommandBody } from './session-log.ts'

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
  expectEmbedded(parts.session.session().configuration, action)
  expectPlace(parts.session.world(), order)
  parts.stepper.advanceNow(nowMs)
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
