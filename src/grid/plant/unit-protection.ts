/** Protection of machines against frequencies and voltages that harm them; they trip one after the other. */

import { stepSeconds } from '../configuration.ts'
import { busPosition, type Network } from '../network/network.ts'
import { isLost, loseMachines } from './machine-connection.ts'
import type { PlantScene } from './scene.ts'
import type { UnitRelays } from './state.ts'

/** The largest machine waits as the curve says, each smaller one a tenth longer: so they do not all trip at once. */
const grading = 0.1

/** Seconds beside the curves, for a relay and a breaker. */
const operatingSeconds = 0.1

/** Computes the seconds that a machine bears a frequency of a 60 Hz grid (NERC PRC-024, Eastern Interconnection). */
export function frequencySeconds(hertz: number): number {
  if (hertz >= 61.8 || hertz <= 57.8) return 0
  if (hertz >= 60.5) return 10 ** (90.935 - 1.45713 * hertz)
  return hertz <= 59.5 ? 10 ** (1.7373 * hertz - 100.116) : Number.POSITIVE_INFINITY
}

/** Voltages of a machine's bus with the seconds that it bears them, beyond the no-trip zone of the same standard. */
const high = [
  { pu: 1.2, seconds: 0.2 },
  { pu: 1.175, seconds: 0.5 },
  { pu: 1.15, seconds: 1 },
] as const
const low = [
  { pu: 0.45, seconds: 0.3 },
  { pu: 0.65, seconds: 0.5 },
  { pu: 0.75, seconds: 3 },
  { pu: 0.85, seconds: 10 },
] as const

/** Computes the time for which a machine bears a voltage in per unit; Infinity between 0.85 and 1.15. */
export function voltageSeconds(pu: number): number {
  const stage = high.find((one) => pu >= one.pu) ?? low.find((one) => pu < one.pu)
  return stage?.seconds ?? Number.POSITIVE_INFINITY
}

/** Advances the relays of every machine by 100 ms; machines whose time has passed are disconnected. */
export function stepUnitProtection(scene: PlantScene): void {
  const { plant, base } = scene
  const before = plant.unitRelays ?? []
  const relays = base.generators.map((): UnitRelays => ({ frequency: 0, voltage: 0 }))
  for (const { machines, frequencyHz, collapsed } of plant.frequency.islands) {
    if (collapsed) continue
    // Condensers have no turbine to protect from a frequency; they follow the voltage.
    const ranked = [...machines].sort((a, b) => sizeOf(base, b.generator) - sizeOf(base, a.generator))
    ranked.forEach(({ generator }, rank) => {
      const unit = base.generators[generator]
      if (unit === undefined || isLost(plant, generator)) return
      const slower = 1 + grading * rank
      const last = before[generator] ?? { frequency: 0, voltage: 0 }
      const bearsHz = unit.pMaxMw > 0 ? frequencySeconds((frequencyHz * 60) / base.f0Hz) : Number.POSITIVE_INFINITY
      const bearsPu = voltageSeconds(plant.solution.vmPu[busPosition(base, unit.bus)] ?? 1)
      relays[generator] = {
        frequency: advance(last.frequency, bearsHz * slower + grading * rank),
        voltage: advance(last.voltage, bearsPu * slower),
      }
    })
  }
  plant.unitRelays = relays
  tripUnits(scene)
}

function sizeOf({ generators }: Network, generator: number): number {
  return generators[generator]?.machineMva ?? 0
}

function advance(travel: number, seconds: number): number {
  return seconds === Number.POSITIVE_INFINITY ? 0 : travel + stepSeconds / (seconds + operatingSeconds)
}

function tripUnits({ plant, base, events }: PlantScene): void {
  plant.unitRelays?.forEach((relays, generator) => {
    // The sum of many steps falls short of one by rounding.
    const cause = (['frequency', 'voltage'] as const).find((name) => relays[name] >= 1 - 1e-9)
    if (cause === undefined) return
    loseMachines(plant, base, [generator], 'protection')
    events.push(`the machine at bus ${base.generators[generator]?.bus} tripped on its ${cause}`)
  })
}
