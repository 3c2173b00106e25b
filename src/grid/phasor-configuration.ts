/** How the values of each phasor stream lie in its frames: what its CFG-2 says. */

import type { C37118Configuration } from './protocols/c37118.ts'
import type { PmuSite, Telecontrol } from './telecontrol.ts'

const configurations = new WeakMap<Telecontrol, Map<string, C37118Configuration>>()

/** The configuration of the stream on a link; undefined for links without phasors. */
export function streamConfiguration(
  plan: Telecontrol,
  link: string,
  rate: number,
): C37118Configuration | undefined {
  const known = configurations.get(plan) ?? new Map<string, C37118Configuration>()
  configurations.set(plan, known)
  const key = `${link} ${rate}`
  const site = known.has(key) ? undefined : plan.pmus.find((pmu) => pmu.link === link)
  if (site !== undefined) known.set(key, toConfiguration(plan, site, rate))
  return known.get(key)
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
        format: {
          phasors: 'polar',
          phasorNumber: 'float',
          analogNumber: 'float',
          frequencyNumber: 'float',
        },
        phasors: [{ name: `V_${site.bus}`, unit: 'volt', scale: 0 }, ...currents],
        analogs: [],
        digitals: [],
        nominalHz: 60,
        configurationCount: 1,
      },
    ],
  }
}
