/** The metrics of the simulations of a deployment. */

import { formatMetrics, type MetricFamily, type MetricLabels } from '../../base/prometheus.ts'
import type { Severity } from '../types.ts'

/** Counts of one simulation since its object began, and its present state. */
export interface SimulationMetrics {
  readonly run: 'new' | 'running' | 'paused' | 'stopped'
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
  readonly syslog?:
    | {
        readonly connected: boolean
        readonly sent: number
        readonly failures: number
        readonly waiting: number
        readonly dropped: number
      }
    | undefined
}

/** A simulation by its name. */
export interface NamedMetrics {
  readonly name: string
  readonly metrics: SimulationMetrics
}

/** Reads one number of a simulation. */
type Measure = (metrics: SimulationMetrics) => number | undefined

/** Reads counts by severity, detector or kind. */
type Count = (metrics: SimulationMetrics) => Readonly<Record<string, number | undefined>>

const runs = ['new', 'running', 'paused', 'stopped'] as const

/** Writes the metrics of every simulation in the text format of Prometheus. */
export function formatGridMetrics(simulations: readonly NamedMetrics[]): string {
  const one: OneNumber = (name, type, help, measure) => ({
    name: `sluice_grid_${name}`,
    type,
    help,
    series: simulations.flatMap((simulation) => toSeries(simulation, measure)),
  })
  const many = (name: string, label: string, help: string, count: Count): MetricFamily => ({
    name: `sluice_grid_${name}`,
    type: 'counter',
    help,
    series: simulations.flatMap((simulation) => toCountSeries(simulation, label, count)),
  })
  return formatMetrics([
    simulationsByRun(simulations),
    one('steps_total', 'counter', 'Steps of 100 ms in the present session', ({ steps }) => steps),
    one('frames_total', 'counter', 'Captured frames in the present session', ({ frames }) => frames),
    one('lag_seconds', 'gauge', 'Simulated time that is due and not computed', ({ lagSeconds }) => lagSeconds),
    one('active_attacks', 'gauge', 'Enabled attacks', ({ attacks }) => attacks),
    one('subscribers', 'gauge', 'Open event streams; a relay counts once', ({ subscribers }) => subscribers),
    one(
      'subscribers_cut_off_total',
      'counter',
      'Event streams that were ended because their reader did not read',
      ({ subscribersCutOff }) => subscribersCutOff,
    ),
    many('incidents_total', 'severity', 'Incidents, clean ones included', ({ incidents }) => incidents),
    many('alarms_total', 'detector', 'Alarms of the control centre', ({ alarms }) => alarms),
    many('exports_total', 'kind', 'Downloads that were begun', ({ exports }) => exports),
    ...syslogFamilies(one),
  ])
}

function simulationsByRun(simulations: readonly NamedMetrics[]): MetricFamily {
  return {
    name: 'sluice_grid_simulations',
    type: 'gauge',
    help: 'Simulations by what they do',
    series: runs.map((run) => ({
      labels: [['run', run]],
      value: simulations.filter(({ metrics }) => metrics.run === run).length,
    })),
  }
}

/** Makes the family of a number that every simulation has at most once. */
type OneNumber = (name: string, type: MetricFamily['type'], help: string, measure: Measure) => MetricFamily

/** The queue to the collector; simulations without a collector have no series. */
function syslogFamilies(one: OneNumber): MetricFamily[] {
  return [
    one('syslog_connected', 'gauge', 'Whether the collector is connected', ({ syslog }) =>
      syslog === undefined ? undefined : Number(syslog.connected),
    ),
    one('syslog_sent_total', 'counter', 'Messages that a connection took', ({ syslog }) => syslog?.sent),
    one('syslog_dropped_total', 'counter', 'Messages that found no room', ({ syslog }) => syslog?.dropped),
    one('syslog_waiting', 'gauge', 'Messages that wait', ({ syslog }) => syslog?.waiting),
    one('syslog_failures', 'gauge', 'Attempts that failed since the last success', ({ syslog }) => syslog?.failures),
  ]
}

/** One series for each simulation that has the number. */
function toSeries({ name, metrics }: NamedMetrics, measure: Measure): MetricFamily['series'] {
  const value = measure(metrics)
  return value === undefined ? [] : [{ labels: [['simulation', name]], value }]
}

/** One series for each count of a simulation. */
function toCountSeries({ name, metrics }: NamedMetrics, label: string, count: Count): MetricFamily['series'] {
  return Object.entries(count(metrics)).map(([key, value = 0]) => {
    const labels: MetricLabels = [
      ['simulation', name],
      [label, key],
    ]
    return { labels, value }
  })
}
