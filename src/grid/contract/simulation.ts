/** Answers of a simulation about itself, and to orders about it. */

import * as z from 'zod'
import type { DeepReadonly } from '../../base/deep-readonly.ts'
import { closings, dayKinds, pmuRates } from '../configuration.ts'
import { AttackOrder } from './attacks.ts'
import { NetworkTables } from './network.ts'
import { counters, optional, seconds, summary } from './parts.ts'

const mode = z.enum(['embedded', 'external'])

const caseName = z.string().describe('Name of a built-in network, or of the imported one of the session.')

const state = {
  sim_running: z.boolean(),
  session_id: z.string(),
  uptime_s: z.int().describe('Whole seconds since the session was created.'),
  total_incidents: z.int().describe('Retained incidents.'),
  attacked: z.int().describe('Retained incidents of status attacked.'),
  integrations: z.record(z.string(), z.boolean()),
  run: z.enum(['new', 'running', 'paused', 'stopped']),
  mode,
  case: caseName,
  seed: z.int(),
  speed: z.number().describe('Simulated seconds per second.'),
  tick: z.int().describe('Computed steps of 100 ms.'),
  sim_time: seconds,
  subscribers: z.int().describe('Open event streams.'),
  subscribers_cut_off: z.int().describe('Event streams that were closed because they read too slowly.'),
  lifetime: z.strictObject({ incidents: z.int(), frames: z.int(), ...counters }),
  retention: z.strictObject({ incidents: z.int(), packets: z.int() }),
}

const Summary = z.strictObject(summary)
/** The grid in ten numbers. */
export type GridSummary = DeepReadonly<z.infer<typeof Summary>>

/** Present in one mode, or where a syslog collector is set. */
const perMode = optional({
  grid: Summary.describe('In mode embedded.'),
  external: z
    .strictObject({
      heard: z.boolean(),
      ...counters,
      ...optional({ heard_at: seconds, uptime_s: z.number().nullable() }),
    })
    .describe('In mode external.'),
  syslog: z.strictObject({
    connected: z.boolean(),
    sent: z.int(),
    failures: z.int(),
    waiting: z.int(),
    dropped: z.int(),
  }),
})

/** A simulation. */
export const Simulation = z.strictObject({ ...state, ...perMode })
export type Simulation = DeepReadonly<z.infer<typeof Simulation>>

/** A simulation with the service around it; the one answer that needs no token. */
export const Status = z.strictObject({
  ...state,
  tool: z.string(),
  version: z.string(),
  timestamp: seconds,
  /** True when tokens are enforced. */
  auth: z.boolean(),
  ...perMode,
})
export type Status = DeepReadonly<z.infer<typeof Status>>

/** The configuration of a session. */
export const Configuration = z.strictObject({
  case: caseName,
  ...optional({ network: NetworkTables }),
  seed: z.int(),
  mode,
  pmu_rate: z.literal([...pmuRates]),
  scan_s: z.int().describe('Seconds between two scans of the outstations.'),
  heartbeat_s: z.int().describe('Seconds between two repetitions of an unchanged GOOSE message.'),
  day: z.enum(dayKinds),
  start_hour: z.number(),
  load_scale: z.number(),
  load_speed: z.number(),
  load_noise: z.number(),
  bus_noise: z.number(),
  load_model: z.enum(['constant', 'zip']),
  pickup: z.enum(['secure', 'fragile', 'off']),
  restoration: z.enum(['automatic', 'operator']),
  reactive_limits: z.enum(['case', 'off']),
  unit_protection: z.enum(['on', 'off']),
  loss: z.number().describe('Share of messages over TCP and UDP that a path loses without an attacker.'),
  tap_changers: z.enum(['on', 'off']),
  agc_gain: z.number(),
  start_time: seconds.nullable(),
  auto_pause_s: z.int(),
})

const step = z.int().describe('The first step that knows of it.')
const SwitchCommand = z.strictObject({
  kind: z.literal('switch'),
  step,
  breaker: z.string(),
  closed: z.boolean(),
  ...optional({ closing: z.enum(closings) }),
})
const RestoreCommand = z.strictObject({
  kind: z.literal('restore'),
  step,
  share: z.number().describe("The share of a bus's load that returns at most."),
  ...optional({ bus: z.int() }),
})
const GeneratorCommand = z.strictObject({
  kind: z.literal('generator'),
  step,
  bus: z.int(),
  ...optional({ connected: z.boolean(), p_mw: z.number(), v_pu: z.number() }),
})
const LoadCommand = z.strictObject({ kind: z.literal('load'), step, scale: z.number() })

const AcknowledgeCommand = z.strictObject({
  kind: z.literal('acknowledge'),
  step,
  ...optional({ numbers: z.array(z.int()) }),
})

const TripCommand = z.strictObject({
  kind: z.literal('trip'),
  step,
  ...optional({
    breaker: z.string(),
    bus: z.int(),
    fault_s: z.number().describe('Seconds for which the fault of the line lasts.'),
  }),
})

/** An order of an operator or a fault, as it was taken. */
export const Command = z.union([
  SwitchCommand,
  LoadCommand,
  RestoreCommand,
  GeneratorCommand,
  TripCommand,
  AcknowledgeCommand,
])

/** A command of a session: with the seed, all that its steps depend on. */
export const SessionCommand = z.union([
  Command,
  z.strictObject({ kind: z.literal('enable'), step, order: AttackOrder }),
  z.strictObject({ kind: z.literal('disable'), step, attackIds: z.array(z.string()) }),
  z.strictObject({
    kind: z.literal('clock'),
    step,
    timeUs: z.int().describe('Unix time in microseconds.'),
    reason: z.enum(['start', 'resume', 'gap']),
  }),
])

/** A session that can be computed again. */
export const Session = z.strictObject({
  format: z.literal('sluice-grid-session'),
  version: z.literal(1),
  configuration: Configuration,
  commands: z.array(SessionCommand),
  steps: z.int().describe('Steps that were computed when the document was written.'),
})

/** Every simulation. */
export const Simulations = z.strictObject({
  count: z.int(),
  maximum: z.int(),
  simulations: z.array(z.strictObject({ name: z.string(), base: z.string(), ...optional({ created: seconds }) })),
})

/** A simulation that was created. */
export const Created = z.strictObject({
  name: z.string(),
  base: z.string().describe('The path of its interface.'),
})

/** A simulation that was deleted. */
export const Deleted = z.strictObject({ deleted: z.string() })

/** A ticket of one event stream. */
export const Ticket = z.strictObject({ ticket: z.string(), expires_in: z.int().describe('Seconds.') })
