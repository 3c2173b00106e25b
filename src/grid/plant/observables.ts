/** Observable quantities of a bus or an island: injections, frequency and angle, losses. */

import { busPosition, type Network } from '../network/network.ts'
import { islandAt } from './frequency-islands.ts'
import type { Plant } from './state.ts'

/** Power into the grid at a bus in MW and MVAr: machines less load; zero at a dead bus. */
export function injectionAt(plant: Plant, base: Network, bus: number) {
  // What flows into the branches and the shunt of a bus is what is injected there.
  let { pMw, qMvar } = flowsFrom(plant, base, bus)
  const voltage = plant.solution.vmPu[busPosition(base, bus)] ?? 0
  for (const shunt of base.shunts) {
    if (shunt.bus !== bus) continue
    pMw += shunt.gMw * voltage * voltage
    qMvar -= shunt.bMvar * voltage * voltage
  }
  return { pMw, qMvar }
}

function flowsFrom({ solution }: Plant, base: Network, bus: number) {
  let pMw = 0
  let qMvar = 0
  for (const [index, { from, to }] of base.branches.entries()) {
    const flow = solution.branches[index]
    if (flow === undefined) continue
    if (from === bus) {
      pMw += flow.fromMw
      qMvar += flow.fromMvar
    } else if (to === bus) {
      pMw += flow.toMw
      qMvar += flow.toMvar
    }
  }
  return { pMw, qMvar }
}

/** Frequency and angle of a bus so many seconds into the step, with the rate of change; zero Hz at a dead bus. */
export function rotationAt(plant: Plant, bus: number, later = { seconds: 0, f0Hz: 0 }) {
  const island = islandAt(plant.frequency, bus)
  if (island === undefined || island.collapsed) return { frequencyHz: 0, rocofHzPerS: 0, angleRad: 0 }
  const { frequencyHz, rocofHzPerSecond, angleRad } = island
  const { seconds, f0Hz } = later
  return {
    frequencyHz: frequencyHz + rocofHzPerSecond * seconds,
    rocofHzPerS: rocofHzPerSecond,
    angleRad: angleRad + 2 * Math.PI * (frequencyHz - f0Hz + (rocofHzPerSecond * seconds) / 2) * seconds,
  }
}

/** Losses of one island in MW: those of its branches and shunts, or of a whole grid the total, less where load fell. */
export function lossesIn(
  { solution, frequency }: Plant,
  network: Network,
  buses: ReadonlySet<number>,
  loadMw: number,
): number {
  const { lossesMw, servedMw, vmPu, branches } = solution
  if (frequency.islands.length === 1) return servedMw > 0 ? lossesMw * Math.min(1, loadMw / servedMw) : 0
  const inBranches = network.branches.reduce((sum, { from }, index) => {
    const flow = branches[index]
    return flow !== undefined && buses.has(from) ? sum + flow.fromMw + flow.toMw : sum
  }, 0)
  return network.shunts.reduce((sum, { bus, gMw }) => {
    const voltage = buses.has(bus) ? (vmPu[busPosition(network, bus)] ?? 0) : 0
    return sum + gMw * voltage * voltage
  }, inBranches)
}
