/** One step of a simulation: 100 ms of grid, telecontrol and attackers, in a fixed order. */

import { createRandom } from '../base/random.ts'
import { findAttack } from './attacks/catalogue.ts'
import { isScheduled, openScene } from './channel/attackers.ts'
import { flush } from './channel/deliver.ts'
import { applyField } from './channel/outside.ts'
import type { Command, Configuration, FieldEntry } from './configuration.ts'
import type { GridSummary } from './contract/simulation.ts'
import { finishScan, measuredFrequency, testUnits } from './control-centre/control-centre.ts'
import { expectBreaker } from './control-centre/supervision.ts'
import { createView } from './control-centre/view.ts'
import { findNetwork } from './network/find-network.ts'
import { createPlant, stepPlant } from './plant/plant.ts'
import { withTaps } from './plant/tap-changers.ts'
import type { StreamEvent } from './records/broadcast.ts'
import { toIsoTime } from './records/incident.ts'
import type { NewRecords } from './records/records.ts'
import { round } from './round.ts'
import { applyCommand } from './step/apply-command.ts'
import { recordGap } from './step/drafts.ts'
import { carryOut } from './step/plant-orders.ts'
import { takeSamples } from './step/samples.ts'
import { receiveMessage, reportSwitching, stations } from './step/stations/catalogue.ts'
import { isScanStart } from './step/stations/polling.ts'
import { announce, operate } from './step/stations/switching.ts'
import { type FieldOctets, openStepContext, type Pending, type StepContext, stepTimeUs } from './step/step-context.ts'
import { serveTime } from './step/time-service.ts'
import type { World } from './step/world.ts'
import { planTelecontrol } from './telecontrol/plan-telecontrol.ts'

export { readWorld, type World } from './step/world.ts'

/** The output of a step besides the next world. */
export interface StepOutput extends NewRecords {
  readonly events: readonly StreamEvent[]
  /** Octets for masters from outside. */
  readonly field: readonly FieldOctets[]
}

/** The world before its first step. */
export function createWorld(configuration: Configuration): World {
  return {
    configuration,
    step: 0,
    commandsApplied: 0,
    clock: { step: 0, timeUs: (configuration.start_time ?? 0) * 1_000_000 },
    random: {},
    plant: createPlant(configuration),
    connections: {},
    hosts: { seed: configuration.seed, identifications: {} },
    addresses: {},
    clocks: {},
    acknowledgments: [],
    samples: {},
    outstations: {},
    goose: {},
    configured: {},
    view: createView(),
    attacks: [],
    attackNumber: 0,
    lastAttackId: null,
    held: [],
    field: { applied: 0, open: 0 },
    orders: [],
    gaps: [],
    nextFrameNo: 1,
    lastFrameUs: 0,
    totals: { total_packets: 0, modified_packets: 0, dropped_packets: 0 },
    ended: null,
  }
}

/** The beginning of the next step in Unix microseconds. */
export function worldTimeUs(world: World): number {
  return stepTimeUs(world, world.step)
}

/** The seed of an attack's random stream when its order names none. */
export function attackSeed(world: World): number {
  return createRandom(world.configuration.seed, `attack ${world.attackNumber + 1}`).uint32()
}

/**
 * Computes the next 100 ms in a fixed order: commands (applied before), loads, machines and relays, a new solution,
 * samples, messages, attackers, delivery, the control centre, the records. `pending` is what masters from outside did.
 */
export function step(world: World, pending?: Pending): StepOutput {
  const context = openStepContext(world, withTaps(findNetwork(world.configuration), world.plant.taps), pending)
  recordGaps(context)
  for (const order of world.orders.splice(0)) carryOut(context, order)
  movePlant(context)
  if (isScanStart(world)) {
    if (world.step > 0) finishScan(context)
    takeSamples(context)
  }
  for (const station of Object.values(stations)) station.poll(context)
  serveTime(context)
  forge(context)
  reportSwitching(context)
  flush(context, receiveMessage)
  if (world.step % 10 === 9) {
    testUnits(context)
    context.events.push({ topic: 'grid', data: { event: 'state', ...gridSummary(world) } })
  }
  const records = context.close()
  world.step += 1
  return { ...records, events: context.events, field: context.field }
}

function recordGaps(context: StepContext): void {
  for (const { fromUs, toUs, reason } of context.world.gaps.splice(0)) {
    const what = reason === 'gap' ? 'No caller computed' : 'Paused'
    recordGap(context.drafts, `${what} from ${toIsoTime(fromUs)} to ${toIsoTime(toUs)}`, context.startUs)
    context.events.push({ topic: 'gap', audience: 'all', data: { from: fromUs / 1e6, to: toUs / 1e6, reason } })
  }
}

function movePlant(context: StepContext): void {
  const { world, plan } = context
  const [unit] = plan.pmus
  const hz = measuredFrequency(world.view, unit?.node)
  const { trips, closings, areTapsMoved, events } = stepPlant(world.plant, world.configuration, {
    step: world.step,
    random: context.random('load'),
    measured: unit === undefined || hz === undefined ? undefined : { bus: unit.bus, hz },
  })
  for (const text of events) announce(context, 'happening', text, context.startUs)
  context.trips.push(...trips)
  if (areTapsMoved) world.view.switched = true
  for (const { branch, cause } of closings) {
    const hasMoved = operate(context, { branch, closed: true, cause, timeUs: context.startUs })
    if (hasMoved && cause === 'synchronizer') expectBreaker(context, branch, true)
  }
}

function forge(context: StepContext): void {
  for (const state of context.world.attacks) {
    const definition = findAttack(state.order.type)
    if (definition?.forge === undefined) continue
    const seen = state.seen[''] ?? 0
    if (isScheduled(state.order, seen)) definition.forge(openScene(context, state, ''))
    state.seen[''] = seen + 1
  }
}

/** The true state of the grid in a few numbers. */
export function gridSummary(world: World): GridSummary {
  const { plant, view } = world
  const { solution, frequency } = plant
  const live = frequency.islands.filter(({ collapsed }) => !collapsed)
  return {
    timestamp: worldTimeUs(world) / 1e6,
    frequency_hz: round(live[0]?.frequencyHz ?? 0, 4),
    load_mw: round(solution.demandMw, 3),
    served_mw: round(solution.servedMw, 3),
    shed_mw: round(Math.max(0, solution.demandMw - solution.servedMw), 3),
    losses_mw: round(solution.lossesMw, 3),
    islands: solution.islands.filter(({ energized }) => energized).length,
    open_breakers: plant.open.length,
    alarms: view.alarmCount,
  }
}

/** The logs of a session, each in order; those that a world has applied are skipped. */
export interface SessionLogs {
  readonly commands: readonly Command[]
  /** The log of masters from outside. */
  readonly field?: readonly FieldEntry[]
}

/** Computes the steps of a session up to `target`; returns what masters from outside did since the last of them. */
export function* replay(
  world: World,
  { commands, field = [] }: SessionLogs,
  target: number,
): Generator<StepOutput, Pending> {
  let pending: Pending = { drafts: [], events: [] }
  for (;;) {
    applyDue(world, commands, field, pending)
    if (world.step >= target) return pending
    yield step(world, pending)
    pending = { drafts: [], events: [] }
  }
}

/** Applies commands and entries of the field that come before the next step, in the order in which they came. */
function applyDue(world: World, commands: readonly Command[], field: readonly FieldEntry[], pending: Pending): void {
  const first = field[0]?.number ?? 1
  for (;;) {
    const entry = field[world.field.applied + 1 - first]
    const command = commands[world.commandsApplied]
    if (entry?.step === world.step && entry.commands <= world.commandsApplied) applyField(world, entry, pending)
    else if (command !== undefined && command.step <= world.step) applyCommand(world, command)
    else return
  }
}

/** The devices of a world's network. */
export function findTelecontrol(world: World) {
  return planTelecontrol(findNetwork(world.configuration))
}
