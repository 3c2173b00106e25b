/** The configuration of a session and the commands that were given to it: both decide every octet of the session. */

import { isRecord } from '../base/json.ts'
import type { SessionCommand as Command, Configuration, Session } from './contract/simulation.ts'
import { defaultCase } from './network/cases/catalogue.ts'

export type { AttackOrder } from './contract/attacks.ts'
export type { Configuration, SessionCommand as Command } from './contract/simulation.ts'

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
  spontaneous: 'scan',
  loss: 0,
  tap_changers: 'off',
  iec61850: 0,
  agc_gain: 0.05,
  start_time: null,
  auto_pause_s: 120,
}

/** Name and version of the simulation, in Status and as the origin of syslog messages. */
export const product = { tool: 'Sluice Grid', version: '1.0.0' } as const

/** Microseconds in one step of the engine. */
export const stepUs = 100_000

/** Seconds in one step of the engine. */
export const stepSeconds = stepUs / 1e6

/** Steps that the object runs for each second of wall time at speed 1. */
export const stepsPerSecond = 10

/** The commands of one kind. */
export type CommandOf<Kind extends Command['kind']> = Extract<Command, { readonly kind: Kind }>

/** An operator's order to the plant, or a fault; the next step carries it out. */
export type PlantOrder = CommandOf<'switch' | 'restore' | 'generator' | 'trip' | 'tap'>

/** Any order of an operator, or a fault. */
export type Order = PlantOrder | CommandOf<'load' | 'acknowledge'>

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
export interface SessionDocument extends Session {
  /** The log of masters from outside; absent where none came. */
  readonly field?: readonly FieldEntry[]
}

const format = 'sluice-grid-session'

/** The document of a session without a log of the field. */
export function toSessionDocument(session: Pick<Session, 'configuration' | 'commands' | 'steps'>): SessionDocument {
  const { configuration, commands, steps } = session
  return { format, version: 1, configuration, commands, steps }
}

/** Tests that a value claims to be the document of a session. */
export function isSession(value: unknown): boolean {
  return isRecord(value) && value.format === format
}
