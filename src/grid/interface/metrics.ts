/** The metrics of the simulations of a deployment. */

import { formatMetrics, type MetricFamily, type MetricLabels } from '../../base/prometheus.ts'
import type { Simulation } from '../contract/simulation.ts'
import type { Severity } from '../types.ts'
import type { RunState } from './session-view.ts'

/** Counts of one simulation since its object began, and its present state. */
export interface SimulationMetrics {
  readonly run: RunState
  /** Of the present session; a new one begins at 0. */
  readonly steps: number
  readonly frames: number
  /** Simulated seconds that are due and not computed. */
  readonly lagSeconds: number
  readonly attacks: number
  readonly subscribers: number
  readonly subscribersCutOff: number
  readonly incidents: Readonly<Partial<Record<Severity, number>>>
  readonly alarms: Readonly<Record<string, number>>
  readonly exports: Readonly<Record<string, number>>
  /** Undefined where no collector is set. */
  readonly syslog?: Simulation['syslog'] | undefined
}

/** A simulation by its name. */
export interface NamedMetrics {
  readonly name: string
  readonly metrics: SimulationMetrics
}

/** Writes the metrics of every simulation in the text format of Prometheus. */
export function formatGridMetrics(simulations: readonly NamedMetrics[]): string {
  return formatMetrics([
    countRuns(simulations),
    ...sessionMeasures.map((measure) => toFamily(measure, simulations)),
    ...counts.map((count) => toCountFamily(count, simulations)),
    ...syslogMeasures.map((measure) => toFamily(measure, simulations)),
  ])
}

function countRuns(simulations: readonly NamedMetrics[]): MetricFamily {
  const series = (['new', 'running', 'paused', 'stopped'] as const).map((run) => ({
    labels: [['run', run]] as const,
    value: simulations.filter(({ metrics }) => metrics.run === run).length,
  }))
  return { name: 'sluice_grid_simulations', type: 'gauge', help: 'Simulations by what they do', series }
}

/** A metric with one series for each simulation that has the number. */
interface Measure extends Pick<MetricFamily, 'name' | 'type' | 'help'> {
  readonly measure: (metrics: SimulationMetrics) => number | undefined
}

type Read = Measure['measure']

const counter = (name: string, help: string, measure: Read): Measure => ({ name, type: 'counter', help, measure })
const gauge = (name: string, help: string, measure: Read): Measure => ({ name, type: 'gauge', help, measure })

const sessionMeasures: readonly Measure[] = [
  counter('steps_total', 'Steps of 100 ms in the present session', ({ steps }) => steps),
  counter('frames_total', 'Captured frames in the present session', ({ frames }) => frames),
  gauge('lag_seconds', 'Simulated time that is due and not computed', ({ lagSeconds }) => lagSeconds),
  gauge('active_attacks', 'Enabled attacks', ({ attacks }) => attacks),
  gauge('subscribers', 'Open event streams; a relay counts once', ({ subscribers }) => subscribers),
  counter(
    'subscribers_cut_off_total',
    'Event streams that were ended because their reader did not read',
    ({ subscribersCutOff }) => subscribersCutOff,
  ),
]

/** Simulations without a collector have no series. */
const syslogMeasures: readonly Measure[] = [
  gauge('syslog_connected', 'Whether the collector is connected', ({ syslog }) => syslog && +syslog.connected),
  counter('syslog_sent_total', 'Messages that a connection took', ({ syslog }) => syslog?.sent),
  counter('syslog_dropped_total', 'Messages that found no room', ({ syslog }) => syslog?.dropped),
  gauge('syslog_waiting', 'Messages that wait', ({ syslog }) => syslog?.waiting),
  gauge('syslog_failures', 'Attempts that failed since the last success', ({ syslog }) => syslog?.failures),
]

function toFamily({ name, type, help, measure }: Measure, simulations: readonly NamedMetrics[]): MetricFamily {
  const series = simulations.flatMap(({ name: simulation, metrics }): MetricFamily['series'] => {
    const value = measure(metrics)
    return value === undefined ? [] : [{ labels: [['simulation', simulation]], value }]
  })
  return { name: `sluice_grid_${name}`, type, help, series }
}

/** A counter with one series for each count of each simulation; `label` names what is counted. */
interface Count {
  readonly name: 'incidents' | 'alarms' | 'exports'
  readonly label: string
  readonly help: string
}

const counts: readonly Count[] = [
  { name: 'incidents', label: 'severity', help: 'Incidents, clean ones included' },
  { name: 'alarms', label: 'detector', help: 'Alarms of the control centre' },
  { name: 'exports', label: 'kind', help: 'Downloads that were begun' },
]

function toCountFamily({ name, label, help }: Count, simulations: readonly NamedMetrics[]): MetricFamily {
  const series = simulations.flatMap(({ name: simulation, metrics }) =>
    Object.entries(metrics[name]).map(([key, value = 0]) => {
      const labels: MetricLabels = [
        ['simulation', simulation],
        [label, key],
      ]
      return { labels, value }
    }),
  )
  return { name: `sluice_grid_${name}_total`, type: 'counter', help, series }
}
