/** What a simulation shows of itself: its description, its topology, its attacks, its grid, its records. */

import { attacks } from '../../../src/grid/attacks/catalogue.ts'
import { stepsPerSecond } from '../../../src/grid/configuration.ts'
import { gridSummary, worldTimeUs } from '../../../src/grid/engine.ts'
import { combineExternal, describeExternalSimulation } from '../../../src/grid/interface/external.ts'
import type { SimulationMetrics } from '../../../src/grid/interface/metrics.ts'
import { describeAttacks } from '../../../src/grid/interface/snapshot.ts'
import { runStudy } from '../../../src/grid/interface/studies.ts'
import type { StudyRequest } from '../../../src/grid/interface/study-requests.ts'
import { describeTopology } from '../../../src/grid/interface/topology.ts'
import { showIncident } from '../../../src/grid/records/evidence.ts'
import { formatListing } from '../../../src/grid/records/json-stream.ts'
import {
  type IncidentQuery,
  retention,
  selectIncidents,
  selectPackets,
  warnOfProtocol,
} from '../../../src/grid/records/records.ts'
import { dueStep } from '../../../src/grid/step/step-schedule.ts'
import type { AttacksSnapshot, Simulation } from '../../../src/grid/types.ts'
import type { SimulationAudience } from './audience.ts'
import type { SimulationFeed } from './external-session.ts'
import { expectEmbedded, isExternal, type SimulationRun } from './run.ts'
import type { Syslog } from './syslog.ts'

/** What views are made of. */
export interface Shown {
  readonly run: SimulationRun
  readonly feed: SimulationFeed
  readonly audience: SimulationAudience
  readonly syslog: Syslog
}

/** The fields of Simulation, and what else is worth knowing at a glance. */
export function describeSimulation({ run, feed, audience, syslog }: Shown, nowMs: number): Simulation {
  const session = run.session()
  const records = run.records()
  const world = run.world()
  const told = isExternal(run) ? feed.state().status?.integrations : undefined
  const sending = syslog.state()
  return {
    sim_running: isExternal(run) ? feed.isRunning(nowMs) : session.run === 'running',
    session_id: session.sessionId,
    uptime_s: Math.floor((nowMs - session.createdMs) / 1000),
    total_incidents: records.incidents.items.length,
    attacked: records.attacked,
    integrations: {
      pcap: records.frames.items.length > 0,
      ...told,
      syslog: sending !== undefined || told?.syslog === true,
      rest_api: true,
    },
    run: session.run,
    mode: session.configuration.mode,
    case: session.configuration.case,
    seed: session.configuration.seed,
    speed: session.speed,
    tick: world.step,
    sim_time: worldTimeUs(world) / 1e6,
    subscribers: audience.count(),
    subscribers_cut_off: audience.listeners.cutOff(),
    lifetime: { incidents: records.incidents.pushed, frames: records.frames.pushed, ...world.totals },
    ...(sending === undefined ? {} : { syslog: sending }),
    retention: { incidents: retention.incidents, packets: retention.packets },
    ...(isExternal(run) ? describeExternalSimulation(feed.state()) : { grid: gridSummary(world) }),
  }
}

/** The numbers of a simulation for a monitoring system. */
export function measureSimulation(
  shown: Shown,
  counts: Pick<SimulationMetrics, 'incidents' | 'alarms' | 'exports'>,
  nowMs: number,
): SimulationMetrics {
  const { run, audience, syslog } = shown
  const session = run.session()
  const { step } = run.world()
  const owed = session.run === 'running' ? Math.max(0, dueStep(session, nowMs) - step) : 0
  return {
    run: session.run,
    steps: step,
    frames: run.records().frames.pushed,
    lagSeconds: owed / stepsPerSecond,
    attacks: showAttacks(shown).active.length,
    subscribers: audience.count(),
    subscribersCutOff: audience.listeners.cutOff(),
    ...counts,
    syslog: syslog.state(),
  }
}

/** The devices that talk and the grid behind them; of an outside simulator, what it last said. */
export function showTopology({ run, feed }: Shown): object {
  return isExternal(run) ? (feed.state().topology ?? {}) : describeTopology(run.world())
}

/** The attacks that are enabled. */
export function showAttacks({ run, feed }: Shown): AttacksSnapshot {
  return isExternal(run) ? combineExternal(feed.state()) : describeAttacks(run.world())
}

/** Every type of attack with its parameters, bounds and effects. */
export function showCatalog(): object {
  return { attacks: attacks.map(({ alter: _, forge: __, touches: ___, check: ____, ...told }) => told) }
}

/** What the control centre believes beside what is true: estimate, alarms, last values. */
export function showGrid({ run }: Shown): object {
  expectEmbedded(run, 'show the grid')
  const { view, plant } = run.world()
  const { estimate, alarms, alarmCount, values, closed } = view
  const { vmPu, vaRad } = plant.solution
  const truth = { ...gridSummary(run.world()), vm_pu: vmPu, va_rad: vaRad }
  return { truth, measured: { values, closed }, estimate, alarms, alarm_count: alarmCount }
}

/** What would happen in the grid as it is now. */
export function showStudy({ run }: Shown, request: StudyRequest): object {
  expectEmbedded(run, 'run a study')
  return runStudy(run.world(), request)
}

/** The body of Incidents as text, a few records at a time. */
export function listIncidents({ run }: Shown, query: IncidentQuery): Iterable<string> {
  const { count, total, incidents } = selectIncidents(run.records(), query)
  const warnings = [...(query.warnings ?? []), ...warnOfProtocol(query, total)]
  return formatListing({ count, total, ...listed(warnings) }, 'incidents', incidents, showIncident)
}

/** The body of Packets as text, a few records at a time. */
export function listPackets(
  { run }: Shown,
  limit: number,
  warnings: readonly string[] = [],
): Iterable<string> {
  const { count, total, packets } = selectPackets(run.records(), limit)
  return formatListing({ count, total, ...listed(warnings) }, 'packets', packets)
}

function listed(warnings: readonly string[]): { readonly warnings?: readonly string[] } {
  return warnings.length === 0 ? {} : { warnings }
}
