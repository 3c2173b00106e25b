/** The shapes of request bodies; code behind this file sees checked values only. */

import * as z from 'zod'
import { isRecord } from '../../base/json.ts'
import {
  type AcknowledgeCommand,
  type Configuration,
  closings,
  dayKinds,
  type GeneratorCommand,
  pmuRates,
  type RestoreCommand,
  type SwitchCommand,
  type TripCommand,
} from '../configuration.ts'
import { GridError } from '../errors.ts'
import { caseNames } from '../network/cases/catalogue.ts'
import { playShape } from '../scenario/shape.ts'
import { disableShape, enableShape } from './attack-requests.ts'
import {
  ingestedPacket,
  ingestPacketsRequest,
  maximumRecords,
  statusRequest,
  topologyRequest,
} from './ingest-requests.ts'
import { readBody } from './read-body.ts'

/** Most octets of a body, by what it carries. */
export const bodyLimits = {
  control: 64 * 1024,
  ingest: 256 * 1024,
  capture: 4 * 1024 * 1024,
  network: 4 * 1024 * 1024,
} as const

/** Deepest nesting of a JSON body. */
export const maximumDepth = 16

/** Most simulations besides the default one. */
export const maximumSimulations = 100

/** Name of a simulation in a path: what a host name's label may be, so that it can become one. */
export const simulationName = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Most networks that a deployment stores, and most octets of all of them as JSON. */
export const networkBounds = { count: 50, octets: 4 * 1024 * 1024 } as const

/** Name of a stored network in a path, by the rule of the names of simulations. */
export const networkName = z
  .string()
  .regex(simulationName, 'expected 1 to 63 of a-z, 0-9 and -, with a letter or digit at either end')

const configurationRequest = z.strictObject({
  case: z.enum(caseNames).optional(),
  network: networkName.optional(),
  seed: z.int().min(0).max(0xffffffff).optional(),
  mode: z.enum(['embedded', 'external']).optional(),
  pmu_rate: z.literal([...pmuRates]).optional(),
  scan_s: z.int().min(1).max(60).optional(),
  heartbeat_s: z.int().min(1).max(60).optional(),
  day: z.enum(dayKinds).optional(),
  start_hour: z.number().min(0).max(23.999).optional(),
  load_scale: z.number().min(0.2).max(1.5).optional(),
  load_speed: z.number().min(0).max(60).optional(),
  load_noise: z.number().min(0).max(0.05).optional(),
  bus_noise: z.number().min(0).max(0.05).optional(),
  load_model: z.enum(['constant', 'zip']).optional(),
  pickup: z.enum(['secure', 'fragile', 'off']).optional(),
  restoration: z.enum(['automatic', 'operator']).optional(),
  reactive_limits: z.enum(['case', 'off']).optional(),
  unit_protection: z.enum(['on', 'off']).optional(),
  loss: z.number().min(0).max(0.01).optional(),
  tap_changers: z.enum(['on', 'off']).optional(),
  agc_gain: z.number().min(0).max(1).optional(),
  start_time: z.int().min(0).max(4_102_444_800).nullable().optional(),
  auto_pause_s: z.int().min(0).max(86_400).optional(),
})

/** A change of a configuration; `network` is the name of a stored network. */
export type ConfigurationRequest = Partial<Omit<Configuration, 'network'>> & { readonly network?: string }

/**
 * Reads a change of configuration: only the fields that change.
 *
 * @throws GridError invalid_configuration when the body has mistakes; the message lists every one.
 */
export function parseConfiguration(body: unknown): ConfigurationRequest {
  return withoutUndefined(
    readBody(configurationRequest, body, 'invalid_configuration', 'read configuration', otherOrder),
  )
}

const simulationRequest = z.strictObject({
  name: z.string().regex(simulationName, 'expected 1 to 63 of a-z, 0-9 and -, with a letter or digit at either end'),
  configuration: configurationRequest.default({}),
})

/**
 * Reads `{name, configuration?}`: a simulation to create.
 *
 * @throws GridError invalid_request when the body has mistakes; the message lists every one.
 */
export function parseSimulation(body: unknown): {
  readonly name: string
  readonly configuration: ConfigurationRequest
} {
  const { name, configuration } = readOrder(simulationRequest, body, 'create a simulation')
  return { name, configuration: withoutUndefined(configuration) }
}

function withoutUndefined(change: z.infer<typeof configurationRequest>): ConfigurationRequest {
  if (change.case !== undefined && change.network !== undefined) {
    throw new GridError('invalid_configuration', 'Cannot read configuration: case and network, expected one of them')
  }
  const entries = Object.entries(change).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as ConfigurationRequest // the shape above has only these fields
}

/**
 * Reads the body of an order that takes none: absent, or an object without fields.
 *
 * @throws GridError invalid_request when there is a field: an ignored one would look as if it had an effect.
 */
export function expectNothing(body: unknown): void {
  const isNothing = body === undefined || (isRecord(body) && Object.keys(body).length === 0)
  if (isNothing) return
  throw new GridError('invalid_request', 'Cannot reset: the body must be absent or {}', {
    hint: 'POST /api/v1/sim/config begins a new session with another configuration',
  })
}

/** A command without its step, which the session adds. */
type OrderBody<One> = Omit<One, 'step'>

const speedRequest = z.strictObject({ speed: z.number().min(0.1).max(60) })

const stepRequest = z.strictObject({ steps: z.int().min(1).max(600).default(1) })

const breaker = z.string().min(1).max(64)

const switchRequest = z.strictObject({ breaker, closed: z.boolean() })

const joinRequest = z.strictObject({ breaker, closing: z.enum(closings).default('synchronized') })

const bus = z.int().min(0)

const restoreRequest = z.strictObject({ bus: bus.optional(), share: z.number().min(0.01).max(1).default(1) })

const generatorRequest = z.strictObject({
  bus,
  connected: z.boolean().optional(),
  p_mw: z.number().optional(),
  v_pu: z.number().optional(),
})

const faultRequest = z.strictObject({ breaker, seconds: z.number().min(0.1).max(36_000).default(0.5) })

const loadRequest = z.strictObject({ scale: z.number().min(0.2).max(1.5) })

/** Reads `{speed}`: simulated seconds per second. */
export function parseSpeed(body: unknown): number {
  return readOrder(speedRequest, body, 'set the speed').speed
}

/** Reads `{steps}`: how many steps of 100 ms to run at once; 1 when absent. */
export function parseSteps(body: unknown): number {
  return readOrder(stepRequest, body ?? {}, 'step').steps
}

/** Reads `{breaker, closed}`: an operator's switching. */
export function parseSwitch(body: unknown): OrderBody<SwitchCommand> {
  return { kind: 'switch', ...readOrder(switchRequest, body, 'switch a breaker') }
}

/** Reads `{breaker, closing?}`: a breaker that joins two islands, in synchronism if nothing else is said. */
export function parseJoin(body: unknown): OrderBody<SwitchCommand> {
  return { kind: 'switch', closed: true, ...readOrder(joinRequest, body, 'join two islands') }
}

const acknowledgeRequest = z.strictObject({ numbers: z.array(z.int().min(1)).max(400).optional() })

/** Reads `{numbers?}`: alarms to acknowledge; all of them where the body is absent or names none. */
export function parseAcknowledge(body: unknown): OrderBody<AcknowledgeCommand> {
  const { numbers } = readOrder(acknowledgeRequest, body ?? {}, 'acknowledge alarms')
  return { kind: 'acknowledge', ...(numbers === undefined ? {} : { numbers }) }
}

/** Reads `{bus?, share?}`: load that returns, at one bus or at all, by default all of it. */
export function parseRestore(body: unknown): OrderBody<RestoreCommand> {
  const { bus: at, share } = readOrder(restoreRequest, body ?? {}, 'restore load')
  return { kind: 'restore', share, ...(at === undefined ? {} : { bus: at }) }
}

/**
 * Reads `{bus, connected?, p_mw?, v_pu?}`: an order to the machine at a bus.
 *
 * @throws GridError invalid_request when the body has mistakes, or nothing to order.
 */
export function parseGenerator(body: unknown): OrderBody<GeneratorCommand> {
  const { bus: at, connected, p_mw, v_pu } = readOrder(generatorRequest, body, 'order a machine')
  if (connected === undefined && p_mw === undefined && v_pu === undefined) {
    throw new GridError('invalid_request', 'Cannot order a machine: expected connected, p_mw or v_pu beside the bus')
  }
  return {
    kind: 'generator',
    bus: at,
    ...(connected === undefined ? {} : { connected }),
    ...(p_mw === undefined ? {} : { p_mw }),
    ...(v_pu === undefined ? {} : { v_pu }),
  }
}

/** Reads `{breaker, seconds?}`: a fault of a line, of half a second if nothing else is said. */
export function parseFault(body: unknown): OrderBody<TripCommand> {
  const { breaker: at, seconds } = readOrder(faultRequest, body, 'put a fault on a line')
  return { kind: 'trip', breaker: at, fault_s: seconds }
}

/** Reads `{scale}`: a factor on every load from now on. */
export function parseLoad(body: unknown): number {
  return readOrder(loadRequest, body, 'scale the loads').scale
}

/** The shape of the JSON body of every route that takes one, by path, for the description of the interface. */
export const bodyShapes: Readonly<Record<string, z.ZodType>> = {
  '/attack/enable': enableShape,
  '/attack/disable': disableShape,
  '/sim/config': configurationRequest,
  '/sim/step': stepRequest,
  '/sim/speed': speedRequest,
  '/grid/breaker': switchRequest,
  '/grid/join': joinRequest,
  '/grid/generator': generatorRequest,
  '/grid/restore': restoreRequest,
  '/grid/fault': faultRequest,
  '/grid/acknowledge': acknowledgeRequest,
  '/grid/load': loadRequest,
  '/ingest/packets': ingestPacketsRequest.extend({
    packets: z.array(ingestedPacket).min(1).max(maximumRecords),
  }),
  '/ingest/topology': topologyRequest,
  '/ingest/status': statusRequest,
  '/scenario': playShape,
  '/simulations': simulationRequest,
}

/** Orders that are mistaken for each other, each with the properties that only it takes. */
const ordersByProperty: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '/sim/config': configurationRequest,
    '/sim/step': stepRequest,
    '/sim/speed': speedRequest,
    '/grid/breaker': switchRequest,
    '/grid/load': loadRequest,
  }).flatMap(([path, { shape }]) => Object.keys(shape).map((name) => [name, path] as const)),
)

function otherOrder(property: string): string | undefined {
  const path = ordersByProperty.get(property)
  return path === undefined ? undefined : `POST /api/v1${path}`
}

/** Reads the body of an order; the message of a property that another order takes names that one. */
function readOrder<Schema extends z.ZodType>(schema: Schema, body: unknown, action: string): z.infer<Schema> {
  return readBody(schema, body, 'invalid_request', action, otherOrder)
}
