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

const sessionMeasures: readonly Measure[] = [
  {
    name: 'steps_total',
    type: 'counter',
    help: 'Steps of 100 ms in the present session',
    measure: ({ steps }) => steps,
  },
  {
    name: 'frames_total',
    type: 'counter',
    help: 'Captured frames in the present session',
    measure: ({ frames }) => frames,
  },
  {
    name: 'lag_seconds',
    type: 'gauge',
    help: 'Simulated time that is due and not computed',
    measure: ({ lagSeconds }) => lagSeconds,
  },
  { name: 'active_attacks', type: 'gauge', help: 'Enabled attacks', measure: ({ attacks }) => attacks },
  {
    name: 'subscribers',
    type: 'gauge',
    help: 'Open event streams; a relay counts once',
    measure: ({ subscribers }) => subscribers,
  },
  {
    name: 'subscribers_cut_off_total',
    type: 'counter',
    help: 'Event streams that were ended because their reader did not read',
    measure: ({ subscribersCutOff }) => subscribersCutOff,
  },
]

/** Simulations without a collector have no series. */
const syslogMeasures: readonly Measure[] = [
  {
    name: 'syslog_connected',
    type: 'gauge',
    help: 'Whether the collector is connected',
    measure: ({ syslog }) => syslog && +syslog.connected,
  },
  {
    name: 'syslog_sent_total',
    type: 'counter',
    help: 'Messages that a connection took',
    measure: ({ syslog }) => syslog?.sent,
  },
  {
    name: 'syslog_dropped_total',
    type: 'counter',
    help: 'Messages that found no room',
    measure: ({ syslog }) => syslog?.dropped,
  },
  { name: 'syslog_waiting', type: 'gauge', help: 'Messages that wait', measure: ({ syslog }) => syslog?.waiting },
  {
    name: 'syslog_failures',
    type: 'gauge',
    help: 'Attempts that failed since the last success',
    measure: ({ syslog }) => syslog?.failures,
  },
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
