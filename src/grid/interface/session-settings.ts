/** The settings of a session with their bounds, which requests, answers and scenarios have in common. */

import * as z from 'zod'

/** Synchrophasor frames per second that IEEE C37.118.1 names and that a step can hold. */
export const pmuRates = [1, 2, 5, 10, 15, 30] as const

/** The ways in which a breaker joins two islands besides a check: as soon as they are in step, or at once. */
export const closings = ['synchronized', 'forced'] as const

const number = (least: number, most: number, text: string) => z.number().min(least).max(most).describe(text)
const whole = (least: number, most: number, text: string) => z.int().min(least).max(most).describe(text)
const choice = <const Names extends readonly [string, ...string[]]>(names: Names, text: string) =>
  z.enum(names).describe(text)

/** The engine here produces everything (`embedded`), or an outside simulator feeds the session. */
export const mode = z.enum(['embedded', 'external'])

/** Settings of the load profile. */
export const loadSettings = {
  day: z.enum([
    'winter_weekday',
    'winter_weekend',
    'summer_weekday',
    'summer_weekend',
    'spring_fall_weekday',
    'spring_fall_weekend',
  ]),
  start_hour: number(0, 23.999, 'Hour of the day at which the load profile starts.'),
  load_scale: number(0.2, 1.5, 'Factor on every load.'),
  load_speed: number(0, 60, "Speed of the profile beside the clock's; 0: the starting hour's loads."),
  load_noise: number(0, 0.05, 'Deviation of the slow random part of every load, as a share of it.'),
}

/** Settings of the engine. */
export const engineSettings = {
  pmu_rate: z.literal([...pmuRates]).describe('Frames per second of each phasor measurement unit.'),
  scan_s: whole(1, 60, 'Seconds between two scans of the outstations.'),
  heartbeat_s: whole(1, 60, 'Seconds between two repetitions of an unchanged GOOSE message.'),
  bus_noise: number(0, 0.05, 'Deviation of the random part that each load has for itself, as a share of it.'),
  load_model: choice(['constant', 'zip'], '`zip`: loads follow their voltages in stated shares.'),
  pickup: choice(
    ['secure', 'fragile', 'off'],
    'Over-current pick-ups: never reached after one outage, 1.25 times the rating, or no relays.',
  ),
  restoration: choice(['automatic', 'operator'], 'Load and machines return by rule as well, or by order only.'),
  reactive_limits: choice(['case', 'off'], '`case`: machines keep within their reactive limits.'),
  unit_protection: choice(['on', 'off'], '`on`: machines trip on frequencies and voltages that harm them.'),
  spontaneous: choice(['scan', 'at_once'], 'Moment at which IEC 104 stations see that a value has left its dead band.'),
  loss: number(0, 0.01, 'Share of messages over TCP and UDP that a path loses without an attacker.'),
  tap_changers: choice(['on', 'off'], '`on`: transformers with a tap hold the voltage behind them.'),
  iec61850: whole(0, 8, 'Number of substations that speak MMS and publish sampled values on their process bus.'),
  agc_gain: number(0, 1, 'Integral gain of automatic generation control per second; 0: off.'),
}

/** All of them. */
export const settings = {
  seed: whole(0, 0xffffffff, 'Seed of all chance: the same seed, settings and requests give the same session.'),
  mode,
  ...loadSettings,
  ...engineSettings,
  start_time: z
    .int()
    .min(0)
    .max(4_102_444_800)
    .nullable()
    .describe('Unix time in seconds of step 0; null takes the clock of the first step.'),
  auto_pause_s: whole(0, 86_400, 'Seconds without a listener or a request after which the simulation pauses; 0 never.'),
}
