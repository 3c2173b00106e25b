/** A day of the grid in which nobody attacks, with three pauses in it: no alarm beyond the stated rate. */

import { runClean } from '../test/support/alarm-matrix.ts'
import { grouped, type Soak, scaled } from './outcome.ts'

const stepsOfDay = 864_000

/** Scan tests pass a clean scan with 99.999 % each; 43,200 scans and two tests give less than three with 95 %. */
const statedAlarms = 3

export const run: Soak = async (scale) => {
  const steps = scaled(stepsOfDay, scale)
  const { alarms } = runClean(steps, 1, 1)
  const ofScans = alarms.filter(
    ({ detector }) => detector === 'chi_square' || detector === 'largest_residual',
  )
  const others = alarms.filter((alarm) => !ofScans.includes(alarm))
  const violations = others.map(({ detector, where, text }) => `${detector} at ${where}: ${text}`)
  if (ofScans.length > statedAlarms) {
    violations.push(`${ofScans.length} alarms of the scan tests, stated are at most ${statedAlarms}`)
  }
  return {
    done: `${grouped(steps)} steps of case14, three pauses, nobody attacks`,
    facts: [`${ofScans.length} alarms of the scan tests`, `${others.length} others`],
    violations,
  }
}
