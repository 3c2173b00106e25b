/** Answers of a simulation about itself, and to orders about it. */

import * as z from 'zod'
import type { DeepReadonly } from '../../base/deep-readonly.ts'
import { closings, mode, settings } from '../interface/session-settings.ts'
import { AttackOrder } from './attacks.ts'
import { NetworkTables } from './network.ts'
import { counters, optional, seconds, summary } from './parts.ts'

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
/** The grid in a few numbers. */
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
    /** Messages that were written to a connection. */
    sent: z.int(),
    /** Attempts that failed since the last success: 0 while the collector takes messages. */
    failures: z.int(),
    waiting: z.int(),
    /** Messages that found no room. */
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

/** The configuration of a session; names as on the wire, because sessions are exported and imported as they are. */
export const Configuration = z.strictObject({ case: caseName, ...optional({ network: NetworkTables }), ...settings })
export type Configuration = DeepReadonly<z.infer<typeof Configuration>>

/** A command of one kind, with the first step that knows of it. */
function command<Kind extends string, Shape extends z.ZodRawShape>(kind: Kind, shape: Shape) {
  return z.strictObject({ kind: z.literal(kind), step: z.int().describe('The first step that knows of it.'), ...shape })
}

/** An order of an operator or a fault, as it was taken. */
export const Command = z.union([
  command('switch', {
    breaker: z.string(),
    closed: z.boolean(),
    ...optional({ closing: z.enum(closings).describe('Absent: not between islands that are out of step.') }),
  }),
  command('load', { scale: z.number() }),
  command('restore', {
    share: z.number().describe("The share of a bus's load that returns at most."),
    ...optional({ bus: z.int().describe('Absent: at every live bus.') }),
  }),
  command('generator', { bus: z.int(), ...optional({ connected: z.boolean(), p_mw: z.number(), v_pu: z.number() }) }),
  command(
    'trip',
    optional({
      breaker: z.string().describe('Of the line; or else the bus of the machine is there.'),
      bus: z.int(),
      fault_s: z.number().describe('Seconds for which the fault of the line lasts; absent: its relay trips for good.'),
    }),
  ),
  command('tap', {
    breaker: z.string().describe('Of the transformer.'),
    position: z.int().describe("Steps from the case's ratio."),
  }),
  command('acknowledge', optional({ numbers: z.array(z.int()).describe('Absent: all alarms.') })),
])

/** A command of a session: with the seed, all that its steps depend on. */
export const SessionCommand = z.union([
  Command,
  command('enable', { order: AttackOrder }),
  command('disable', { attackIds: z.array(z.string()) }),
  command('clock', {
    timeUs: z.int().describe('Unix time in microseconds.'),
    reason: z.enum(['start', 'resume', 'gap']),
  }),
])
export type SessionCommand = DeepReadonly<z.infer<typeof SessionCommand>>

/** A session that can be computed again. */
export const Session = z.strictObject({
  format: z.literal('sluice-grid-session'),
  version: z.literal(1),
  configuration: Configuration,
  commands: z.array(SessionCommand),
  steps: z.int().describe('Steps that were computed when the document was written.'),
})
export type Session = DeepReadonly<z.infer<typeof Session>>

/** Every simulation. */
export const Simulations = z.strictObject({
  count: z.int(),
  maximum: z.int(),
  simulations: z.array(z.strictObject({ name: z.string(), base: z.string(), ...optional({ created: seconds }) })),
})

/** A simulation that was created. */
export const Created = z.strictObject({ name: z.string(), base: z.string().describe('The path of its interface.') })

/** A simulation that was deleted. */
export const Deleted = z.strictObject({ deleted: z.string() })

/** A ticket of one event stream. */
export const Ticket = z.strictObject({ ticket: z.string(), expires_in: z.int().describe('Seconds.') })
