/** The work of the control centre: it ends scans, tests phasor frames and units, and raises alarms. */

import type { EstimateView } from '../contract/grid.ts'
import { findIslands } from '../network/islands.ts'
import { raise } from './alarms.ts'
import { followAngle, testAngleRate } from './angle-rate.ts'
import type { ControlCentre } from './context.ts'
import { type Finding, reportMisfit, testEstimate, testFrequencies, testNominal, testPhasors } from './detection.ts'
import { countRepeats, testFrozen } from './frozen-channels.ts'
import { superviseFrequency } from './limit-alarms.ts'
import { compareAngles, compareCurrents, estimateScan, isFresh, knownNetwork } from './scan-estimate.ts'
import { superviseLoad } from './supervision.ts'
import type { PhasorView, View } from './view.ts'

/** The frequency that secondary control acts on, of the first phasor unit; undefined before its first frame. */
export function measuredFrequency(view: View, firstUnit: string | undefined): number | undefined {
  const last = firstUnit === undefined ? undefined : view.phasors[firstUnit]
  return last === undefined || last.frequencyHz <= 0 ? undefined : last.frequencyHz
}

/** Ends a scan: estimates the state from what arrived, and clears what the scan collected. */
export function finishScan(context: ControlCentre): void {
  const { view } = context.world
  // A scan in which a breaker moved mixes two grids: its residuals are not evidence.
  const scan = view.fresh.length > 0 && !view.switched ? estimateScan(context) : undefined
  if (scan !== undefined) {
    const { estimate, fits } = scan
    if (fits) view.estimate = estimate
    raise(
      context,
      'scan',
      fits
        ? [...testEstimate(estimate), ...compareAngles(context, estimate), ...compareCurrents(context, estimate)]
        : [reportMisfit(estimate)],
    )
    announce(context, estimate)
  }
  superviseLoad(context)
  raise(context, 'silence', findSilent(context))
  view.fresh = []
  view.scanned = {}
  view.switched = false
}

/** Puts a new estimate on the event stream. */
function announce({ events, startUs }: ControlCentre, estimate: EstimateView): void {
  const { objective: j, threshold: limit, suspicious, largest } = estimate
  const data = { timestamp: startUs / 1e6, event: 'estimate', j, limit, suspicious, largest }
  events.push({ topic: 'grid', audience: 'all', data })
}

/** Finds outstations and units that have been silent for three of their intervals, and at least for a second. */
function findSilent({ world, startUs }: ControlCentre): readonly Finding[] {
  const { view, configuration } = world
  const findSilence = (node: string, lastUs: number, intervalS: number): readonly Finding[] => {
    const silentS = (startUs - Math.max(lastUs, view.liveUs)) / 1e6
    if (silentS <= Math.max(intervalS * 3, 1)) return []
    const evidence = { silent_s: Number(silentS.toFixed(1)), interval_s: intervalS }
    return [{ detector: 'stale', where: node, text: `not heard for ${silentS.toFixed(1)} s`, evidence }]
  }
  return [
    ...Object.entries(view.heardUs).flatMap(([node, us]) => findSilence(node, us, configuration.scan_s)),
    ...Object.entries(view.phasors).flatMap(([node, { arrivedUs }]) =>
      findSilence(node, arrivedUs, 1 / configuration.pmu_rate),
    ),
  ]
}

/** Tests a phasor frame that has just arrived, and remembers it. */
export function acceptPhasors(context: ControlCentre, unit: string, now: PhasorView): void {
  const { view, configuration } = context.world
  const { f0Hz } = context.network
  const last = view.phasors[unit]
  const before = last === undefined || isBeforePause(view, last, now) ? undefined : last
  const turning = followAngle(before === undefined ? undefined : view.turning[unit], now, f0Hz)
  const repeats = countRepeats(view.repeats[unit] ?? [], before, now)
  if (turning === undefined) delete view.turning[unit]
  else view.turning[unit] = turning
  view.repeats[unit] = repeats
  view.phasors[unit] = now
  if (view.scanned[unit] === undefined) view.scanned = { ...view.scanned, [unit]: now }
  raise(context, `frame ${unit}`, [
    ...testPhasors(unit, before, now, { intervalUs: 1e6 / configuration.pmu_rate, liveUs: view.liveUs }),
    ...testNominal(unit, now, f0Hz),
    ...(turning === undefined ? [] : testAngleRate(unit, turning)),
    ...testFrozen(unit, repeats),
  ])
}

/** Tests that a pause lies between a frame and the next one: the two are not compared. */
function isBeforePause({ liveUs }: View, last: PhasorView, now: PhasorView): boolean {
  // An attacker may hold frames over the pause: they arrive after it and were measured before it.
  return last.arrivedUs < liveUs || (last.measuredUs < liveUs && now.measuredUs >= liveUs)
}

/** Tests the units of each island against each other; the engine calls it once a second. */
export function testUnits(context: ControlCentre): void {
  const { view } = context.world
  const present = context.plan.pmus.flatMap(({ node, bus }) => {
    const unit = view.phasors[node]
    return unit === undefined || !isFresh(context, unit) ? [] : [{ node, bus, unit }]
  })
  const islands = findIslands(knownNetwork(context.network, view))
  const busesOf = islands.map(({ buses }) => buses)
  superviseFrequency(context, busesOf, present)
  const findings = busesOf.flatMap((buses) =>
    testFrequencies(
      Object.fromEntries(present.filter(({ bus }) => buses.includes(bus)).map(({ node, unit }) => [node, unit])),
    ),
  )
  raise(context, 'units', findings)
}
