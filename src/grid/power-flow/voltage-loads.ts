/** Loads that follow their voltages: constant impedance, current and power in stated shares (ZIP). */

import { addAt, allocateVectors, at, indexAt } from '../network/linear-algebra/vector.ts'
import { type Load, type LoadShares, loadPositions, type Network } from '../network/network.ts'

/** The parts of the load of each bus that follow its voltage, in per unit: P = pLinear v + pSquare v^2, Q likewise. */
export interface VoltageLoads {
  readonly pLinear: Float64Array
  readonly pSquare: Float64Array
  readonly qLinear: Float64Array
  readonly qSquare: Float64Array
}

/** Computes the load over that at the reference voltage; `ratio` is the voltage over the reference voltage. */
export function voltageFactor({ impedance, current }: LoadShares, ratio: number): number {
  return 1 + current * (ratio - 1) + impedance * (ratio * ratio - 1)
}

/** Computes the power that each load takes at voltages in per unit, in the order of `loads`. */
export function loadsAt(network: Network, vmPu: ArrayLike<number>): readonly Load[] {
  const { loads, loadModel } = network
  if (loadModel === undefined) return loads
  const positions = loadPositions(network)
  return loads.map(({ bus, pMw, qMvar }, index) => {
    const position = indexAt(positions, index)
    const ratio = (vmPu[position] ?? 0) / (loadModel.referencePu[position] ?? 1)
    return {
      bus,
      pMw: pMw * voltageFactor(loadModel.active, ratio),
      qMvar: qMvar * voltageFactor(loadModel.reactive, ratio),
    }
  })
}

/** Moves the parts that follow the voltages out of the injections; undefined where every load is constant power. */
export function splitLoads(network: Network, p: Float64Array, q: Float64Array): VoltageLoads | undefined {
  const { loads, loadModel, baseMva } = network
  if (loadModel === undefined) return undefined
  const allocate = allocateVectors(p.length, 4)
  const [pLinear, pSquare, qLinear, qSquare] = [allocate(), allocate(), allocate(), allocate()]
  const positions = loadPositions(network)
  loads.forEach(({ pMw, qMvar }, index) => {
    const position = indexAt(positions, index)
    const reference = loadModel.referencePu[position] ?? 1
    for (const { injection, power, shares, linear, square } of [
      { injection: p, power: pMw / baseMva, shares: loadModel.active, linear: pLinear, square: pSquare },
      { injection: q, power: qMvar / baseMva, shares: loadModel.reactive, linear: qLinear, square: qSquare },
    ]) {
      addAt(injection, position, power * (shares.impedance + shares.current))
      addAt(linear, position, (power * shares.current) / reference)
      addAt(square, position, (power * shares.impedance) / (reference * reference))
    }
  })
  return { pLinear, pSquare, qLinear, qSquare }
}

/** Computes the reactive power that the load of a bus takes beside its constant part, per unit. */
export function reactiveAt({ qLinear, qSquare }: VoltageLoads, bus: number, vmPu: number): number {
  return (at(qLinear, bus) + at(qSquare, bus) * vmPu) * vmPu
}

/** Room of Newton's method that the loads change: the mismatches, the Jacobian, and which equations are solved. */
interface Linearized {
  readonly right: Float64Array
  readonly jacobian: Float64Array
  readonly solvesAngle: Float64Array
  readonly solvesMagnitude: Float64Array
}

/** Adds a share of the loads that follow their voltages to mismatches and the blocks on the diagonal. */
export function linearizeLoads(
  loads: VoltageLoads,
  diagonals: Int32Array,
  { magnitude, share }: { readonly magnitude: Float64Array; readonly share: number },
  { right, jacobian, solvesAngle, solvesMagnitude }: Linearized,
): void {
  for (let bus = 0; bus < magnitude.length; bus++) {
    const vm = at(magnitude, bus)
    const [solvesP, solvesQ] = [at(solvesAngle, bus), at(solvesMagnitude, bus)]
    const block = 4 * indexAt(diagonals, bus)
    const [pLinear, pSquare] = [share * at(loads.pLinear, bus) * vm, share * at(loads.pSquare, bus) * vm * vm]
    const [qLinear, qSquare] = [share * at(loads.qLinear, bus) * vm, share * at(loads.qSquare, bus) * vm * vm]
    addAt(right, 2 * bus, -solvesP * (pLinear + pSquare))
    addAt(right, 2 * bus + 1, -solvesQ * (qLinear + qSquare))
    // The second unknown is the relative change of the magnitude.
    addAt(jacobian, block + 1, solvesP * solvesQ * (pLinear + 2 * pSquare))
    addAt(jacobian, block + 3, solvesQ * (qLinear + 2 * qSquare))
  }
}
