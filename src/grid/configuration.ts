/** The configuration of a session and the commands that were given to it: both decide every octet of the session. */

import type { JsonObject } from '../base/json.ts'
import type { CaseTables } from './network/case-tables.ts'
import { defaultCase } from './network/cases/catalogue.ts'
import type { AttackSchedule } from './types.ts'

/** Synchrophasor frames per second that IEEE C37.118.1 names and that a step can hold. */
export const pmuRates = [1, 2, 5, 10, 15, 30] as const

/** The seasons and kinds of days of the load profile. */
export const dayKinds = [
  'winter_weekday',
  'winter_weekend',
  'summer_weekday',
  'summer_weekend',
  'spring_fall_weekday',
  'spring_fall_weekend',
] as const

/** Kind of a day in the load profile. */
export type DayKind = (typeof dayKinds)[number]

/** The parameters of a session; names as on the wire, because sessions are exported and imported as they are. */
export interface Configuration {
  /** Name of a built-in network, or of the imported one in `network`. */
  readonly case: string
  /** An imported network; absent for a built-in one. */
  readonly network?: CaseTables
  /** 32-bit seed of every generator in the session. */
  readonly seed: number
  /** `embedded`: the engine here produces everything; `external`: an outside simulator feeds the session. */
  readonly mode: 'embedded' | 'external'
  /** Frames per second of each phasor measurement unit. */
  readonly pmu_rate: (typeof pmuRates)[number]
  /** Seconds between two scans of the outstations. */
  readonly scan_s: number
  /** Seconds between two repetitions of an unchanged GOOSE message. */
  readonly heartbeat_s: number
  readonly day: DayKind
  /** Hour of the day at which the load profile starts. */
  readonly start_hour: number
  /** Factor on every load. */
  readonly load_scale: number
  /** Speed of the load profile as a multiple of the clock's; 0 keeps the loads of the starting hour. */
  readonly load_speed: number
  /** Standard deviation of the slow random part of every load, as a share of it. */
  readonly load_noise: number
  /** Standard deviation of the part of that noise which each load has for itself, as a share of it. */
  readonly bus_noise: number
  /** `zip`: loads follow their voltages in stated shares; `constant`: they take their power at any voltage. */
  readonly load_model: 'constant' | 'zip'
  /** Over-current pick-ups: never reached after one outage (`secure`), 1.25 times the rating, or no relays. */
  readonly pickup: 'secure' | 'fragile' | 'off'
  /** `automatic`: load and machines return by rule as well as by order; `operator`: by order only. */
  readonly restoration: 'automatic' | 'operator'
  /** `case`: machines keep within their reactive limits; `off`: each gives what its voltage needs. */
  readonly reactive_limits: 'case' | 'off'
  /** `on`: machines trip on frequencies and voltages that harm them. */
  readonly unit_protection: 'on' | 'off'
  /** Share of messages over TCP and UDP that a path loses without an attacker, at most 0.01; TCP sends them again. */
  readonly loss: number
  /** `on`: transformers with a tap hold the voltage behind them. */
  readonly tap_changers: 'on' | 'off'
  /** Integral gain of automatic generation control per second; 0 switches it off. */
  readonly agc_gain: number
  /** Unix time in whole seconds of step 0; null takes the clock of the first step. */
  readonly start_time: number | null
  /** Seconds without a listener or a request after which the simulation pauses; 0 never. */
  readonly auto_pause_s: number
}

/** The configuration of a session whose request names no settings. */
export const defaultConfiguration: Configuration = {
  case: defaultCase,
  seed: 1,
  mode: 'embedded',
  pmu_rate: 5,
  scan_s: 2,
  heartbeat_s: 2,
  day: 'winter_weekday',
  start_hour: 18,
  load_scale: 1,
  load_speed: 1,
  load_noise: 0.005,
  bus_noise: 0,
  load_model: 'constant',
  pickup: 'secure',
  restoration: 'automatic',
  reactive_limits: 'off',
  unit_protection: 'off',
  loss: 0,
  tap_changers: 'off',
  agc_gain: 0.05,
  start_time: null,
  auto_pause_s: 120,
}

/** Microseconds in one step of the engine. */
export const stepUs = 100_000

/** Steps that the object runs for each second of wall time at speed 1. */
export const stepsPerSecond = 10

/** An attack as it was requested, with every default filled in. */
export interface AttackOrder {
  readonly attack_id: string
  readonly type: string
  readonly params: JsonObject
  readonly schedule: AttackSchedule
  /** A link of the topology; null for every link that the attack can touch. */
  readonly target_link: string | null
  readonly seed: number
}

/** The ways in which a breaker joins two islands besides a check: as soon as they are in step, or at once. */
export const closings = ['synchronized', 'forced'] as const

/** Opens or closes a breaker. */
export interface SwitchCommand {
  readonly kind: 'switch'
  readonly step: number
  readonly breaker: string
  readonly closed: boolean
  /** Absent: the breaker does not close between islands that are out of step. */
  readonly closing?: (typeof closings)[number]
}

/** Connects load that was disconnected, at a bus or at every live one; `share` of a bus's load at most. */
export interface RestoreCommand {
  readonly kind: 'restore'
  readonly step: number
  readonly bus?: number
  readonly share: number
}

/** Connects or disconnects the machine at a bus, and sets its power reference and its voltage. */
export interface GeneratorCommand {
  readonly kind: 'generator'
  readonly step: number
  readonly bus: number
  readonly connected?: boolean
  readonly p_mw?: number
  readonly v_pu?: number
}

/** A fault of a line, or a trip of a protection: of a line without a fault that lasts, or of a machine. */
export interface TripCommand {
  readonly kind: 'trip'
  readonly step: number
  /** Exactly one of them: the breaker of the line, or the bus of the machine. */
  readonly breaker?: string
  readonly bus?: number
  /** Seconds for which the fault of the line lasts; absent: its relay trips, and nothing closes it again. */
  readonly fault_s?: number
}

/** Acknowledges alarms by number; all of them where none is named. */
export interface AcknowledgeCommand {
  readonly kind: 'acknowledge'
  readonly step: number
  readonly numbers?: readonly number[]
}

/** An order to the plant of an operator, or of who causes a fault, which the next step carries out. */
export type PlantOrder = SwitchCommand | RestoreCommand | GeneratorCommand | TripCommand

/** A command to a session; `step` is the first step that knows of it. */
export type Command =
  | { readonly kind: 'enable'; readonly step: number; readonly order: AttackOrder }
  | { readonly kind: 'disable'; readonly step: number; readonly attackIds: readonly string[] }
  /** Sets the simulation's clock at a step: at the start, after a pause, or over a gap that was not computed. */
  | { readonly kind: 'clock'; readonly step: number; readonly timeUs: number; readonly reason: ClockReason }
  | SwitchCommand
  | RestoreCommand
  | GeneratorCommand
  | TripCommand
  | AcknowledgeCommand
  | { readonly kind: 'load'; readonly step: number; readonly scale: number }

/** The reason for which the clock of a session was set. */
export type ClockReason = 'start' | 'resume' | 'gap'

/** One event of a socket in the log of a session: with it the session is computed again to the octet. */
export interface FieldEntry {
  /** Counted from 1. */
  readonly number: number
  /** The step that follows it, and the number of commands that were applied before it. */
  readonly step: number
  readonly commands: number
  /** Microseconds from the beginning of that step. */
  readonly atUs: number
  /** Number of its connection: that of the entry that opened it. */
  readonly connection: number
  readonly event: { readonly open: string } | { readonly octets: string } | 'close'
}

/** A session as a document: enough to compute every byte of it again. */
export interface SessionDocument {
  readonly format: 'sluice-grid-session'
  readonly version: 1
  readonly configuration: Configuration
  readonly commands: readonly Command[]
  /** The log of masters from outside; absent where none came. */
  readonly field?: readonly FieldEntry[]
  /** Number of steps that were computed when the document was written. */
  readonly steps: number
}
