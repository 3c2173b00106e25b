/** Counts of a simulation for a monitoring system, since its object began. */

import type { Alarm } from '#grid/contract/grid.ts'
import type { StepOutput } from '#grid/engine.ts'
import type { SimulationMetrics } from '#grid/interface/metrics.ts'
import type { Severity } from '#grid/types.ts'

type Counts = Pick<SimulationMetrics, 'incidents' | 'alarms' | 'exports'>

/** Begins to count at zero. The engine names the keys, so their number is bounded. */
export function openTally() {
  const incidents: Partial<Record<Severity, number>> = {}
  const alarms: Record<string, number> = {}
  const exports: Record<string, number> = {}
  return {
    publish(output: StepOutput) {
      for (const { severity = 'INFO' } of output.incidents) {
        incidents[severity] = (incidents[severity] ?? 0) + 1
      }
      for (const { topic, data } of output.events) {
        if (topic !== 'alarm') continue
        // The engine's events of this topic are alarms, see `raise`.
        const { detector } = data as Alarm
        alarms[detector] = (alarms[detector] ?? 0) + 1
      }
    },
    exported(kind: string) {
      exports[kind] = (exports[kind] ?? 0) + 1
    },
    counts: (): Counts => ({ incidents, alarms, exports }),
  }
}
