/** Protective relays: inverse-time over-current with an integrating disc, under-voltage, breaker failure. */

import type { Network } from '../network/network.ts'

/** The very inverse curve of IEC 60255-151 table A.1, and the time multiplier setting (TMS) of every relay. */
const veryInverse = { k: 13.5, alpha: 1, timeSetting: 0.5 } as const

/** Computes the seconds in which M times the pick-up operates a relay, TMS k / (M^alpha - 1); Infinity up to M = 1. */
export function operatingSeconds(multiple: number): number {
  const { k, alpha, timeSetting } = veryInverse
  return multiple > 1 ? (timeSetting * k) / (multiple ** alpha - 1) : Infinity
}

/** An over-current relay on a branch, fed by the larger of the two ends. */
export interface RelaySetting {
  /** Number of the branch it trips. */
  readonly branch: number
  readonly pickupMva: number
}

/** The travel of each relay's disc, 0 to 1, in the order of the settings. Plain JSON. */
export interface RelayState {
  readonly travel: readonly number[]
}

/** The pick-ups that protect a grid: N-1 secure ones, or 1.25 times the rating. */
export type PickupChoice = 'secure' | 'fragile'

/** One relay for each branch. */
export function relaysFor(network: Network, pickup: PickupChoice = 'secure'): readonly RelaySetting[] {
  return network.branches.map(({ number, securePickupMva, fragilePickupMva }) => ({
    branch: number,
    pickupMva: pickup === 'secure' ? securePickupMva : fragilePickupMva,
  }))
}

/** Discs at rest. */
export function createRelayState(settings: readonly RelaySetting[]): RelayState {
  return { travel: settings.map(() => 0) }
}

/**
 * Turns every disc by dt / t(M), so that a varying current operates after the right mean time (C37.112 eq. 1), and
 * returns the branches to open. Below the pick-up a disc is back at once.
 */
export function stepRelays(
  { travel }: RelayState,
  settings: readonly RelaySetting[],
  loadingsMva: readonly number[],
  dtSeconds: number,
): { readonly state: RelayState; readonly trips: readonly number[] } {
  const trips: number[] = []
  const next = settings.map((setting, index) => {
    const turned = turnDisc(travel[index] ?? 0, setting, loadingsMva[index] ?? 0, dtSeconds)
    // The sum of many dt / t falls short of one by rounding.
    if (turned < 1 - 1e-9) return turned
    trips.push(setting.branch)
    return 0
  })
  return { state: { travel: next }, trips }
}

function turnDisc(travel: number, { pickupMva }: RelaySetting, loadingMva: number, dt: number): number {
  const multiple = loadingMva / pickupMva
  return multiple > 1 ? travel + dt / operatingSeconds(multiple) : 0
}

/** The under-voltage relay of a bus: a design rule, not a standard's. A stage takes `stageShare` of the bus's load. */
export const underVoltage = {
  delayedPu: 0.88,
  delaySeconds: 10,
  /** Seconds between a stage and the next one, while the voltage stays low. */
  stageSeconds: 5,
  stageShare: 0.25,
  instantaneousPu: 0.7,
  /** Seconds of a fault that this stage lets pass: relays and breaker failure clear it within them. */
  rideThroughSeconds: 0.4,
  deadPu: 0.05,
} as const

/** Seconds that each bus has been below the delayed limit, in the order of `network.buses`. Plain JSON. */
export interface UnderVoltageState {
  readonly seconds: readonly number[]
}

/** A stage of an under-voltage relay that acts. */
export interface UnderVoltageTrip {
  readonly bus: number
  /** Share of the bus's whole load that is to be disconnected, 0 to 1. */
  readonly share: number
}

/**
 * Watches the voltages: below 0.7 pu all of a bus's load trips; below 0.88 pu a quarter of it after 10 s, and another
 * every 5 s. A dead bus has nothing to trip. A dip by a fault trips all of a load only when it has lasted for 0.4 s.
 */
export function stepUnderVoltage(
  { seconds }: UnderVoltageState,
  vmPu: readonly number[],
  dtSeconds: number,
  faultSeconds = Infinity,
): { readonly state: UnderVoltageState; readonly trips: readonly UnderVoltageTrip[] } {
  const trips: UnderVoltageTrip[] = []
  const next = vmPu.map((vm, bus) => {
    if (vm < underVoltage.deadPu || vm >= underVoltage.delayedPu) return 0
    const isCollapsing = vm < underVoltage.instantaneousPu && faultSeconds >= underVoltage.rideThroughSeconds - 1e-9
    const waited = (seconds[bus] ?? 0) + dtSeconds
    if (!isCollapsing && waited < underVoltage.delaySeconds - 1e-9) return waited
    trips.push({ bus, share: isCollapsing ? 1 : underVoltage.stageShare })
    return underVoltage.delaySeconds - underVoltage.stageSeconds
  })
  return { state: { seconds: next }, trips }
}

/** Seconds that breaker-failure protection gives a breaker to open. */
export const breakerFailureSeconds = 0.2

/** Breakers that were ordered open and are still closed. Plain JSON. */
export interface BreakerFailureState {
  readonly waiting: readonly { readonly branch: number; readonly seconds: number }[]
}

/** Backs up breakers still `inService` 0.2 s after a trip order: `failed` stayed shut, `backups` are to open. */
export function stepBreakerFailure(
  { waiting }: BreakerFailureState,
  network: Network,
  ordered: readonly number[],
  dtSeconds: number,
): { readonly state: BreakerFailureState; readonly failed: readonly number[]; readonly backups: readonly number[] } {
  const shut = new Set(network.branches.filter(({ inService }) => inService).map(({ number }) => number))
  const known = waiting.map(({ branch, seconds }) => ({ branch, seconds: seconds + dtSeconds }))
  const fresh = ordered
    .filter((branch) => !waiting.some((entry) => entry.branch === branch))
    .map((branch) => ({ branch, seconds: 0 }))
  const still = [...known, ...fresh].filter(({ branch }) => shut.has(branch))
  const isOver = ({ seconds }: { seconds: number }): boolean => seconds >= breakerFailureSeconds - 1e-9
  const failed = still.filter(isOver).map(({ branch }) => branch)
  return {
    state: { waiting: still.filter((entry) => !isOver(entry)) },
    failed,
    backups: listNeighbours(network, failed),
  }
}

function listNeighbours(network: Network, failed: readonly number[]): number[] {
  const ends = new Set(
    network.branches.filter(({ number }) => failed.includes(number)).flatMap(({ from, to }) => [from, to]),
  )
  return network.branches
    .filter(({ number, inService }) => inService && !failed.includes(number))
    .filter(({ from, to }) => ends.has(from) || ends.has(to))
    .map(({ number }) => number)
}
