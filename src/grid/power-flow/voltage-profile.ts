/** Voltages of all buses: in answers, in iterations, and at the start of one. */

import { GridError } from '../errors.ts'
import { allocateVectors, at } from '../network/linear-algebra/vector.ts'
import { solveDcPowerFlow } from './dc-power-flow.ts'
import { kind, type Problem } from './problem.ts'

/** Voltages in the order of `network.buses`: magnitudes in per unit, angles in radians. Plain JSON. */
export interface VoltageProfile {
  readonly vmPu: readonly number[]
  readonly vaRad: readonly number[]
}

/** The same as arrays of doubles, which an iteration changes. */
export interface Voltages {
  readonly magnitude: Float64Array
  readonly angle: Float64Array
}

/** Magnitude in per unit that is too low to start from: that of a bus that was dead until now. */
const leastStartPu = 0.3

/**
 * Reads where an iteration starts. Magnitudes that the problem fixes are its set points, and so are those of buses that
 * were dead until now.
 *
 * @throws GridError invalid_request when the profile has another number of buses.
 */
export function readStart({ kinds, setpoints, flatAngles }: Problem, start: VoltageProfile): Voltages {
  const { vmPu, vaRad } = start
  if (vmPu.length !== kinds.length || vaRad.length !== kinds.length) {
    throw new GridError(
      'invalid_request',
      `Cannot start power flow: the profile has ${vmPu.length} magnitudes and ${vaRad.length} angles, expected ${kinds.length}`,
    )
  }
  const allocate = allocateVectors(kinds.length, 2)
  const [magnitude, angle] = [allocate(), allocate()]
  magnitude.set(vmPu)
  angle.set(vaRad)
  for (let bus = 0; bus < kinds.length; bus++) {
    const isFixed = kinds[bus] !== kind.pq
    // Written so that NaN takes the set point, too.
    if (isFixed || !(at(magnitude, bus) > leastStartPu)) magnitude[bus] = at(setpoints, bus)
    if (kinds[bus] === kind.slack || kinds[bus] === kind.dead || !Number.isFinite(at(angle, bus))) {
      angle[bus] = at(flatAngles, bus)
    }
  }
  return { magnitude, angle }
}

/** Writes the real and the imaginary part of each voltage. */
export function toRectangular({ magnitude, angle }: Voltages, real: Float64Array, imaginary: Float64Array): void {
  let latest = 0
  let cos = 1
  let sin = 0
  for (let bus = 0; bus < magnitude.length; bus++) {
    const radians = at(angle, bus)
    // From flat, all buses have one angle, whose functions are computed once.
    if (radians !== latest) {
      latest = radians
      cos = Math.cos(radians)
      sin = Math.sin(radians)
    }
    real[bus] = at(magnitude, bus) * cos
    imaginary[bus] = at(magnitude, bus) * sin
  }
}

/** Copies voltages, so that an iteration from them leaves them as they are. */
export function copyVoltages({ magnitude, angle }: Voltages): Voltages {
  const allocate = allocateVectors(magnitude.length, 2)
  const copy = { magnitude: allocate(), angle: allocate() }
  copy.magnitude.set(magnitude)
  copy.angle.set(angle)
  return copy
}

/** Every bus at its set point, all angles those of the reference. */
export function flatStart({ setpoints, flatAngles }: Problem): Voltages {
  return copyVoltages({ magnitude: setpoints, angle: flatAngles })
}

/**
 * Every bus at its set point, with the angles of the DC model, because flat diverges behind phase shifters; undefined
 * without any.
 *
 * @throws GridError as `solveDcPowerFlow` does, but for `not_solvable`.
 */
export function turnedStart(problem: Problem): Voltages | undefined {
  const { network, setpoints } = problem
  if (!network.branches.some(({ inService, shiftDeg }) => inService && shiftDeg !== 0)) return undefined
  try {
    const { vaRad } = solveDcPowerFlow(network)
    return readStart(problem, { vmPu: Array.from(setpoints), vaRad })
  } catch (error) {
    if (error instanceof GridError && error.code === 'not_solvable') return undefined
    throw error
  }
}
