/** Carries out the orders of an operator to the plant: breakers, machines, load that returns. */

import type { CommandOf, Order, PlantOrder } from '../configuration.ts'
import { expectBreaker } from '../control-centre/supervision.ts'
import type { Network } from '../network/network.ts'
import { addFault, cancelReclosing } from '../plant/faults.ts'
import { isLive } from '../plant/frequency-islands.ts'
import {
  connectMachine,
  disconnectMachine,
  isLost,
  loseMachines,
  refuseConnection,
} from '../plant/machine-connection.ts'
import {
  takesPowerReference,
  takesVoltageSetpoint,
  writePowerReference,
  writeVoltageSetpoint,
} from '../plant/machine-orders.ts'
import { refuseRestoration, restoreLoad } from '../plant/shed-load.ts'
import type { Plant } from '../plant/state.ts'
import { measureSynchronism, refuseClosing } from '../plant/synchronism.ts'
import { hasTap, moveTap } from '../plant/tap-changers.ts'
import { planTelecontrol } from '../telecontrol/plan-telecontrol.ts'
import { speaks } from './connections.ts'
import { operateControl } from './stations/mms-dialogue.ts'
import { connectionId } from './stations/session.ts'
import { announce, isClosed, operate } from './stations/switching.ts'
import type { StepContext } from './step-context.ts'

/** Says why an order to a breaker or machine that exists cannot be carried out, now or, without a plant, ever. */
export function refuseOrder(plant: Plant | undefined, base: Network, order: Order): string | undefined {
  switch (order.kind) {
    case 'switch': {
      const branch = planTelecontrol(base).branchByBreaker.get(order.breaker)
      const isChecked = order.closed && order.closing === undefined
      if (branch === undefined || !isChecked || plant?.open.includes(branch) !== true) return undefined
      return refuseClosing(plant, base, branch)
    }
    case 'restore':
      return plant && refuseRestoration(plant, order.bus)
    case 'generator':
      return refuseMachineOrder(plant, base, order)
    case 'tap':
      return refuseTap(base, order)
    default:
      return undefined
  }
}

function refuseMachineOrder(
  plant: Plant | undefined,
  base: Network,
  { bus, connected, p_mw: pMw, v_pu: vPu }: CommandOf<'generator'>,
): string | undefined {
  const unit = base.generators.find((one) => one.bus === bus)
  if (vPu !== undefined && !takesVoltageSetpoint(base, bus, vPu)) return `it takes 0.8 to 1.2 pu, not ${vPu}`
  if (pMw !== undefined && !takesPowerReference(base, bus, pMw)) {
    return `it takes ${unit?.pMinMw ?? 0} to ${unit?.pMaxMw ?? 0} MW, not ${pMw}`
  }
  const [first] = machinesAt(base, bus)
  if (first === undefined || plant === undefined) return undefined
  const refusal = connected ? refuseConnection(plant, base, first) : undefined
  const runs = isLive(plant.frequency, bus) && (connected ?? !isLost(plant, first))
  return refusal ?? (pMw === undefined || runs ? undefined : 'it takes a power reference only while it runs')
}

function refuseTap(base: Network, { breaker }: CommandOf<'tap'>): string | undefined {
  const { branchByBreaker, breakerNames } = planTelecontrol(base)
  const tapped = base.branches.filter(hasTap).map(({ number }) => number)
  if (tapped.includes(branchByBreaker.get(breaker) ?? 0)) return undefined
  const known = tapped.map((number) => breakerNames.get(number)).join(', ')
  return `${breaker} has no transformer with a tap; those of ${known === '' ? 'this network: none' : known} have one`
}

function machinesAt({ generators }: Network, bus: number): readonly number[] {
  return generators.flatMap((unit, position) => (unit.bus === bus ? [position] : []))
}

/** Carries an order out; one that cannot be carried out any more is announced as refused. */
export function carryOut(context: StepContext, order: PlantOrder): void {
  if (order.kind === 'trip') trip(context, order)
  else if (order.kind === 'switch') switchBreaker(context, order)
  else if (order.kind === 'tap') orderTap(context, order)
  else {
    const reason = refuseOrder(context.world.plant, context.network, order)
    if (reason !== undefined) announce(context, 'refused', `an order was not carried out: ${reason}`, context.startUs)
    else if (order.kind === 'restore') restore(context, order)
    else orderMachine(context, order)
  }
}

function switchBreaker(context: StepContext, order: CommandOf<'switch'>): void {
  const { breaker, closed, closing } = order
  const branch = context.plan.branchByBreaker.get(breaker)
  if (branch === undefined) return
  const { plant } = context.world
  if (plant.synchronizer?.branch === branch) delete plant.synchronizer
  cancelReclosing(plant, branch, closed)
  if (closing === undefined && operateByMms(context, branch, order)) return
  if (closed && closing === 'synchronized' && measureSynchronism(plant, context.network, branch) !== undefined) {
    const left = plant.synchronizer && context.plan.breakerNames.get(plant.synchronizer.branch)
    if (left !== undefined) {
      announce(context, 'happening', `the synchronizer left ${left} for ${breaker}`, context.startUs)
    }
    plant.synchronizer = { branch, seconds: 0 }
    return
  }
  const isForced = closing === 'forced'
  operate(context, { branch, closed, cause: 'operator', timeUs: context.startUs, isForced })
  // The check of synchronism may have refused it.
  if (isClosed(context, branch) === closed) expectBreaker(context, branch, closed)
}

/** Sends an order to the IEC 61850 station that has the breaker; false where there is none, or no association. */
function operateByMms(context: StepContext, branch: number, order: CommandOf<'switch'>): boolean {
  const outstation = context.plan.outstations.find(({ branches }) => branches.includes(branch))
  const connection = outstation && context.world.connections[connectionId(outstation)]
  if (outstation === undefined || !speaks(connection, 'MMS')) return false
  if (connection.flow.phase !== 'established' || connection.dialogue.phase !== 'open') return false
  const isBusy = context.queue.some(({ carrier }) => carrier.kind === 'tcp' && carrier.connection === connection.id)
  // A station holds one selection of a client: a second order leaves in the next step.
  if (isBusy) context.world.orders.push(order)
  else {
    const move = { index: outstation.branches.indexOf(branch), closed: order.closed }
    operateControl({ context, connection, outstation }, { ...move, timeUs: context.startUs + orderUs })
  }
  return true
}

/** Microseconds from the beginning of a step to an order that goes over the wire: after the answers to its reads. */
const orderUs = 60_000

/** The relay of a line sends its trip, at once or as long as the fault lasts; a machine leaves at once. */
function trip(
  { network, plan, world, trips, events, startUs }: StepContext,
  { breaker, bus, fault_s: faultS }: CommandOf<'trip'>,
): void {
  const branch = breaker === undefined ? undefined : plan.branchByBreaker.get(breaker)
  if (branch !== undefined && faultS !== undefined) addFault(world.plant, branch, faultS)
  else if (branch !== undefined) trips.push(branch)
  if (bus === undefined) return
  const running = machinesAt(network, bus).filter((machine) => !isLost(world.plant, machine))
  loseMachines(world.plant, network, running, 'protection')
  announce({ events }, 'happening', `the protection took the machine at bus ${bus} off`, startUs)
}

function orderTap(context: StepContext, { breaker, position }: CommandOf<'tap'>): void {
  const { plan, world, startUs } = context
  const branch = plan.branchByBreaker.get(breaker)
  if (branch === undefined || !moveTap(world.plant, branch, position)) return
  // Measurements before and after it do not fit together.
  world.view.switched = true
  announce(context, 'happening', `the operator moved the tap at ${breaker} to step ${position}`, startUs)
}

function restore(context: StepContext, { bus, share }: CommandOf<'restore'>): void {
  const buses = restoreLoad(context.world.plant, bus, share)
  announce(context, 'happening', `the operator connected load at ${buses.length} buses`, context.startUs)
}

function orderMachine(context: StepContext, { bus, connected, p_mw: pMw, v_pu: vPu }: CommandOf<'generator'>): void {
  const { network, world, startUs } = context
  for (const machine of machinesAt(network, bus)) {
    if (connected === true) connectMachine(world.plant, machine)
    else if (connected === false) disconnectMachine(world.plant, network, machine)
  }
  if (pMw !== undefined) writePowerReference(world.plant, network, bus, pMw)
  if (vPu !== undefined) writeVoltageSetpoint(world.plant, network, bus, vPu)
  const state = connected === undefined ? 'set' : connected ? 'connected' : 'disconnected'
  announce(context, 'happening', `the operator ${state} the machine at bus ${bus}`, startUs)
}
