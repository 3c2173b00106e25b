/** The state estimate of a scan, and the measurements of phasor units that contradict it. */

import type { EstimateView } from '../contract/grid.ts'
import { GridError } from '../errors.ts'
import { chiSquareLimit } from '../estimation/bad-data.ts'
import { type Estimate, estimateState } from '../estimation/state-estimation.ts'
import { busPosition, type Network, openBranches } from '../network/network.ts'
import { meterPoints } from '../telecontrol/meters.ts'
import { testCurrents } from './branch-currents.ts'
import type { ControlCentre } from './context.ts'
import { type Finding, livePu, testAngles } from './detection.ts'
import type { PhasorView, View } from './view.ts'

/** Confidence of each test of the estimate: one false alarm in 100,000 clean scans. */
export const scanConfidence = 0.99999

/** The network as the control centre knows it: with the breakers open that were last reported open. */
export function knownNetwork(network: Network, view: View): Network {
  const open = Object.entries(view.closed).flatMap(([number, closed]) => (closed ? [] : [Number(number)]))
  // The same object where no breaker is open: its plan is found without comparing branches.
  return open.length === 0 ? network : openBranches(network, new Set(open))
}

/** The estimate of a scan, and whether a state fits. */
export interface ScanEstimate {
  readonly estimate: EstimateView
  /** False where no state fits: the estimate holds the state before it, with its J and residuals. */
  readonly fits: boolean
}

/**
 * Estimates the state from what the scan collected; undefined where too few meters arrived.
 *
 * @throws GridError as `estimateState` does, but for `not_observable`.
 */
export function estimateScan(context: ControlCentre): ScanEstimate | undefined {
  const { view } = context.world
  const collected = collect(context)
  const measurements = collected.map(({ point, value }) => ({ ...point, value }))
  try {
    const network = knownNetwork(context.network, view)
    const estimate = estimateState(network, measurements, {
      ...(view.estimate === null ? {} : { start: view.estimate }),
      confidence: scanConfidence,
      residualConfidence: scanConfidence,
      grossConfidence: scanConfidence,
    })
    const names = collected.map(({ name }) => name)
    return { estimate: toView(estimate, names, context.startUs / 1e6), fits: estimate.converged }
  } catch (error) {
    // Too few meters arrived to determine every bus: the last estimate stays.
    if (error instanceof GridError && error.code === 'not_observable') return undefined
    throw error
  }
}

/** Chooses what the control centre keeps of an estimate; J and its limit are those before any removal. */
function toView(estimate: Estimate, names: readonly string[], timestamp: number): EstimateView {
  const { firstObjective: objective, removed, vmPu, vaRad } = estimate
  const degreesOfFreedom = estimate.degreesOfFreedom + removed.length
  const threshold = chiSquareLimit(degreesOfFreedom, scanConfidence)
  const nameAt = (index: number) => names[index] ?? `measurement ${index}`
  const suspect = removed[0] ?? estimate.largest
  return {
    timestamp,
    objective,
    threshold,
    degreesOfFreedom,
    suspicious: objective > threshold,
    largest: suspect === null ? null : { name: nameAt(suspect.index), residual: suspect.normalizedResidual },
    removed: removed.map(({ index }) => nameAt(index)),
    vmPu,
    vaRad,
  }
}

/** Collects what arrived in the scan, in the order of the meters. */
function collect(context: ControlCentre) {
  const { view } = context.world
  const fresh = new Set(view.fresh)
  return meterPoints(context.plan).flatMap(({ name, point, unit }) => {
    const reported = fresh.has(name) ? view.values[name] : undefined
    const value = unit === undefined ? reported : recentVoltage(context, view.phasors[unit])
    return value === undefined ? [] : [{ name, point, value }]
  })
}

/** The voltage in the last frame of a phasor unit; undefined where none arrived within the scan. */
function recentVoltage(context: ControlCentre, unit: PhasorView | undefined): number | undefined {
  const scanUs = context.world.configuration.scan_s * 1e6
  if (unit === undefined || context.startUs - unit.arrivedUs > scanUs) return undefined
  return unit.phasors[0]?.magnitudePu
}

/** Compares the angles of the live units with the estimate; it takes three units to tell which one is false. */
export function compareAngles(context: ControlCentre, estimate: EstimateView): readonly Finding[] {
  const { view } = context.world
  const angles = context.plan.pmus.flatMap(({ node, bus }) => {
    const unit = view.phasors[node]
    const measured = unit?.phasors[0]?.angleRad
    const position = busPosition(context.network, bus)
    const estimated = estimate.vaRad[position]
    const isLive = (estimate.vmPu[position] ?? 0) > livePu
    if (unit === undefined || measured === undefined || estimated === undefined) return []
    return isLive && isFresh(context, unit) ? [{ unit: node, measured, estimated }] : []
  })
  return angles.length < 3 ? [] : testAngles(angles)
}

/** Compares the currents that the units measured as the scan began with the estimate. */
export function compareCurrents(context: ControlCentre, estimate: EstimateView): readonly Finding[] {
  const { plan } = context
  const { view } = context.world
  const network = knownNetwork(context.network, view)
  return plan.pmus.flatMap((site) => {
    const unit = view.scanned[site.node]
    return unit === undefined ? [] : testCurrents({ network, plan }, site, unit, estimate)
  })
}

/** Tests that a frame was measured within the last 1.5 s: an older one says nothing about the present. */
export function isFresh(context: ControlCentre, { measuredUs }: PhasorView): boolean {
  return context.startUs - measuredUs < 1.5e6
}
