/** Orders to the machines of the plant: voltage set points and power references. */

import type { Network } from '../network/network.ts'
import { isLost } from './machine-connection.ts'
import type { Plant } from './state.ts'

/** Tests that a bus has a machine that takes a voltage set point in per unit: 0.8 to 1.2. */
export function takesVoltageSetpoint(base: Network, bus: number, vPu: number): boolean {
  return base.generators.some((unit) => unit.bus === bus) && vPu >= 0.8 && vPu <= 1.2
}

/** Writes the voltage set point of the machine at a bus in per unit. Check `takesVoltageSetpoint` first. */
export function writeVoltageSetpoint(plant: Plant, base: Network, bus: number, vPu: number): void {
  const machine = base.generators.findIndex((unit) => unit.bus === bus)
  plant.setpoints = { ...plant.setpoints, [machine]: vPu }
  plant.isStale = true
}

/** Tests that a bus has a machine that takes a power reference in MW: Pmin to Pmax. */
export function takesPowerReference(base: Network, bus: number, pMw: number): boolean {
  const unit = base.generators.find((one) => one.bus === bus)
  return unit !== undefined && pMw >= unit.pMinMw && pMw <= unit.pMaxMw
}

/** Writes the power reference in MW that `takesPowerReference` let pass; a new machine joins its island with it. */
export function writePowerReference(plant: Plant, base: Network, bus: number, pMw: number): void {
  const generator = base.generators.findIndex((unit) => unit.bus === bus)
  const islands = plant.frequency.islands.map((island) => {
    const machines = island.machines.map((state) =>
      state.generator === generator ? { ...state, referenceMw: pMw } : state,
    )
    const joins = island.buses.includes(bus) && !isLost(plant, generator)
    if (!joins || machines.some((state) => state.generator === generator)) return { ...island, machines }
    return { ...island, machines: [...machines, { generator, referenceMw: pMw, valveMw: 0, mechanicalMw: 0 }] }
  })
  plant.frequency = { islands }
}

/** Reads the set points of the machine at a bus; undefined where there is none. */
export function readMachineOrders(plant: Plant, base: Network, bus: number) {
  const machine = base.generators.findIndex((unit) => unit.bus === bus)
  const unit = base.generators[machine]
  if (unit === undefined) return undefined
  const states = plant.frequency.islands.flatMap(({ machines }) => machines)
  const state = states.find(({ generator }) => generator === machine)
  return { voltagePu: plant.setpoints[machine] ?? unit.vSetpointPu, powerMw: state?.referenceMw ?? 0 }
}
