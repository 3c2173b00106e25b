/** One step of a simulation: 100 ms of grid, telecontrol and attackers, in a fixed order. */

import { createRandom } from '../base/random.ts'
import { findAttack } from './attacks/catalogue.ts'
import { flush, isScheduled, sceneOf } from './channel.ts'
import { type Command, type Configuration, type SessionDocument, stepUs } from './configuration.ts'
import { finishScan, measuredFrequency, testUnits } from './control-centre/control-centre.ts'
import { expectBreaker, expectLoad } from './control-centre/supervision.ts'
import { createView } from './control-centre/view.ts'
import { findCase } from './network/cases/catalogue.ts'
import { createPlant, stepPlant } from './plant/plant.ts'
import type { StreamEvent } from './records/broadcast.ts'
import { toIsoTime } from './records/incident.ts'
import type { NewRecords } from './records/records.ts'
import { pollDnp3, receiveDnp3, reportDnp3 } from './step/stations/dnp3.ts'
import { publishGoose, receiveGoose } from './step/stations/goose.ts'
import { pollIec104, receiveIec104, reportIec104 } from './step/stations/iec104.ts'
import { pollModbus, receiveModbus } from './step/stations/modbus.ts'
import { receivePhasors, reportPhasors } from './step/stations/phasors.ts'
import { isScanStart, takeSamples } from './step/stations/polling.ts'
import { operate } from './step/stations/switching.ts'
import { openStepContext, recordGap, type StepContext, stepTimeUs } from './step/step-context.ts'
import type { World } from './step/world.ts'
import type { Message } from './telecontrol/message.ts'
import { planTelecontrol } from './telecontrol/telecontrol.ts'

export { readWorld, type World } from './step/world.ts'

/** What a step leaves behind besides the next world. */
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
    goose: {},
    configured: {},
    view: createView(),
    attacks: [],
    attackNumber: 0,
    lastAttackId: null,
    held: [],
    switching: [],
    gaps: [],
    nextFrameNo: 1,
    lastFrameUs: 0,
    totals: { total_packets: 0, modified_packets: 0, dropped_packets: 0 },
    ended: null,
  }
}

/** Microseconds since the Unix epoch at which the next step begins. */
export function worldTimeUs(world: World): number {
  return stepTimeUs(world, world.step)
}

/** The seed of an attack's random stream when its order names none. */
export function attackSeed(world: World): number {
  return createRandom(world.configuration.seed, `attack ${world.attackNumber + 1}`).uint32()
}

/** Applies a command at the step that it names; the world changes in place. */
export function applyCommand(world: World, command: Command): void {
  world.commandsApplied += 1
  switch (command.kind) {
    case 'enable': {
      const { order } = command
      // Enabling a type again replaces it: the newest parameters are the ones in force.
      endAttacks(world, world.attacks.filter((state) => state.order.type === order.type).map(idOf))
      world.attackNumber += 1
      world.lastAttackId = order.attack_id
      world.attacks.push({
        order,
        sinceUs: worldTimeUs(world),
        seen: {},
        counters: { total_packets: 0, modified_packets: 0, dropped_packets: 0 },
        memory: {},
      })
      return
    }
    case 'disable':
      endAttacks(world, command.attackIds)
      return
    case 'clock': {
      const fromUs = worldTimeUs(world)
      if (command.reason !== 'start') standStill(world, fromUs, command.timeUs, command.reason)
      world.clock = { step: world.step, timeUs: command.timeUs }
      return
    }
    case 'switch':
      world.switching.push({ breaker: command.breaker, closed: command.closed })
      return
    case 'load':
      world.plant.loadScale = command.scale
      expectLoad(world)
      return
  }
}

/** Lets time pass in which nothing was computed: nothing was measured, sent or missed in it. */
function standStill(world: World, fromUs: number, toUs: number, reason: 'resume' | 'gap'): void {
  if (toUs <= fromUs) return
  if (toUs - fromUs > stepUs) world.gaps.push({ fromUs, toUs, reason })
  world.view.liveUs = toUs
  for (const state of Object.values(world.goose)) state.nextUs += toUs - fromUs
}

function idOf({ order }: World['attacks'][number]): string {
  return order.attack_id
}

/** Ends attacks; their connections are torn down by the next step. */
function endAttacks(world: World, attackIds: readonly string[]): void {
  for (const state of world.attacks) {
    if (!attackIds.includes(state.order.attack_id)) continue
    world.ended = { ...state, memory: {} }
  }
  world.attacks = world.attacks.filter((state) => !attackIds.includes(state.order.attack_id))
  for (const [id, connection] of Object.entries(world.connections)) {
    if (connection.label !== null && attackIds.includes(connection.label.attack_id))
      delete world.connections[id]
  }
}

/**
 * Computes the next 100 ms.
 *
 * The order is fixed, so that the same world always gives the same octets: commands (applied before), loads and
 * machines and relays, a new solution, samples, messages, attackers, delivery, the control centre, the records.
 */
export function step(world: World): StepOutput {
  const context = openStepContext(world, findCase(world.configuration.case))
  for (const { fromUs, toUs, reason } of world.gaps.splice(0)) {
    const what = reason === 'gap' ? 'No caller computed' : 'Paused'
    recordGap(context, `${what} from ${toIsoTime(fromUs)} to ${toIsoTime(toUs)}`, context.startUs)
    context.events.push({ topic: 'gap', data: { from: fromUs / 1e6, to: toUs / 1e6, reason } })
  }
  for (const { breaker, closed } of world.switching.splice(0)) {
    const branch = context.plan.branchByBreaker.get(breaker)
    if (branch === undefined) continue
    expectBreaker(context, branch, closed)
    operate(context, branch, closed, 'operator', context.startUs)
  }
  const trips = movePlant(context)
  if (isScanStart(context)) {
    if (world.step > 0) finishScan(context)
    takeSamples(context)
  }
  reportPhasors(context)
  pollModbus(context)
  pollDnp3(context)
  pollIec104(context)
  publishGoose(context, trips)
  forge(context)
  flush(context, receive)
  reportSwitching(context)
  if (world.step % 10 === 9) {
    testUnits(context)
    context.events.push({ topic: 'grid', data: { event: 'state', ...gridSummary(world) } })
  }
  const records = context.close()
  world.step += 1
  return { ...records, events: context.events }
}

function movePlant(context: StepContext): readonly number[] {
  const { world, plan } = context
  const measuredHz = measuredFrequency(world.view, plan.pmus[0]?.node)
  const { trips, happenings } = stepPlant(
    world.plant,
    world.configuration,
    world.step,
    context.random('load'),
    measuredHz,
  )
  for (const text of happenings) {
    context.events.push({
      topic: 'grid',
      data: { timestamp: context.startUs / 1e6, event: 'happening', text },
    })
  }
  return trips
}

function forge(context: StepContext): void {
  for (const state of context.world.attacks) {
    const definition = findAttack(state.order.type)
    if (definition?.forge === undefined) continue
    const seen = state.seen[''] ?? 0
    if (isScheduled(state.order, seen)) definition.forge(sceneOf(context, state, ''))
    state.seen[''] = seen + 1
  }
}

function receive(context: StepContext, message: Message, payload: Uint8Array): void {
  const { carrier } = message
  const connection = carrier.kind === 'tcp' ? context.world.connections[carrier.connection] : undefined
  if (message.protocol === 'GOOSE') receiveGoose(context, message, payload)
  else if (message.protocol === 'C37.118') receivePhasors(context, message, payload)
  else if (connection === undefined) return
  else if (message.protocol === 'Modbus') receiveModbus(context, message, connection, payload)
  else if (message.protocol === 'DNP3') receiveDnp3(context, message, connection, payload)
  else receiveIec104(context, message, connection, payload)
}

/** Lets the outstations report what moved by themselves; Modbus has no such thing, its master has to ask. */
function reportSwitching(context: StepContext): void {
  for (const { branch, timeUs } of context.switched.splice(0)) {
    const outstation = context.plan.outstations.find(({ branches }) => branches.includes(branch))
    if (outstation?.protocol === 'DNP3') reportDnp3(context, outstation, branch, timeUs)
    if (outstation?.protocol === 'IEC104') reportIec104(context, outstation, branch, timeUs)
  }
  flush(context, receive)
}

/** The grid in a few numbers: true ones, as an omniscient observer sees them. */
export function gridSummary(world: World): Record<string, number> {
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
 * Computes a whole session again, one step at a time.
 *
 * @param document - What the session was made from; the same document gives the same octets.
 */
export function* replaySession(document: SessionDocument): Generator<StepOutput> {
  const world = createWorld(document.configuration)
  let next = 0
  while (world.step < document.steps) {
    for (let due = document.commands[next]; due !== undefined && due.step <= world.step; ) {
      applyCommand(world, due)
      next += 1
      due = document.commands[next]
    }
    yield step(world)
  }
}

/** The devices of a world's network. */
export function telecontrolOf(world: World) {
  return planTelecontrol(findCase(world.configuration.case))
}
