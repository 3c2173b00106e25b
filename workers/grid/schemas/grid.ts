/** Shapes of the grid: the devices and branches in it, and what the control centre knows of it. */

import {
  boolean,
  describe,
  listOf,
  number,
  oneOf,
  orNull,
  type Schema,
  type Schemas,
  text,
  whole,
} from '#base/json-schema.ts'
import { anyObject, mapOf, object, refTo, seconds } from './parts.ts'
import { summary } from './simulation.ts'

/** Fields that only some types of devices have. */
const perType: Schemas = {
  mac: text,
  bus: whole,
  zone: whole,
  status: text,
  state: oneOf('open', 'closed'),
  branch: whole,
  protocol: text,
  address: whole,
  points: listOf(text),
  breakers: listOf(text),
  last_heard: orNull(seconds),
  reporting_rate: describe('Frames per second.', whole),
  idcode: whole,
  buffer_timeout: describe('Milliseconds.', whole),
  pmu_input_count: whole,
  active: boolean,
  attack_type: text,
  attack_params: anyObject,
  attack_schedule: refTo('Schedule'),
}

const device = object(
  {
    id: text,
    node_type: text,
    label: text,
    ip: text,
    port: whole,
    proto: oneOf('UDP', 'TCP'),
    level: describe('-1 threat, 0 process, 1 bay, 2 station, 3 control centre.', whole),
    x: number,
    y: number,
  },
  perType,
)

const bus = object({
  id: whole,
  base_kv: number,
  zone: whole,
  x: number,
  y: number,
  vm_pu: number,
  va_deg: number,
  frequency_hz: number,
  energized: boolean,
})

const branch = object({
  number: whole,
  name: text,
  from: whole,
  to: whole,
  closed: boolean,
  from_mw: number,
  from_mvar: number,
  to_mw: number,
  to_mvar: number,
  rate_mva: describe('0: without a rating.', number),
  loading_percent: number,
})

/** A member that an outside simulator may send in another form. */
function orOwn(schema: Schema): Schema {
  return describe('Any JSON in a session that an outside simulator drives.', { anyOf: [schema, {}] })
}

/** Present unless an outside simulator drives the session. */
const ofEngine: Schemas = {
  simulation: orOwn(
    object({
      type: text,
      params: anyObject,
      enabled: boolean,
      schedule: refTo('Schedule'),
      scope: oneOf('all', 'selected'),
      selected_link: orNull(text),
    }),
  ),
  grid: orOwn(
    object({
      case: text,
      base_mva: number,
      buses: listOf(bus),
      branches: listOf(branch),
      generators: listOf(object({ bus: whole, p_mw: number, q_mvar: number, p_max_mw: number })),
      loads: listOf(object({ bus: whole, tripped: boolean })),
      breakers: listOf(object({ id: text, branch: whole, state: oneOf('open', 'closed') })),
    }),
  ),
}

const estimate = object({
  timestamp: seconds,
  objective: describe('J, the weighted sum of the squared residuals.', number),
  threshold: describe('The limit of J in the chi-square test.', number),
  degreesOfFreedom: whole,
  suspicious: boolean,
  largest: orNull(object({ name: text, residual: describe('The largest normalised residual.', number) })),
  removed: describe('Measurements that were left out as bad data.', listOf(text)),
  vmPu: listOf(number),
  vaRad: listOf(number),
})

/** Schemas by the name of the shape. */
export const gridSchemas: Schemas = {
  Topology: describe(
    'Empty until an outside simulator that drives the session has sent one.',
    object(
      {},
      {
        format: text,
        version: whole,
        nodes: listOf(device),
        links: listOf(
          object({ id: text, src_id: text, dst_id: text, protocol: text, threat_agent_ids: listOf(text) }),
        ),
        ...ofEngine,
      },
    ),
  ),
  Alarm: object({
    timestamp: seconds,
    detector: text,
    where: describe('A node, a link or a measured point.', text),
    text,
    evidence: anyObject,
  }),
  GridView: object({
    truth: object({ ...summary, vm_pu: listOf(number), va_rad: listOf(number) }),
    measured: object({
      values: describe('Per unit, by name of the point.', mapOf(number)),
      closed: describe('By number of the branch.', mapOf(boolean)),
    }),
    estimate: orNull(estimate),
    alarms: listOf(refTo('Alarm')),
    alarm_count: whole,
  }),
}
