/** Metrics of simulations: a family for each number, a series for each simulation that has it. */

import { describe, expect, it } from 'vitest'
import { formatGridMetrics, type SimulationMetrics } from '#grid/interface/metrics.ts'

const metrics: SimulationMetrics = {
  run: 'running',
  steps: 120,
  frames: 34,
  lagSeconds: 0.5,
  attacks: 1,
  subscribers: 2,
  subscribersCutOff: 3,
  incidents: { HIGH: 4, INFO: 5 },
  alarms: { chi_square: 6 },
  exports: {},
}

const syslog = { connected: true, sent: 7, failures: 8, waiting: 9, dropped: 10 }

/** The samples of a family, without its help and type. */
function samples(text: string, family: string): string[] {
  return text.split('\n').filter((line) => line.startsWith(`${family}{`) || line.startsWith(`${family} `))
}

describe('formatGridMetrics()', () => {
  it('counts simulations by what they do, also those that none does', () => {
    const text = formatGridMetrics([
      { name: 'a', metrics },
      { name: 'b', metrics },
      { name: 'c', metrics: { ...metrics, run: 'paused' } },
    ])
    expect(samples(text, 'sluice_grid_simulations')).toEqual([
      'sluice_grid_simulations{run="new"} 0',
      'sluice_grid_simulations{run="running"} 2',
      'sluice_grid_simulations{run="paused"} 1',
      'sluice_grid_simulations{run="stopped"} 0',
    ])
  })

  it.each([
    ['steps_total', 120],
    ['frames_total', 34],
    ['lag_seconds', 0.5],
    ['active_attacks', 1],
    ['subscribers', 2],
    ['subscribers_cut_off_total', 3],
    ['syslog_connected', 1],
    ['syslog_sent_total', 7],
    ['syslog_failures', 8],
    ['syslog_waiting', 9],
    ['syslog_dropped_total', 10],
  ])('has %s as %d by simulation', (family, value) => {
    const text = formatGridMetrics([{ name: 'lab', metrics: { ...metrics, syslog } }])
    expect(samples(text, `sluice_grid_${family}`)).toEqual([`sluice_grid_${family}{simulation="lab"} ${value}`])
  })

  it('has a series for each severity, detector and kind that was counted', () => {
    const text = formatGridMetrics([{ name: 'lab', metrics }])
    expect(samples(text, 'sluice_grid_incidents_total')).toEqual([
      'sluice_grid_incidents_total{simulation="lab",severity="HIGH"} 4',
      'sluice_grid_incidents_total{simulation="lab",severity="INFO"} 5',
    ])
    expect(samples(text, 'sluice_grid_alarms_total')).toEqual([
      'sluice_grid_alarms_total{simulation="lab",detector="chi_square"} 6',
    ])
    expect(samples(text, 'sluice_grid_exports_total')).toEqual([])
  })

  it('has no series of a collector where none is set', () => {
    expect(samples(formatGridMetrics([{ name: 'lab', metrics }]), 'sluice_grid_syslog_connected')).toEqual([])
  })
})
