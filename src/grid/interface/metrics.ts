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
  const family = (name: string, type: MetricFamily['type'], help: string, series: MetricFamily['series']) => ({
    name: `sluice_grid_${name}`,
    type,
    help,
    series,
  })
  /** One series for each simulation that has the number. */
  const one = (
    name: string,
    type: MetricFamily['type'],
    help: string,
    measure: (metrics: SimulationMetrics) => number | undefined,
  ) => {
    const series = simulations.flatMap(({ name: simulation, metrics }): MetricFamily['series'] => {
      const value = measure(metrics)
      return value === undefined ? [] : [{ labels: [['simulation', simulation]], value }]
    })
    return family(name, type, help, series)
  }
  /** One series for each count of each simulation. */
  const many = (name: 'incidents' | 'alarms' | 'exports', label: string, help: string) => {
    const series = simulations.flatMap(({ name: simulation, metrics }) =>
      Object.entries(metrics[name]).map(([key, value = 0]) => {
        const labels: MetricLabels = [
          ['simulation', simulation],
          [label, key],
        ]
        return { labels, value }
      }),
    )
    return family(`${name}_total`, 'counter', help, series)
  }
  const byRun = (['new', 'running', 'paused', 'stopped'] as const).map((run) => ({
    labels: [['run', run]] as const,
    value: simulations.filter(({ metrics }) => metrics.run === run).length,
  }))
  return formatMetrics([
    family('simulations', 'gauge', 'Simulations by what they do', byRun),
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
    many('incidents', 'severity', 'Incidents, clean ones included'),
    many('alarms', 'detector', 'Alarms of the control centre'),
    many('exports', 'kind', 'Downloads that were begun'),
    // Simulations without a collector have no series.
    one('syslog_connected', 'gauge', 'Whether the collector is connected', ({ syslog }) => syslog && +syslog.connected),
    one('syslog_sent_total', 'counter', 'Messages that a connection took', ({ syslog }) => syslog?.sent),
    one('syslog_dropped_total', 'counter', 'Messages that found no room', ({ syslog }) => syslog?.dropped),
    one('syslog_waiting', 'gauge', 'Messages that wait', ({ syslog }) => syslog?.waiting),
    one('syslog_failures', 'gauge', 'Attempts that failed since the last success', ({ syslog }) => syslog?.failures),
  ])
}
