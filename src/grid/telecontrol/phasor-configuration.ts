/** The order of the values in the frames of each phasor stream, as its CFG-2 says. */

import { memo, memoBounded } from '../../base/memo.ts'
import type { C37118Configuration } from '../protocols/c37118-configuration.ts'
import type { PmuSite, Telecontrol } from './telecontrol.ts'

/** Rates at which units report: 1 to 120 a second. */
const mostRates = 120

const configurationsByRate = memo((plan: Telecontrol) =>
  memoBounded(
    mostRates,
    (rate: number): ReadonlyMap<string, C37118Configuration> =>
      new Map(plan.pmus.map((site) => [site.link, toConfiguration(plan, site, rate)])),
  ),
)

/** The configurations of all streams by their links, for units that report at a rate; kept with the plan. */
export function streamConfigurations(plan: Telecontrol, rate: number): ReadonlyMap<string, C37118Configuration> {
  return configurationsByRate(plan)(rate)
}

function toConfiguration(plan: Telecontrol, site: PmuSite, rate: number): C37118Configuration {
  const currents = site.currents.map(({ branch }) => ({
    name: `I_${plan.breakerNames.get(branch)?.slice(3) ?? branch}`.slice(0, 16),
    unit: 'ampere' as const,
    scale: 0,
  }))
  return {
    timeBase: 1_000_000,
    dataRate: rate,
    pmus: [
      {
        stationName: `${site.node} BUS ${site.bus}`.slice(0, 16),
        idCode: site.idCode,
        format: { phasors: 'polar', phasorNumber: 'float', analogNumber: 'float', frequencyNumber: 'float' },
        phasors: [{ name: `V_${site.bus}`, unit: 'volt', scale: 0 }, ...currents],
        analogs: [],
        digitals: [],
        nominalHz: plan.nominalHz,
        configurationCount: 1,
      },
    ],
  }
}
