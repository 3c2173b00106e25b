/** The relays of the plant: under-voltage, over-current, breaker failure. */

import { memo } from '../../base/memo.ts'
import { stepSeconds } from '../configuration.ts'
import { type Network, openBranches } from '../network/network.ts'
import { relaysFor, stepBreakerFailure, stepRelays, stepUnderVoltage } from './protection.ts'
import type { PlantScene } from './scene.ts'

/** The part of a step that relays see. */
type Protected = Omit<PlantScene, 'factor'>

/** Advances every relay by 100 ms; returns the branches to open, those with a fault at once. */
export function stepProtection(scene: Protected, faulty: readonly number[]): readonly number[] {
  tripLoads(scene)
  const overloaded = stepOverCurrent(scene).filter((branch) => !faulty.includes(branch))
  const trips = [...faulty, ...overloaded]
  return [...trips, ...backUp(scene, trips)]
}

function stepOverCurrent({ plant, configuration, base }: Protected): readonly number[] {
  const { pickup } = configuration
  if (pickup === 'off') return []
  const loadings = plant.solution.branches.map(({ loadingMva }) => loadingMva)
  const { state, trips } = stepRelays(plant.relays, relaysByPickup(base)[pickup], loadings, stepSeconds)
  plant.relays = state
  return trips.filter((branch) => !plant.open.includes(branch))
}

/** Disconnects load by the stages of the under-voltage relays. */
function tripLoads({ plant, base, events }: Protected): void {
  const { state, trips } = stepUnderVoltage(plant.underVoltage, plant.solution.vmPu, stepSeconds, plant.dip?.seconds)
  plant.underVoltage = state
  for (const { bus: position, share } of trips) {
    const bus = base.buses[position]?.id
    const shed = bus === undefined ? 1 : (plant.shed[bus] ?? 0)
    if (bus === undefined || shed === 1 || !base.loads.some((load) => load.bus === bus)) continue
    plant.shed = { ...plant.shed, [bus]: Math.min(1, shed + share) }
    plant.isStale = true
    events.push(`under-voltage took ${(Math.min(share, 1 - shed) * 100).toFixed(0)} % of the load at bus ${bus}`)
  }
}

/** Orders the neighbours of a breaker open that did not open after its trip. */
function backUp({ plant, base, events }: Protected, trips: readonly number[]): readonly number[] {
  const { breakerFailure: before = { waiting: [] } } = plant
  if (trips.length === 0 && before.waiting.length === 0) return []
  const network = openBranches(base, new Set(plant.open))
  const { state, failed, backups } = stepBreakerFailure(before, network, trips, stepSeconds)
  if (state.waiting.length > 0) plant.breakerFailure = state
  else delete plant.breakerFailure
  for (const branch of failed) {
    events.push(`the breaker of branch ${branch} did not open; breaker failure protection acts around it`)
  }
  return backups
}

const relaysByPickup = memo((base: Network) => ({
  secure: relaysFor(base, 'secure'),
  fragile: relaysFor(base, 'fragile'),
}))
