/** Two buses and a line of 0.1 pu reactance, y = -10j: a grid whose numbers a hand can compute. */

import type { Bus, Network } from '#grid/network/network.ts'

const bus = (id: number): Bus => ({ id, area: 1, baseKv: 138, x: id, y: 0 })

/** Bus 1 is the slack at 1 pu and 0 degrees, bus 2 takes 100 MW on a base of 100 MVA. */
export const twoBusNetwork: Network = {
  name: 'line',
  baseMva: 100,
  f0Hz: 60,
  slackBus: 1,
  slackAngleDeg: 0,
  buses: [bus(1), bus(2)],
  branches: [
    {
      number: 1,
      from: 1,
      to: 2,
      inService: true,
      r: 0,
      x: 0.1,
      b: 0,
      ratio: 1,
      shiftDeg: 0,
      rateMva: 500,
      securePickupMva: 500,
      fragilePickupMva: 625,
    },
  ],
  generators: [
    {
      bus: 1,
      inService: true,
      pMw: 100,
      vSetpointPu: 1,
      qMaxMvar: 300,
      qMinMvar: -300,
      pMaxMw: 500,
      pMinMw: 0,
      machineMva: 500,
      inertiaS: 5,
    },
  ],
  loads: [{ bus: 2, pMw: 100, qMvar: 0 }],
  shunts: [],
  pmuBuses: [1],
}
