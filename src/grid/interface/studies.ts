/** Studies of the grid as it is now; they read the simulation and do not change it. */

import type { Sliced } from '../../base/slices.ts'
import { toDegrees } from '../angles.ts'
import type { Study } from '../contract/studies.ts'
import { knownNetwork } from '../control-centre/scan-estimate.ts'
import { GridError } from '../errors.ts'
import { chiSquareLimit } from '../estimation/bad-data.ts'
import { findNetwork } from '../network/find-network.ts'
import { type Network, totalLoadMw } from '../network/network.ts'
import { presentNetwork } from '../plant/moment-network.ts'
import { relaysFor } from '../plant/protection.ts'
import { solvePowerFlow } from '../power-flow/power-flow.ts'
import { round } from '../round.ts'
import type { World } from '../step/world.ts'
import { runCascade } from '../studies/cascade.ts'
import { analyzeContingencies, type Contingency, screenContingencies } from '../studies/contingency.ts'
import { type DcEstimate, estimateDcState } from '../studies/dc-state-estimation.ts'
import { solveFastDecoupled } from '../studies/fast-decoupled.ts'
import { readMeters } from '../telecontrol/meters.ts'
import { planTelecontrol } from '../telecontrol/plan-telecontrol.ts'
import type { Telecontrol } from '../telecontrol/telecontrol.ts'
import { requireBreaker } from './session-view.ts'
import type { StudyRequest } from './study-requests.ts'

/** Share of clean scans that the limit of an estimate's J lets pass. */
const confidence = 0.95

const sliceOutages = 30

/** The members of an answer that a study finds. */
type ResultOf<Kind extends Study['study']> = Omit<
  Extract<Study, { readonly study: Kind }>,
  'study' | keyof ReturnType<typeof describeCase>
>

/** The inputs of every study. */
interface Case {
  readonly world: World
  readonly plan: Telecontrol
  /** The grid of this moment: open breakers, loads with what was shed, machines at what they give. */
  readonly network: Network
}

/**
 * Runs a study on the grid as it is at the next step, in slices of some 20 ms; powers in MW and MVA, angles in degrees.
 *
 * @throws GridError invalid_request when a breaker does not exist.
 * @throws GridError out_of_order when the control centre has not yet collected what an estimate needs.
 * @throws GridError not_solvable when a matrix of the study is singular.
 */
export function* runStudy(world: World, request: StudyRequest): Sliced<Study> {
  const plan = planTelecontrol(findNetwork(world.configuration))
  const studied = { world, plan, network: presentNetwork(world.plant, world.configuration, world.step) }
  const head = describeCase(studied)
  switch (request.kind) {
    case 'contingency': {
      const { method } = request
      const outages = method === 'ac' ? yield* solveOutages(studied, request) : screenOutages(studied, request)
      return { study: request.kind, ...head, ...outages }
    }
    case 'cascade':
      return { study: request.kind, ...head, ...(yield* followCascade(studied, request)) }
    case 'fast-decoupled':
      return { study: request.kind, ...head, ...compareFlows(studied, request) }
    case 'dc-estimation':
      return { study: request.kind, ...head, ...compareEstimates(studied) }
  }
}

function describeCase({ world, plan, network }: Case) {
  return {
    case: world.configuration.case,
    load_mw: round(totalLoadMw(network), 3),
    open_breakers: world.plant.open.map((branch) => nameBreaker(plan, branch)),
  }
}

type OutageRequest = Extract<StudyRequest, { readonly kind: 'contingency' }>

/** Every outage solved by AC power flow; those without a solution first, then by the highest share of a rating. */
function* solveOutages(
  { world, plan, network }: Case,
  { method, limit }: OutageRequest,
): Sliced<ResultOf<'contingency'>> {
  const { vmPu, vaRad } = world.plant.solution
  const base = solvePowerFlow(network, { start: { vmPu, vaRad } })
  const found: Contingency[] = []
  for (const contingency of analyzeContingencies(network, base)) {
    if (found.push(contingency) % sliceOutages === 0) yield
  }
  found.sort((one, other) => rank(other) - rank(one))
  const outages = found
    .slice(0, limit)
    .map(({ branch, from, to, outcome, separated, lowest, worst }) => ({
      breaker: nameBreaker(plan, branch),
      from,
      to,
      outcome,
      separated,
      lowest: lowest === null ? null : { bus: lowest.bus, vm_pu: round(lowest.vmPu, 5) },
      worst:
        worst === null
          ? null
          : {
              breaker: nameBreaker(plan, worst.branch),
              loading_mva: round(worst.loadingMva, 3),
              loading_percent: round(worst.loadingPercent, 2),
            },
    }))
  return { method, count: outages.length, total: found.length, outages }
}

function rank({ outcome, worst }: Contingency): number {
  if (outcome === 'divergent') return Number.POSITIVE_INFINITY
  return outcome === 'island' ? Number.MAX_VALUE : (worst?.loadingPercent ?? 0)
}

/** Every outage ranked by the flows that the DC model expects; the model has active power only, so there are no voltages. */
function screenOutages({ plan, network }: Case, { method, limit }: OutageRequest) {
  const open = new Set(network.branches.filter(({ inService }) => !inService).map(({ number }) => number))
  const found = screenContingencies(network).filter(({ branch }) => !open.has(branch))
  const outages = found
    .slice(0, limit)
    .map(({ branch, splitsIsland, worstBranch, worstPercent }) => ({
      breaker: nameBreaker(plan, branch),
      outcome: splitsIsland ? ('island' as const) : ('screened' as const),
      worst:
        worstBranch === null
          ? null
          : { breaker: nameBreaker(plan, worstBranch), loading_percent: round(worstPercent, 2) },
    }))
  return { method, count: outages.length, total: found.length, outages }
}

/** One overload after another, from the breakers that the request opens. */
function* followCascade(
  { plan, network }: Case,
  { open, pickup }: Extract<StudyRequest, { readonly kind: 'cascade' }>,
): Sliced<ResultOf<'cascade'>> {
  const refuse = (breaker: string) => `Cannot run the study: no breaker is called "${breaker.slice(0, 64)}"`
  const opened = new Set(open.map((breaker) => requireBreaker(plan, breaker, refuse(breaker))))
  const { trips, servedMw, lostMw } = yield* runCascade(network, opened, relaysFor(network, pickup))
  return {
    opened: open,
    pickup,
    trips: trips.map(({ branch, atSeconds, multiple }) => ({
      breaker: nameBreaker(plan, branch),
      at_s: round(atSeconds, 3),
      multiple_of_pickup: round(multiple, 3),
    })),
    served_mw: round(servedMw, 3),
    lost_mw: round(lostMw, 3),
  }
}

/** The fast decoupled method beside Newton's, both from flat. */
function compareFlows({ network }: Case, { scheme }: Extract<StudyRequest, { readonly kind: 'fast-decoupled' }>) {
  const decoupled = solveFastDecoupled(network, scheme)
  const newton = solvePowerFlow(network)
  const differences = decoupled.vmPu.map((vm, bus) => Math.abs(vm - (newton.vmPu[bus] ?? 0)))
  return {
    scheme,
    converged: decoupled.converged,
    iterations: decoupled.iterations,
    history: decoupled.history.map(({ p, q }) => ({ p_mismatch_pu: p, q_mismatch_pu: q })),
    newton: { converged: newton.converged, iterations: newton.iterations },
    largest_difference_pu: Math.max(0, ...differences),
    vm_pu: decoupled.vmPu,
    va_deg: decoupled.vaRad.map((_, position) => degreesAt(decoupled, position)),
  }
}

/** The DC estimate of the last values that arrived, beside the AC estimate and the truth. */
function compareEstimates(studied: Case) {
  const { world, network } = studied
  const estimate = estimateFromView(studied)
  const limit = chiSquareLimit(estimate.degreesOfFreedom, confidence)
  return {
    objective: round(estimate.objective, 4),
    limit: round(limit, 4),
    degrees_of_freedom: estimate.degreesOfFreedom,
    suspicious: estimate.objective > limit,
    angles: network.buses.map(({ id }, position) => ({
      bus: id,
      dc_deg: degreesAt(estimate, position),
      ac_deg: world.view.estimate && degreesAt(world.view.estimate, position),
      true_deg: degreesAt(world.plant.solution, position),
    })),
  }
}

function degreesAt({ vaRad }: { readonly vaRad: readonly number[] }, position: number): number {
  return round(toDegrees(vaRad[position] ?? 0), 5)
}

function estimateFromView({ world, plan }: Case): DcEstimate {
  const { view } = world
  try {
    return estimateDcState(knownNetwork(findNetwork(world.configuration), view), readMeters(plan, view.values))
  } catch (error) {
    if (!(error instanceof GridError) || error.code !== 'not_observable') throw error
    throw new GridError('out_of_order', 'Cannot estimate the DC state: too few meters have reported', {
      hint: 'Every outstation reports once in a scan: POST /api/v1/sim/step {"steps": 20} computes one of 2 s',
      cause: error,
    })
  }
}

function nameBreaker({ breakerNames }: Telecontrol, branch: number): string {
  return breakerNames.get(branch) ?? `branch ${branch}`
}
