/** Answers about the grid: its devices and branches, and what the control centre knows of it. */

import * as z from 'zod'
import type { DeepReadonly } from '../../base/deep-readonly.ts'
import { Schedule } from './attacks.ts'
import { anyObject, optional, seconds, summary } from './parts.ts'

const openOrClosed = z.enum(['open', 'closed'])

/** Fields that only some types of devices have. */
const perType = optional({
  mac: z.string(),
  bus: z.int(),
  zone: z.int(),
  status: z.string(),
  state: openOrClosed,
  branch: z.int(),
  protocol: z.string(),
  address: z.int(),
  points: z.array(z.string()),
  breakers: z.array(z.string()),
  last_heard: seconds.nullable(),
  reporting_rate: z.int().describe('Frames per second.'),
  idcode: z.int(),
  buffer_timeout: z.int().describe('Milliseconds.'),
  pmu_input_count: z.int(),
  active: z.boolean(),
  attack_type: z.string(),
  attack_params: anyObject,
  attack_schedule: Schedule,
})

/** One device; further fields depend on its type. */
export const Device = z.strictObject({
  id: z.string(),
  node_type: z.string(),
  label: z.string(),
  ip: z.string(),
  port: z.int(),
  proto: z.enum(['UDP', 'TCP']),
  level: z.int().describe('-1 threat, 0 process, 1 bay, 2 station, 3 control centre.'),
  x: z.number(),
  y: z.number(),
  ...perType,
})
export type Device = DeepReadonly<z.infer<typeof Device>>

/** One link between two nodes, with the attackers on it. */
export const Link = z.strictObject({
  id: z.string(),
  src_id: z.string(),
  dst_id: z.string(),
  protocol: z.string(),
  threat_agent_ids: z.array(z.string()),
})
export type Link = DeepReadonly<z.infer<typeof Link>>

/** A bus with its values. */
export const Bus = z.strictObject({
  id: z.int(),
  base_kv: z.number(),
  zone: z.int(),
  x: z.number(),
  y: z.number(),
  vm_pu: z.number(),
  va_deg: z.number(),
  frequency_hz: z.number(),
  energized: z.boolean(),
})
export type Bus = DeepReadonly<z.infer<typeof Bus>>

/** A branch with its flows. */
export const Branch = z.strictObject({
  number: z.int(),
  /** Its breaker is named `CB-` and this. */
  name: z.string(),
  from: z.int(),
  to: z.int(),
  closed: z.boolean(),
  from_mw: z.number(),
  from_mvar: z.number(),
  to_mw: z.number(),
  to_mvar: z.number(),
  rate_mva: z.number().describe('0: without a rating.'),
  loading_percent: z.number(),
  ...optional({ tap: z.int().describe("Steps of the tap from the case's ratio; absent without a tap.") }),
})
export type Branch = DeepReadonly<z.infer<typeof Branch>>

/** The grid of a topology: buses, branches and what is at them. */
export const Grid = z.strictObject({
  case: z.string(),
  base_mva: z.number(),
  buses: z.array(Bus),
  branches: z.array(Branch),
  generators: z.array(
    z.strictObject({
      bus: z.int(),
      p_mw: z.number(),
      q_mvar: z.number(),
      p_max_mw: z.number(),
      connected: z.boolean(),
      q_limit: z.enum(['none', 'max', 'min']).describe('The reactive limit at which it is held.'),
      black_start: z.boolean().describe('True: it starts at a dead bus.'),
    }),
  ),
  loads: z.array(
    z.strictObject({
      bus: z.int(),
      tripped: z.boolean().describe('True: all of it is disconnected.'),
      shed_share: z.number().describe('The share that is disconnected, 0 to 1.'),
    }),
  ),
  breakers: z.array(z.strictObject({ id: z.string(), branch: z.int(), state: openOrClosed })),
})
export type Grid = DeepReadonly<z.infer<typeof Grid>>

/** A member that an outside simulator sends in another form. */
function orOwn<Schema extends z.ZodType>(schema: Schema) {
  return z.union([schema, z.unknown()]).describe('Any JSON in a session that an outside simulator drives.')
}

const Selection = z.strictObject({
  type: z.string(),
  params: anyObject,
  enabled: z.boolean(),
  schedule: Schedule,
  scope: z.enum(['all', 'selected']),
  selected_link: z.string().nullable(),
})

/** Both layers in one snapshot: the devices that talk, and the grid that they measure and switch. */
export const Topology = z
  .strictObject(
    optional({
      format: z.string(),
      version: z.int(),
      nodes: z.array(Device),
      links: z.array(Link),
      simulation: orOwn(Selection),
      grid: orOwn(Grid),
    }),
  )
  .describe('Empty until an outside simulator that drives the session has sent one.')

/** The topology of a session of the engine. */
export interface Topology {
  readonly format: string
  readonly version: number
  readonly nodes: readonly Device[]
  readonly links: readonly Link[]
  readonly simulation: DeepReadonly<z.infer<typeof Selection>>
  readonly grid: Grid
}

/** Alarm of a detector of the control centre. */
export const Alarm = z.strictObject({
  number: z.int(),
  timestamp: seconds,
  priority: z.enum(['medium', 'high', 'critical']),
  acknowledged: z.boolean(),
  detector: z.string(),
  where: z.string().describe('A node, a link or a measured point.'),
  text: z.string(),
  evidence: anyObject,
})
export type Alarm = DeepReadonly<z.infer<typeof Alarm>>

/** Alarm of a limit that a measured value has passed. */
const LimitAlarm = z.strictObject({
  number: z.int(),
  timestamp: seconds,
  priority: z.enum(['medium', 'high', 'critical']),
  kind: z.enum(['voltage', 'loading', 'frequency']),
  where: z.string(),
  text: z.string(),
  value: z.number().describe('Per unit, percent of the rating, or Hz.'),
  active: z.boolean().describe('False once the value is back inside the limit.'),
  acknowledged: z.boolean(),
})

/** An alarm of a limit. */
export type LimitAlarm = DeepReadonly<z.infer<typeof LimitAlarm>>

const Estimate = z.strictObject({
  timestamp: seconds,
  objective: z.number().describe('J, the weighted sum of the squared residuals.'),
  threshold: z.number().describe('The limit of J in the chi-square test.'),
  degreesOfFreedom: z.int(),
  suspicious: z.boolean(),
  largest: z
    .strictObject({ name: z.string(), residual: z.number().describe('The largest normalised residual.') })
    .nullable(),
  removed: z.array(z.string()).describe('Measurements that were left out as bad data.'),
  vmPu: z.array(z.number()),
  vaRad: z.array(z.number()),
})

/** An estimate of the state of the grid. */
export type EstimateView = DeepReadonly<z.infer<typeof Estimate>>

/** The true, the measured and the estimated state, and the alarms. */
export const GridView = z.strictObject({
  truth: z.strictObject({ ...summary, vm_pu: z.array(z.number()), va_rad: z.array(z.number()) }),
  measured: z.strictObject({
    values: z.record(z.string(), z.number()).describe('Per unit, by name of the point.'),
    closed: z.record(z.string(), z.boolean()).describe('By number of the branch.'),
  }),
  estimate: Estimate.nullable(),
  alarms: z.array(Alarm),
  alarm_count: z.int(),
  limit_alarms: z.array(LimitAlarm),
  limit_alarms_suppressed: z.int().describe('Alarms of limits that were not raised, because their place chattered.'),
})
export type GridView = DeepReadonly<z.infer<typeof GridView>>
