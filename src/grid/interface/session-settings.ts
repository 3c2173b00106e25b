/** The settings of a session with their bounds, which requests, answers and scenarios have in common. */

import * as z from 'zod'

/** Synchrophasor frames per second that IEEE C37.118.1 names and that a step can hold. */
export const pmuRates = [1, 2, 5, 10, 15, 30] as const

/** The ways in which a breaker joins two islands besides a check: as soon as they are in step, or at once. */
export const closings = ['synchronized', 'forced'] as const

const onOrOff = z.enum(['on', 'off'])

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
  start_hour: z.number().min(0).max(23.999).describe('Hour of the day at which the load profile starts.'),
  load_scale: z.number().min(0.2).max(1.5).describe('Factor on every load.'),
  load_speed: z
    .number()
    .min(0)
    .max(60)
    .describe("Speed of the profile beside the clock's; 0: the starting hour's loads."),
  load_noise: z
    .number()
    .min(0)
    .max(0.05)
    .describe('Deviation of the slow random part of every load, as a share of it.'),
}

/** Settings of the engine. */
export const engineSettings = {
  pmu_rate: z.literal([...pmuRates]).describe('Frames per second of each phasor measurement unit.'),
  scan_s: z.int().min(1).max(60).describe('Seconds between two scans of the outstations.'),
  heartbeat_s: z.int().min(1).max(60).describe('Seconds between two repetitions of an unchanged GOOSE message.'),
  bus_noise: z
    .number()
    .min(0)
    .max(0.05)
    .describe('Deviation of the part of that noise which each load has for itself.'),
  load_model: z.enum(['constant', 'zip']).describe('`zip`: loads follow their voltages in stated shares.'),
  pickup: z
    .enum(['secure', 'fragile', 'off'])
    .describe('Over-current pick-ups: never reached after one outage, 1.25 times the rating, or no relays.'),
  restoration: z
    .enum(['automatic', 'operator'])
    .describe('Load and machines return by rule as well, or by order only.'),
  reactive_limits: z.enum(['case', 'off']).describe('`case`: machines keep within their reactive limits.'),
  unit_protection: onOrOff.describe('`on`: machines trip on frequencies and voltages that harm them.'),
  spontaneous: z
    .enum(['scan', 'at_once'])
    .describe('Moment at which IEC 104 stations see that a value has left its dead band.'),
  loss: z
    .number()
    .min(0)
    .max(0.01)
    .describe('Share of messages over TCP and UDP that a path loses without an attacker.'),
  tap_changers: onOrOff.describe('`on`: transformers with a tap hold the voltage behind them.'),
  iec61850: z
    .int()
    .min(0)
    .max(8)
    .describe('Number of substations that speak MMS and publish sampled values on their process bus.'),
  agc_gain: z.number().min(0).max(1).describe('Integral gain of automatic generation control per second; 0: off.'),
}

/** All of them. */
export const settings = {
  seed: z.int().min(0).max(0xffffffff),
  mode,
  ...loadSettings,
  ...engineSettings,
  start_time: z
    .int()
    .min(0)
    .max(4_102_444_800)
    .nullable()
    .describe('Unix time in seconds of step 0; null takes the clock of the first step.'),
  auto_pause_s: z
    .int()
    .min(0)
    .max(86_400)
    .describe('Seconds without a listener or a request after which the simulation pauses; 0 never.'),
}
