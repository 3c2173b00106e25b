/** One step of a simulation: 100 ms of grid, telecontrol and attackers, in a fixed order. */

import { createRandom } from '../base/random.ts'
import { findAttack } from './attacks/catalogue.ts'
import { isScheduled, openScene } from './channel/attackers.ts'
import { flush } from './channel/deliver.ts'
import type { Command, Configuration } from './configuration.ts'
import type { GridSummary } from './contract/simulation.ts'
import { finishScan, measuredFrequency, testUnits } from './control-centre/control-centre.ts'
import { createView } from './control-centre/view.ts'
import { findCase } from './network/cases/catalogue.ts'
import { createPlant, stepPlant } from './plant/plant.ts'
import type { StreamEvent } from './records/broadcast.ts'
import { toIsoTime } from './records/incident.ts'
import type { NewRecords } from './records/records.ts'
import { applyCommand } from './step/apply-command.ts'
import { recordGap } from './step/drafts.ts'
import { carryOut } from './step/plant-orders.ts'
import { outstationStations, stations } from './step/stations/catalogue.ts'
import { isScanStart, takeSamples } from './step/stations/polling.ts'
import type { OutstationStation } from './step/stations/station.ts'
import { announceHappening, operate } from './step/stations/switching.ts'
import { openStepContext, type StepContext, stepTimeUs } from './step/step-context.ts'
import type { World } from './step/world.ts'
import type { Message } from './telecontrol/message.ts'
import { planTelecontrol } from './telecontrol/telecontrol.ts'

export { readWorld, type World } from './step/world.ts'

/** The output of a step besides the next world. */
export interface StepOutput extends NewRecords {
  readonly events: readonly StreamEvent[]
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
    hosts: {},
    samples: {},
    outstations: {},
    goose: {},
    configured: {},
    view: createView(),
    attacks: [],
    attackNumber: 0,
    lastAttackId: null,
    held: [],
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
 * Computes the next 100 ms.
 *
 * The order is fixed, so that the same world always gives the same octets: commands (applied before), loads and
 * machines and relays, a new solution, samples, messages, attackers, delivery, the control centre, the records.
 */
export function step(world: World): StepOutput {
  const context = openStepContext(world, findCase(world.configuration.case))
  recordGaps(context)
  for (const order of world.orders.splice(0)) carryOut(context, order)
  movePlant(context)
  if (isScanStart(world)) {
    if (world.step > 0) finishScan(context)
    takeSamples(context)
  }
  for (const station of Object.values(stations)) station.poll(context)
  forge(context)
  reportSwitching(context)
  flush(context, receive)
  if (world.step % 10 === 9) {
    testUnits(context)
    context.events.push({ topic: 'grid', data: { event: 'state', ...gridSummary(world) } })
  }
  const records = context.close()
  world.step += 1
  return { ...records, events: context.events }
}

/** Marks the stretches of time that were not computed. */
function recordGaps(context: StepContext): void {
  for (const { fromUs, toUs, reason } of context.world.gaps.splice(0)) {
    const what = reason === 'gap' ? 'No caller computed' : 'Paused'
    recordGap(context.drafts, `${what} from ${toIsoTime(fromUs)} to ${toIsoTime(toUs)}`, context.startUs)
    context.events.push({ topic: 'gap', data: { from: fromUs / 1e6, to: toUs / 1e6, reason } })
  }
}

function movePlant(context: StepContext): void {
  const { world, plan } = context
  const [unit] = plan.pmus
  const hz = measuredFrequency(world.view, unit?.node)
  const { trips, closing, events } = stepPlant(
    world.plant,
    world.configuration,
    world.step,
    context.random('load'),
    unit === undefined || hz === undefined ? undefined : { bus: unit.bus, hz },
  )
  for (const text of events) announceHappening(context, text, context.startUs)
  context.trips.push(...trips)
  if (closing !== undefined) operate(context, closing, true, 'synchronizer', context.startUs)
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

function receive(context: StepContext, message: Message, payload: Uint8Array): void {
  stations[message.protocol].receive(context, message, payload)
  reportSwitching(context)
}

/**
 * Lets outstations report breakers that moved; Modbus has no such report, its master has to ask.
 *
 * A report joins what is on its way at once, so that it takes its place and its numbers on its connection by its time.
 */
function reportSwitching(context: StepContext): void {
  for (const { branch, timeUs } of context.switched.splice(0)) {
    const outstation = context.plan.outstations.find(({ branches }) => branches.includes(branch))
    if (outstation === undefined) continue
    const station: OutstationStation = outstationStations[outstation.protocol]
    station.report?.(context, outstation, branch, timeUs)
  }
}

/** The true state of the grid in a few numbers. */
export function gridSummary(world: World): GridSummary {
  const { plant, view } = world
  const { solution, frequency } = plant
  const live = frequency.islands.filter(({ collapsed }) => !collapsed)
  const round = (value: number, digits: number) => Number(value.toFixed(digits))
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

/**
 * Computes the steps of a session up to one, and applies each command before the step that it names.
 *
 * @param commands - All commands of the session in order; those that the world has applied are skipped.
 * @param target - Number of the step at which the world ends.
 */
export function* replay(world: World, commands: readonly Command[], target: number): Generator<StepOutput> {
  for (;;) {
    for (;;) {
      const due = commands[world.commandsApplied]
      if (due === undefined || due.step > world.step) break
      applyCommand(world, due)
    }
    if (world.step >= target) return
    yield step(world)
  }
}

/** The devices of a world's network. */
export function findTelecontrol(world: World) {
  return planTelecontrol(findCase(world.configuration.case))
}
