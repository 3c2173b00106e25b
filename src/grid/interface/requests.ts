/** The shapes of request bodies; code behind this file sees checked values only. */

import * as z from 'zod'
import { isRecord } from '../../base/json.ts'
import type { Command, CommandOf, Configuration } from '../configuration.ts'
import { optional } from '../contract/parts.ts'
import { GridError } from '../errors.ts'
import { caseNames } from '../network/cases/catalogue.ts'
import { tapRule } from '../plant/tap-changers.ts'
import { answersShape, playShape } from '../scenario/shape.ts'
import { disableShape, enableShape } from './attack-requests.ts'
import { type OtherOrder, readBody } from './body-mistakes.ts'
import {
  ingestedPacket,
  ingestPacketsRequest,
  maximumRecords,
  statusRequest,
  topologyRequest,
} from './ingest-requests.ts'
import { closings, settings } from './session-settings.ts'

/** Most octets of a body, by what it carries. */
export const bodyLimits = {
  control: 64 * 1024,
  // A scenario or a session is one value of a table.
  scenario: 1024 * 1024,
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

/** Name of a stored network or of a simulation. */
export const networkName = z
  .string()
  .regex(simulationName, 'expected 1 to 63 of a-z, 0-9 and -, with a letter or digit at either end')

const configurationRequest = z.strictObject(optional({ case: z.enum(caseNames), network: networkName, ...settings }))

/** A change of a configuration; `network` is the name of a stored network. */
export type ConfigurationRequest = Partial<Omit<Configuration, 'network'>> & { readonly network?: string }

/**
 * Reads a change of configuration: only the fields that change.
 *
 * @throws GridError invalid_configuration when the body has mistakes; the message lists every one.
 */
export function parseConfiguration(body: unknown): ConfigurationRequest {
  return requireOneNetwork(
    readBody(configurationRequest, body, { code: 'invalid_configuration', action: 'read configuration', otherOrder }),
  )
}

const simulationRequest = z.strictObject({ name: networkName, configuration: configurationRequest.default({}) })

/**
 * Reads `{name, configuration?}`: a simulation to create.
 *
 * @throws GridError invalid_request when the body has mistakes; the message lists every one.
 */
export function parseSimulation(body: unknown) {
  const { name, configuration } = readOrder(simulationRequest, body, 'create a simulation')
  return { name, configuration: requireOneNetwork(configuration) }
}

function requireOneNetwork(change: ConfigurationRequest): ConfigurationRequest {
  if (change.case === undefined || change.network === undefined) return change
  throw new GridError('invalid_configuration', 'Cannot read configuration: case and network, expected one of them')
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
type OrderBody<Kind extends Command['kind']> = Omit<CommandOf<Kind>, 'step'>

const speedRequest = z.strictObject({ speed: z.number().min(0.1).max(60) })

const stepRequest = z.strictObject({ steps: z.int().min(1).max(600).default(1) })

const breaker = z.string().min(1).max(64)

const switchRequest = z.strictObject({ breaker, closed: z.boolean() })

const joinRequest = z.strictObject({ breaker, closing: z.enum(closings).default('synchronized') })

const bus = z.int().min(0)

const restoreRequest = z.strictObject({ ...optional({ bus }), share: z.number().min(0.01).max(1).default(1) })

const generatorRequest = z.strictObject({
  bus,
  ...optional({ connected: z.boolean(), p_mw: z.number(), v_pu: z.number() }),
})

const faultRequest = z.strictObject({ breaker, seconds: z.number().min(0.1).max(36_000).default(0.5) })

const tapRequest = z.strictObject({ breaker, position: z.int().min(-tapRule.mostSteps).max(tapRule.mostSteps) })

const acknowledgeRequest = z.strictObject(optional({ numbers: z.array(z.int().min(1)).max(400) }))

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
export function parseSwitch(body: unknown): OrderBody<'switch'> {
  return { kind: 'switch', ...readOrder(switchRequest, body, 'switch a breaker') }
}

/** Reads `{breaker, closing?}`: a breaker that joins two islands, in synchronism if nothing else is said. */
export function parseJoin(body: unknown): OrderBody<'switch'> {
  return { kind: 'switch', closed: true, ...readOrder(joinRequest, body, 'join two islands') }
}

/** Reads `{numbers?}`: alarms to acknowledge; all of them where the body is absent or names none. */
export function parseAcknowledge(body: unknown): OrderBody<'acknowledge'> {
  return { kind: 'acknowledge', ...readOrder(acknowledgeRequest, body ?? {}, 'acknowledge alarms') }
}

/** Reads `{bus?, share?}`: load that returns, at one bus or at all, by default all of it. */
export function parseRestore(body: unknown): OrderBody<'restore'> {
  return { kind: 'restore', ...readOrder(restoreRequest, body ?? {}, 'restore load') }
}

/**
 * Reads `{bus, connected?, p_mw?, v_pu?}`: an order to the machine at a bus.
 *
 * @throws GridError invalid_request when the body has mistakes, or nothing to order.
 */
export function parseGenerator(body: unknown): OrderBody<'generator'> {
  const order = readOrder(generatorRequest, body, 'order a machine')
  if (Object.keys(order).length > 1) return { kind: 'generator', ...order }
  throw new GridError('invalid_request', 'Cannot order a machine: expected connected, p_mw or v_pu beside the bus')
}

/** Reads `{breaker, seconds?}`: a fault of a line, of half a second if nothing else is said. */
export function parseFault(body: unknown): OrderBody<'trip'> {
  const { breaker: at, seconds } = readOrder(faultRequest, body, 'put a fault on a line')
  return { kind: 'trip', breaker: at, fault_s: seconds }
}

/** Reads `{breaker, position}`: the tap of the transformer at a breaker. */
export function parseTapOrder(body: unknown): OrderBody<'tap'> {
  return { kind: 'tap', ...readOrder(tapRequest, body, 'move a tap') }
}

/** Reads `{scale}`: a factor on every load from now on. */
export function parseLoad(body: unknown): OrderBody<'load'> {
  return { kind: 'load', ...readOrder(loadRequest, body, 'scale the loads') }
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
  '/grid/tap': tapRequest,
  '/grid/acknowledge': acknowledgeRequest,
  '/grid/load': loadRequest,
  '/ingest/packets': ingestPacketsRequest.extend({ packets: z.array(ingestedPacket).min(1).max(maximumRecords) }),
  '/ingest/topology': topologyRequest,
  '/ingest/status': statusRequest,
  '/scenario': playShape,
  '/scenario/answers': answersShape,
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

const otherOrder: OtherOrder = (property) => {
  const path = ordersByProperty.get(property)
  return path && `POST /api/v1${path}`
}

/** Reads the body of an order; the message of a property that another order takes names that one. */
function readOrder<Schema extends z.ZodType>(schema: Schema, body: unknown, action: string): z.infer<Schema> {
  return readBody(schema, body, { code: 'invalid_request', action, otherOrder })
}
