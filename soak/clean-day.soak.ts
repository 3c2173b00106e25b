/** A day of the grid without attacks, with three pauses in it: no alarm beyond the stated rate. */

import type { Alarm } from '#grid/contract/grid.ts'
import { scanConfidence } from '#grid/control-centre/scan-estimate.ts'
import { type CleanScan, runClean } from '#test/support/clean-session.ts'
import { grouped, type Soak, scaled } from './outcome.ts'

const stepsOfDay = 864_000

/** Scan tests pass a clean scan with 99.999 % each; 43,200 scans and two tests give less than three with 95 %. */
const statedAlarms = 3

export const run: Soak = async (scale) => {
  const steps = scaled(stepsOfDay, scale)
  const { alarms, scans } = runClean(steps, 1, 1)
  const ofScans = alarms.filter(({ detector }) => detector === 'chi_square' || detector === 'largest_residual')
  const violations = alarms.filter((alarm) => !ofScans.includes(alarm)).map(describe)
  if (ofScans.length > statedAlarms) {
    violations.push(`${ofScans.length} alarms of the scan tests, stated are at most ${statedAlarms}`)
  }
  const expected = 2 * scans.length * (1 - scanConfidence)
  return {
    done: `${grouped(steps)} steps of case14, three pauses, nobody attacks`,
    facts: [
      `${ofScans.length} alarms of the scan tests where ${expected.toFixed(1)} are expected`,
      ...ofScans.map(describe),
      `${alarms.length - ofScans.length} others`,
      describeScans(scans),
    ],
    violations,
  }
}

function describe({ detector, where, text, timestamp, evidence }: Alarm): string {
  const moment = new Date(timestamp * 1000).toISOString()
  return `${detector} at ${where}, ${moment}: ${text} ${JSON.stringify(evidence)}`
}

/** Describes the spread of the objective of scans: chi-square where the meters are as good as they state. */
function describeScans(scans: readonly CleanScan[]): string {
  const mean = scans.reduce((sum, { objective }) => sum + objective, 0) / scans.length
  const variance = scans.reduce((sum, { objective }) => sum + (objective - mean) ** 2, 0) / scans.length
  const degrees = scans[0]?.degreesOfFreedom ?? 0
  const largest = scans.reduce((most, { residual }) => Math.max(most, residual), 0)
  return [
    `${grouped(scans.length)} scans with ${degrees} degrees of freedom`,
    `mean of J ${mean.toFixed(2)}, variance ${variance.toFixed(1)} where ${2 * degrees} is expected`,
    `largest residual ${largest.toFixed(2)}`,
  ].join(', ')
}
