/** A case as a MATPOWER case file (version 2 of the format, MATPOWER manual, appendix B). */

import { toDegrees } from '../angles.ts'
import { type CaseTables, readRows, toNetwork } from '../network/case-tables.ts'
import { solvePowerFlow } from '../power-flow/power-flow.ts'

/** Writes a case with the voltages of its power flow: phase shifts of a vector group are far from a flat start. */
export function writeMatpower(tables: CaseTables): string {
  const generators = readRows('generators', tables.generators)
  const { vmPu, vaRad } = solvePowerFlow(toNetwork(tables))
  const atMachines = new Set(generators.map(({ bus }) => bus))
  const buses = readRows('buses', tables.buses).map((bus, at) => {
    const isSlack = bus.id === tables.slackBus
    const type = isSlack ? 3 : atMachines.has(bus.id) ? 2 : 1
    const start = [vmPu[at] ?? 1, toDegrees(vaRad[at] ?? 0)]
    const { id, pMw, qMvar, gMw, bMvar, area, baseKv, vMaxPu, vMinPu } = bus
    return [id, type, pMw, qMvar, gMw, bMvar, area, ...start, baseKv, 1, vMaxPu, vMinPu]
  })
  const unused = new Array<number>(11).fill(0)
  const units = generators.map(({ bus, pMw, qMaxMvar, qMinMvar, vSetpointPu, machineMva, pMaxMw, pMinMw }) => {
    return [bus, pMw, 0, qMaxMvar, qMinMvar, vSetpointPu, machineMva, 1, pMaxMw, pMinMw, ...unused]
  })
  const branches = readRows('branches', tables.branches).map(({ from, to, r, x, b, rateMva, ratio, shiftDeg }) => {
    return [from, to, r, x, b, rateMva, 0, 0, ratio, shiftDeg, 1, -360, 360]
  })
  const costs = generators.map(({ c2, c1, c0 }) => [2, 0, 0, 3, c2, c1, c0])
  return [
    `function mpc = ${tables.name.replace(/\W/g, '_').replace(/^(?=\d)/, 'case')}`,
    `% ${tables.title.replace(/[\r\n]+/g, ' ')}`,
    "mpc.version = '2';",
    `mpc.baseMVA = ${tables.baseMva};`,
    writeMatrix('bus', 'bus_i type Pd Qd Gs Bs area Vm Va baseKV zone Vmax Vmin', buses),
    writeMatrix('gen', 'bus Pg Qg Qmax Qmin Vg mBase status Pmax Pmin and eleven that are not used', units),
    writeMatrix('branch', 'fbus tbus r x b rateA rateB rateC ratio angle status angmin angmax', branches),
    writeMatrix('gencost', '2 startup shutdown n c2 c1 c0', costs),
    '',
  ].join('\n')
}

function writeMatrix(name: string, heads: string, rows: readonly (readonly number[])[]): string {
  return [`% ${heads}`, `mpc.${name} = [`, ...rows.map((row) => `  ${row.join(' ')};`), '];'].join('\n')
}
