/** The control centre at work: estimating the state after each scan, testing what arrived, raising alarms. */

import { GridError } from '../errors.ts'
import { chiSquareLimit } from '../estimation/bad-data.ts'
import type { Measurement } from '../estimation/measurements.ts'
import { estimateState } from '../estimation/state-estimation.ts'
import { findIslands } from '../network/islands.ts'
import { busPosition, type Network } from '../network/network.ts'
import type { StepContext } from '../step/step-context.ts'
import { meterPoints } from '../telecontrol/meters.ts'
import { raise } from './alarms.ts'
import { followAngle, testAngleRate } from './angle-rate.ts'
import { testCurrents } from './branch-currents.ts'
import type { Finding } from './detection.ts'
import { testAngles, testEstimate, testFrequencies, testNominal, testPhasors } from './detection.ts'
import { countRepeats, testFrozen } from './frozen-channels.ts'
import { superviseLoad } from './supervision.ts'
import type { EstimateView, PhasorView, View } from './view.ts'

/** How sure the tests of the estimate are that a clean scan passes them, each: one false alarm in 100,000 scans. */
export const scanConfidence = 0.99999

/** The frequency that secondary control acts on: that of the first phasor unit; undefined before it reported. */
export function measuredFrequency(view: View, firstUnit: string | undefined): number | undefined {
  const heard = firstUnit === undefined ? undefined : view.phasors[firstUnit]
  return heard === undefined || heard.frequencyHz <= 0 ? undefined : heard.frequencyHz
}

/** Ends a scan: estimates the state from what arrived, and begins to collect anew. */
export function finishScan(context: StepContext): void {
  const { view } = context.world
  const estimate = view.fresh.length > 0 && !view.switched ? estimateScan(context) : undefined
  // A scan in which a breaker moved mixes two grids; what does not fit then is not evidence of anything.
  if (estimate !== undefined) {
    view.estimate = estimate
    raise(context, 'scan', [
      ...testEstimate(estimate),
      ...compareAngles(context, estimate),
      ...compareCurrents(context, estimate),
    ])
    context.events.push({
      topic: 'grid',
      data: {
        timestamp: context.startUs / 1e6,
        event: 'estimate',
        j: estimate.objective,
        limit: estimate.threshold,
        suspicious: estimate.suspicious,
        largest: estimate.largest,
      },
    })
  }
  superviseLoad(context)
  raise(context, 'silence', findSilent(context))
  view.fresh = []
  view.scanned = {}
  view.switched = false
}

/** The network as the control centre knows it: with the breakers open that were last reported open. */
export function knownNetwork(network: Network, view: View): Network {
  // The network itself where no breaker is open: the same branches let its plan be found without a comparison.
  if (!Object.values(view.closed).includes(false)) return network
  return {
    ...network,
    branches: network.branches.map((branch) =>
      view.closed[branch.number] === false ? { ...branch, inService: false } : branch,
    ),
  }
}

function estimateScan(context: StepContext): EstimateView | undefined {
  const { view } = context.world
  const measurements = collect(context)
  try {
    const network = knownNetwork(context.network, view)
    const start =
      view.estimate === null ? {} : { start: { vmPu: view.estimate.vmPu, vaRad: view.estimate.vaRad } }
    const estimate = estimateState(network, measurements, {
      ...start,
      confidence: scanConfidence,
      residualConfidence: scanConfidence,
      grossConfidence: scanConfidence,
    })
    if (!estimate.converged) return undefined
    const degreesOfFreedom = estimate.degreesOfFreedom + estimate.removed.length
    const threshold = chiSquareLimit(degreesOfFreedom, scanConfidence)
    return {
      timestamp: context.startUs / 1e6,
      objective: estimate.firstObjective,
      threshold,
      degreesOfFreedom,
      suspicious: estimate.firstObjective > threshold,
      largest: named(context, estimate.removed[0] ?? estimate.largest),
      removed: estimate.removed.map(({ index }) => nameAt(context, index)),
      vmPu: estimate.vmPu,
      vaRad: estimate.vaRad,
    }
  } catch (error) {
    // Too few meters arrived to determine every bus; the view stays as it was.
    if (error instanceof GridError && error.code === 'not_observable') return undefined
    throw error
  }
}

/** Measurements of the scan in the order of the meters, and where each came from. */
function collect(context: StepContext): Measurement[] {
  return present(context).map(({ point, value }) => ({ ...point, value }))
}

function present(context: StepContext) {
  const { view } = context.world
  const fresh = new Set(view.fresh)
  return meterPoints(context.plan).flatMap(({ name, point }) => {
    const site = name.startsWith('PMU_V_')
      ? context.plan.pmus.find(({ bus }) => name === `PMU_V_${bus}`)
      : undefined
    const value =
      site === undefined
        ? fresh.has(name)
          ? view.values[name]
          : undefined
        : recentVoltage(context, view.phasors[site.node])
    return value === undefined ? [] : [{ name, point, value }]
  })
}

/** The voltage of a phasor unit near the moment of the scan; the frame that lies closest after it began. */
function recentVoltage(context: StepContext, unit: PhasorView | undefined): number | undefined {
  const scanUs = context.world.configuration.scan_s * 1e6
  if (unit === undefined || context.startUs - unit.arrivedUs > scanUs) return undefined
  return unit.phasors[0]?.magnitudePu
}

function nameAt(context: StepContext, index: number): string {
  return present(context)[index]?.name ?? `measurement ${index}`
}

function named(
  context: StepContext,
  suspect: { readonly index: number; readonly normalizedResidual: number } | null,
): EstimateView['largest'] {
  return suspect === null
    ? null
    : { name: nameAt(context, suspect.index), residual: suspect.normalizedResidual }
}

function compareAngles(context: StepContext, estimate: EstimateView): readonly Finding[] {
  const { view } = context.world
  const angles = context.plan.pmus.flatMap(({ node, bus }) => {
    const unit = view.phasors[node]
    const measured = unit?.phasors[0]?.angleRad
    const position = busPosition(context.network, bus)
    const estimated = estimate.vaRad[position]
    const isLive = (estimate.vmPu[position] ?? 0) > 0.1
    if (unit === undefined || measured === undefined || estimated === undefined) return []
    return isLive && isFresh(context, unit) ? [{ unit: node, measured, estimated }] : []
  })
  return angles.length < 3 ? [] : testAngles(angles)
}

/** Compares the currents that the units measured as the scan began with the estimate. */
function compareCurrents(context: StepContext, estimate: EstimateView): readonly Finding[] {
  const { view } = context.world
  const network = knownNetwork(context.network, view)
  return context.plan.pmus.flatMap((site) => {
    const unit = view.scanned[site.node]
    if (unit === undefined) return []
    return testCurrents(network, context.plan, site, unit, estimate)
  })
}

/** Whether a unit was heard a moment ago: one that fell silent turns no further, and says nothing about now. */
function isFresh(context: StepContext, { measuredUs }: PhasorView): boolean {
  return context.startUs - measuredUs < 1.5e6
}

/** Outstations and units that have not been heard for several of their intervals. */
function findSilent(context: StepContext): readonly Finding[] {
  const { view, configuration } = context.world
  const stations = Object.entries(view.heardUs).map(([node, us]) => ({
    node,
    us,
    intervalS: configuration.scan_s,
  }))
  const units = Object.entries(view.phasors).map(([node, { arrivedUs }]) => ({
    node,
    us: arrivedUs,
    intervalS: 1 / configuration.pmu_rate,
  }))
  return [...stations, ...units].flatMap(({ node, us, intervalS }) => {
    const silentS = (context.startUs - Math.max(us, view.liveUs)) / 1e6
    if (silentS <= Math.max(intervalS * 3, 1)) return []
    return [
      {
        detector: 'stale' as const,
        where: node,
        text: `not heard for ${silentS.toFixed(1)} s`,
        evidence: { silent_s: Number(silentS.toFixed(1)), interval_s: intervalS },
      },
    ]
  })
}

/** Tests a phasor frame that has just arrived, and remembers it. */
export function acceptPhasors(context: StepContext, unit: string, now: PhasorView): void {
  const { view, configuration } = context.world
  const last = view.phasors[unit]
  // A frame from before a pause is no neighbour of the first one after it.
  const before = last === undefined || last.arrivedUs < view.liveUs ? undefined : last
  const turning = followAngle(before === undefined ? undefined : view.turning[unit], now)
  const repeats = countRepeats(view.repeats[unit] ?? [], before, now)
  if (turning === undefined) delete view.turning[unit]
  else view.turning[unit] = turning
  view.repeats[unit] = repeats
  view.phasors[unit] = now
  if (view.scanned[unit] === undefined) view.scanned = { ...view.scanned, [unit]: now }
  raise(context, `frame ${unit}`, [
    ...testPhasors(unit, before, now, 1e6 / configuration.pmu_rate),
    ...testNominal(unit, now),
    ...(turning === undefined ? [] : testAngleRate(unit, turning)),
    ...testFrozen(unit, repeats),
  ])
}

/** Tests the units of each island against each other, once in a while. */
export function testUnits(context: StepContext): void {
  const { view } = context.world
  const heard = context.plan.pmus.flatMap(({ node, bus }) => {
    const unit = view.phasors[node]
    return unit === undefined || !isFresh(context, unit) ? [] : [{ node, bus, unit }]
  })
  const findings = findIslands(knownNetwork(context.network, view)).flatMap(({ buses }) =>
    testFrequencies(
      Object.fromEntries(
        heard.filter(({ bus }) => buses.includes(bus)).map(({ node, unit }) => [node, unit]),
      ),
    ),
  )
  raise(context, 'units', findings)
}
