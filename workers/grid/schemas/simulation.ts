/** Shapes of what a simulation says about itself, and of the answers to orders about it. */

import {
  boolean,
  describe,
  listOf,
  number,
  oneOf,
  orNull,
  type Schemas,
  text,
  whole,
} from '#base/json-schema.ts'
import { dayKinds, pmuRates } from '#grid/configuration.ts'
import { caseNames } from '#grid/network/cases/catalogue.ts'
import { mapOf, object, refTo, seconds } from './parts.ts'

/** The grid in ten numbers. */
export const summary: Schemas = {
  timestamp: seconds,
  frequency_hz: number,
  load_mw: number,
  served_mw: number,
  shed_mw: number,
  losses_mw: number,
  islands: describe('Islands with voltage.', whole),
  open_breakers: whole,
  alarms: describe('Alarms since the session began.', whole),
}

/** Messages since the session began. */
export const counters: Schemas = {
  total_packets: whole,
  modified_packets: whole,
  dropped_packets: whole,
}

const contract: Schemas = {
  sim_running: boolean,
  session_id: text,
  uptime_s: describe('Whole seconds since the session was created.', whole),
  total_incidents: describe('Retained incidents.', whole),
  attacked: describe('Retained incidents of status attacked.', whole),
  integrations: mapOf(boolean),
}

const mode = oneOf('embedded', 'external')

const beyond: Schemas = {
  run: oneOf('new', 'running', 'paused', 'stopped'),
  mode,
  case: { type: 'string', enum: caseNames },
  seed: whole,
  speed: describe('Simulated seconds per second.', number),
  tick: describe('Computed steps of 100 ms.', whole),
  sim_time: seconds,
  subscribers: describe('Open event streams.', whole),
  subscribers_cut_off: describe('Event streams that were closed because they read too slowly.', whole),
  lifetime: object({ incidents: whole, frames: whole, ...counters }),
  retention: object({ incidents: whole, packets: whole }),
}

/** Present in one mode, or where a syslog collector is set. */
const perMode: Schemas = {
  grid: describe('In mode embedded.', object(summary)),
  external: describe(
    'In mode external.',
    object({ heard: boolean, ...counters }, { heard_at: seconds, uptime_s: orNull(number) }),
  ),
  syslog: object({ connected: boolean, sent: whole, failures: whole, waiting: whole, dropped: whole }),
}

const configuration: Schemas = {
  case: { type: 'string', enum: caseNames },
  seed: whole,
  mode,
  pmu_rate: { type: 'integer', enum: pmuRates },
  scan_s: describe('Seconds between two scans of the outstations.', whole),
  heartbeat_s: describe('Seconds between two repetitions of an unchanged GOOSE message.', whole),
  day: { type: 'string', enum: dayKinds },
  start_hour: number,
  load_scale: number,
  load_speed: number,
  load_noise: number,
  pickup: oneOf('secure', 'fragile', 'off'),
  agc_gain: number,
  start_time: orNull(seconds),
  auto_pause_s: whole,
}

const step = describe('The first step that knows of it.', whole)

/** Schemas by the name of the shape. */
export const simulationSchemas: Schemas = {
  Simulation: object({ ...contract, ...beyond }, perMode),
  Status: object(
    { ...contract, ...beyond, tool: text, version: text, timestamp: seconds, auth: boolean },
    perMode,
  ),
  Configuration: object(configuration),
  Command: {
    anyOf: [
      object({ kind: { const: 'switch' }, step, breaker: text, closed: boolean }),
      object({ kind: { const: 'load' }, step, scale: number }),
    ],
  },
  SessionCommand: {
    anyOf: [
      refTo('Command'),
      object({ kind: { const: 'enable' }, step, order: refTo('AttackOrder') }),
      object({ kind: { const: 'disable' }, step, attackIds: listOf(text) }),
      object({
        kind: { const: 'clock' },
        step,
        timeUs: describe('Unix time in microseconds.', whole),
        reason: oneOf('start', 'resume', 'gap'),
      }),
    ],
  },
  Session: object({
    format: { const: 'sluice-grid-session' },
    version: { const: 1 },
    configuration: refTo('Configuration'),
    commands: listOf(refTo('SessionCommand')),
    steps: describe('Steps that were computed when the document was written.', whole),
  }),
  Simulations: object({
    count: whole,
    maximum: whole,
    simulations: listOf(object({ name: text, base: text }, { created: seconds })),
  }),
  Created: object({ name: text, base: describe('The path of its interface.', text) }),
  Deleted: object({ deleted: text }),
  Ticket: object({ ticket: text, expires_in: describe('Seconds.', whole) }),
}
