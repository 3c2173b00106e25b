/**
 * Voltages while a fault is on a line: the linear network of that moment, in which each machine is a voltage behind its
 * transient reactance and each load the impedance that it was before (the classical model of fault studies).
 */

import {
  type Admittance,
  type BranchAdmittance,
  branchAdmittance,
  type GridPlan,
  planGrid,
  sumAdmittance,
} from '../network/admittance.ts'
import { createBlockFactors, factorBlocks, solveBlocks } from '../network/linear-algebra/block-lu.ts'
import { addAt, allocateVectors, at, indexAt } from '../network/linear-algebra/vector.ts'
import { type Branch, busPosition, type Network } from '../network/network.ts'
import { branchFlows } from '../power-flow/result.ts'
import { loadsAt } from '../power-flow/voltage-loads.ts'
import type { Solution } from './solution.ts'

/** Transient reactance of every machine in per unit of its rating: a design rule, amid those of turbines and condensers. */
export const transientReactancePu = 0.25

/**
 * Computes the solution while branches have a fault of three phases without resistance at their middle.
 *
 * @param network - the grid with its breakers, loads and machines as they are.
 * @param before - the solution without the fault; of it stay the load, the losses and the islands.
 * @returns `before` itself where the network of the fault cannot be solved.
 */
export function solveFault(network: Network, before: Solution, faulty: readonly number[]): Solution {
  const plan = planGrid(network)
  const ports = network.branches.map((branch) =>
    branch.inService && faulty.includes(branch.number) ? splitAtFault(branch) : branchAdmittance(branch),
  )
  const machines = listMachines(network, before)
  const admittance = sumAdmittance(network, plan, ports)
  addLoads(admittance, network, before)
  for (const { position, susceptancePu } of machines) {
    addAt(admittance.susceptance, indexAt(plan.diagonals, position), -susceptancePu)
  }
  const voltages = solveVoltages(plan, admittance, machines)
  if (voltages === undefined) return before
  const vmPu = before.vmPu.map((_, bus) => Math.hypot(at(voltages, 2 * bus), at(voltages, 2 * bus + 1)))
  const vaRad = before.vmPu.map((_, bus) => Math.atan2(at(voltages, 2 * bus + 1), at(voltages, 2 * bus)))
  const profile = { magnitude: Float64Array.from(vmPu), angle: Float64Array.from(vaRad) }
  const generators = before.generators.map(() => ({ pMw: 0, qMvar: 0 }))
  for (const machine of machines) generators[machine.index] = computeOutput(machine, voltages, network.baseMva)
  return { ...before, vmPu, vaRad, branches: branchFlows(network, plan, ports, profile), generators }
}

/** Adds each load as the impedance that it was before the fault. */
function addLoads({ conductance, susceptance }: Admittance, network: Network, { vmPu }: Solution): void {
  const { diagonals } = planGrid(network)
  vmPu.forEach((vm, position) => {
    // A dead bus stays at zero.
    if (!(vm > 0)) addAt(conductance, indexAt(diagonals, position), 1)
  })
  for (const { bus, pMw, qMvar } of loadsAt(network, vmPu)) {
    const position = busPosition(network, bus)
    const square = network.baseMva * (vmPu[position] ?? 0) ** 2
    if (square === 0) continue
    addAt(conductance, indexAt(diagonals, position), pMw / square)
    addAt(susceptance, indexAt(diagonals, position), -qMvar / square)
  }
}

/** Solves Y V = I for the currents of the machines: two values a bus, real and imaginary; undefined if Y is singular. */
function solveVoltages(
  { pattern, elimination }: GridPlan,
  { conductance, susceptance }: Admittance,
  machines: readonly Machine[],
): Float64Array | undefined {
  const allocate = allocateVectors(2 * pattern.size, 3)
  const [currents, voltages, spare] = [allocate(), allocate(), allocate()]
  for (const { position, susceptancePu, e, f } of machines) {
    addAt(currents, 2 * position, susceptancePu * f)
    addAt(currents, 2 * position + 1, -susceptancePu * e)
  }
  // The block of G + jB is [G, -B; B, G].
  const blocks = new Float64Array(4 * conductance.length)
  conductance.forEach((g, slot) => {
    const b = at(susceptance, slot)
    blocks.set([g, -b, b, g], 4 * slot)
  })
  const factors = createBlockFactors(elimination)
  if (!factorBlocks(factors, blocks)) return undefined
  solveBlocks(factors, currents, voltages, spare)
  return voltages
}

/** The power that a machine gives through its reactance. */
function computeOutput({ position, susceptancePu, e, f }: Machine, voltages: Float64Array, baseMva: number) {
  const [u, v] = [at(voltages, 2 * position), at(voltages, 2 * position + 1)]
  return {
    pMw: baseMva * susceptancePu * (f * u - e * v),
    qMvar: baseMva * susceptancePu * (e * u + f * v - u * u - v * v),
  }
}

/** The two halves of a line that ends at the fault. */
function splitAtFault(branch: Branch): BranchAdmittance {
  const half = branchAdmittance({ ...branch, r: branch.r / 2, x: branch.x / 2 })
  return { ...half, ftG: 0, ftB: 0, tfG: 0, tfB: 0 }
}

/** A machine at a live bus: the susceptance of its reactance, and the voltage behind it, as before the fault. */
interface Machine {
  readonly index: number
  readonly position: number
  readonly susceptancePu: number
  readonly e: number
  readonly f: number
}

function listMachines(network: Network, before: Solution): readonly Machine[] {
  const { baseMva } = network
  return network.generators.flatMap(({ bus, inService, machineMva }, index): Machine[] => {
    const position = busPosition(network, bus)
    const vm = before.vmPu[position] ?? 0
    const output = before.generators[index]
    if (!inService || !(vm > 0) || !(machineMva > 0) || output === undefined) return []
    const susceptancePu = machineMva / baseMva / transientReactancePu
    const [cos, sin] = [Math.cos(before.vaRad[position] ?? 0), Math.sin(before.vaRad[position] ?? 0)]
    // E = V + jX conj(S / V), turned back by the angle of V.
    const along = vm + output.qMvar / baseMva / vm / susceptancePu
    const across = output.pMw / baseMva / vm / susceptancePu
    return [{ index, position, susceptancePu, e: along * cos - across * sin, f: along * sin + across * cos }]
  })
}
