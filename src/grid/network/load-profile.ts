/** Demand over time: the hourly tables of the IEEE Reliability Test System, with a slow random walk around them. */

import type { Random } from '../../base/random.ts'

/** Percent of the daily peak in each hour, 0-1 to 23-24 (IEEE RTS-79, table 3). */
export const hourlyPercent = {
  winter_weekday: [67, 63, 60, 59, 59, 60, 74, 86, 95, 96, 96, 95, 95, 95, 93, 94, 99, 100, 100, 96, 91, 83, 73, 63],
  winter_weekend: [78, 72, 68, 66, 64, 65, 66, 70, 80, 88, 90, 91, 90, 88, 87, 87, 91, 100, 99, 97, 94, 92, 87, 81],
  summer_weekday: [64, 60, 58, 56, 56, 58, 64, 76, 87, 95, 99, 100, 99, 100, 100, 97, 96, 96, 93, 92, 92, 93, 87, 72],
  summer_weekend: [74, 70, 66, 65, 64, 62, 62, 66, 81, 86, 91, 93, 93, 92, 91, 91, 92, 94, 95, 95, 100, 93, 88, 80],
  spring_fall_weekday: [
    63, 62, 60, 58, 59, 65, 72, 85, 95, 99, 100, 99, 93, 92, 90, 88, 90, 92, 96, 98, 96, 90, 80, 70,
  ],
  spring_fall_weekend: [
    75, 73, 69, 66, 65, 65, 68, 74, 83, 89, 92, 94, 91, 90, 90, 86, 85, 88, 92, 100, 97, 95, 90, 85,
  ],
} as const satisfies Record<string, readonly number[]>

/** Name of an hourly table. */
export type LoadProfileName = keyof typeof hourlyPercent

/** The share of the daily peak, 0 to 1, at any number of seconds, linear between hours; the day closes on itself. */
export function profileShare(profile: LoadProfileName, secondsOfDay: number): number {
  const hours = (((secondsOfDay / 3600) % 24) + 24) % 24
  const hour = Math.floor(hours) % 24
  const table = hourlyPercent[profile]
  const here = table[hour] ?? 0
  const next = table[(hour + 1) % 24] ?? 0
  return (here + (next - here) * (hours - hour)) / 100
}

/** Settings of the noise around the profile: standard deviation and time constant. */
export const loadNoise = { sigma: 0.005, tauSeconds: 60 } as const

/**
 * Advances the noise by one normal, as a first-order autoregressive process: x' = a x + sigma sqrt(1 - a^2) n, a =
 * e^(-dt/tau). The factor of all loads is the profile's share times 1 + x.
 */
export function stepLoadNoise(
  noise: number,
  dtSeconds: number,
  random: Pick<Random, 'normal'>,
  { sigma, tauSeconds }: { readonly sigma: number; readonly tauSeconds: number } = loadNoise,
): number {
  const memory = Math.exp(-dtSeconds / tauSeconds)
  return memory * noise + sigma * Math.sqrt(1 - memory * memory) * random.normal()
}
