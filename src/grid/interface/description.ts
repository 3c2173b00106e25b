/** The answers that a simulation gives about itself: description, attacks, grid, records. */

import type { Sliced } from '../../base/slices.ts'
import { attacks, fitsPlan } from '../attacks/catalogue.ts'
import { stepsPerSecond } from '../configuration.ts'
import type { AttacksSnapshot, Catalog } from '../contract/attacks.ts'
import type { ControlRoomSimulation, ControlRoomView } from '../contract/control-room.ts'
import type { GridView } from '../contract/grid.ts'
import type { Simulation } from '../contract/simulation.ts'
import type { Study } from '../contract/studies.ts'
import { findTelecontrol, gridSummary, worldTimeUs } from '../engine.ts'
import { showIncident } from '../records/evidence.ts'
import { formatJsonStream } from '../records/json-stream.ts'
import {
  type IncidentQuery,
  type Records,
  retention,
  selectIncidents,
  selectPackets,
  warnOfProtocol,
} from '../records/records.ts'
import type { Visibility } from '../rights.ts'
import { dueStep } from '../step/step-schedule.ts'
import { combineExternal, describeExternalSimulation, isExternalRunning } from './external.ts'
import type { SimulationMetrics } from './metrics.ts'
import { expectEmbedded, isExternal, type SessionView } from './session-view.ts'
import { describeAttacks } from './snapshot.ts'
import { runStudy } from './studies.ts'
import type { StudyRequest } from './study-requests.ts'
import { describeKnownTopology, describeTopology } from './topology.ts'

/** Facts of the service around a session: listeners and the syslog collector. */
export interface ServiceFacts {
  readonly subscribers: number
  readonly subscribersCutOff: number
  /** Undefined where no collector is set. */
  readonly syslog: SimulationMetrics['syslog']
}

/** The fields of Simulation, and further ones such as mode, speed and retention. */
export function describeSimulation(view: SessionView, service: ServiceFacts, nowMs: number): Simulation {
  const { session, world, records, external } = view
  const { subscribers, subscribersCutOff, syslog } = service
  return {
    ...describeToControlRoom(view, nowMs),
    total_incidents: records.incidents.items.length,
    attacked: records.attacked,
    integrations: listIntegrations(view, service),
    seed: session.configuration.seed,
    subscribers,
    subscribers_cut_off: subscribersCutOff,
    lifetime: { incidents: records.incidents.pushed, frames: records.frames.pushed, ...world.totals },
    ...(syslog !== undefined && { syslog }),
    retention: { incidents: retention.incidents, packets: retention.packets },
    ...(isExternal(session.configuration) ? describeExternalSimulation(external) : { grid: gridSummary(world) }),
  }
}

/** Describes a simulation to its control room, which learns neither the seed nor counts of what attackers did. */
export function describeToControlRoom({ session, world, external }: SessionView, nowMs: number): ControlRoomSimulation {
  const { sessionId, createdMs, configuration, run, speed } = session
  return {
    sim_running: isExternal(configuration) ? isExternalRunning(external, nowMs) : run === 'running',
    session_id: sessionId,
    uptime_s: Math.floor((nowMs - createdMs) / 1000),
    run,
    mode: configuration.mode,
    case: configuration.case,
    speed,
    tick: world.step,
    sim_time: worldTimeUs(world) / 1e6,
  }
}

/** Integrations that work; an outside simulator reports further ones, but not on this interface. */
function listIntegrations({ session, records, external }: SessionView, { syslog }: ServiceFacts) {
  const reported = isExternal(session.configuration) ? external.status?.integrations : undefined
  return {
    pcap: records.frames.items.length > 0,
    ...reported,
    syslog: syslog !== undefined || reported?.syslog === true,
    rest_api: true,
  }
}

/** The numbers of a simulation for a monitoring system. */
export function measureSimulation(
  view: SessionView,
  service: ServiceFacts,
  counts: Pick<SimulationMetrics, 'incidents' | 'alarms' | 'exports'>,
  nowMs: number,
): SimulationMetrics {
  const { session, world, records } = view
  const owed = session.run === 'running' ? Math.max(0, dueStep(session, nowMs) - world.step) : 0
  return {
    run: session.run,
    steps: world.step,
    frames: records.frames.pushed,
    lagSeconds: owed / stepsPerSecond,
    attacks: showAttacks(view).active.length,
    ...counts,
    ...service,
  }
}

/**
 * The devices and the grid; of an outside simulator, the topology that it last sent, which may hold anything.
 *
 * @throws GridError out_of_order when a control room asks, and an outside simulator drives the session.
 */
export function showTopology({ session, world, external }: SessionView, visibility: Visibility): object {
  if (visibility === 'full') {
    return isExternal(session.configuration) ? (external.topology ?? {}) : describeTopology(world)
  }
  expectEmbedded(session.configuration, 'show the topology to a control room')
  return describeKnownTopology(world)
}

/** The attacks that are enabled. */
export function showAttacks({ session, world, external }: SessionView): AttacksSnapshot {
  return isExternal(session.configuration) ? combineExternal(external) : describeAttacks(world)
}

/**
 * Every type of attack that this session can have, with its parameters, bounds and effects; a default is the one that
 * this network has. JSON leaves the functions of an attack out.
 */
export function showCatalog({ world }: Pick<SessionView, 'world'>): Catalog {
  const plan = findTelecontrol(world)
  const possible = attacks.filter((attack) => fitsPlan(attack, plan))
  return {
    attacks: possible.map(({ needs: _, ...attack }) => {
      const fitting = Object.entries(attack.defaults?.({}, plan) ?? {})
      const fitted = fitting.map(([name, value]) => [name, { ...attack.params[name], default: value }])
      return { ...attack, params: { ...attack.params, ...Object.fromEntries(fitted) } }
    }),
  }
}

/**
 * The view of the control centre (estimate, alarms, last values), with the true state except for a control room.
 *
 * @throws GridError out_of_order when an outside simulator drives the session.
 */
export function showGrid({ session, world }: SessionView, visibility: Visibility): GridView | ControlRoomView {
  expectEmbedded(session.configuration, 'show the grid')
  const { estimate, alarms, alarmCount, values, closed, limitAlarms, limitAlarmsSuppressed } = world.view
  const known: ControlRoomView = {
    measured: { values, closed },
    estimate,
    alarms,
    alarm_count: alarmCount,
    limit_alarms: limitAlarms.map(({ key: _, ...alarm }) => alarm),
    limit_alarms_suppressed: limitAlarmsSuppressed,
  }
  if (visibility !== 'full') return known
  const { vmPu, vaRad } = world.plant.solution
  return { truth: { ...gridSummary(world), vm_pu: vmPu, va_rad: vaRad }, ...known }
}

/** The result of a study of the grid as it is now, in slices. */
export function* showStudy({ session, world }: SessionView, request: StudyRequest): Sliced<Study> {
  expectEmbedded(session.configuration, 'run a study')
  return yield* runStudy(world, request)
}

/** The body of Incidents as text, a few records at a time. */
export function listIncidents(records: Records, query: IncidentQuery): Iterable<string> {
  const { count, total, incidents } = selectIncidents(records, query)
  const warnings = [...(query.warnings ?? []), ...warnOfProtocol(query, total)]
  return formatJsonStream({ count, total, ...listed(warnings) }, 'incidents', incidents, showIncident)
}

/** The body of Packets as text, a few records at a time. */
export function listPackets(records: Records, limit: number, warnings: readonly string[] = []): Iterable<string> {
  const { count, total, packets } = selectPackets(records, limit)
  return formatJsonStream({ count, total, ...listed(warnings) }, 'packets', packets)
}

function listed(warnings: readonly string[]): { readonly warnings?: readonly string[] } {
  return warnings.length === 0 ? {} : { warnings }
}
