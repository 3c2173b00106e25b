/** Shapes of request bodies by path. */

import * as z from 'zod'
import { optional } from '../contract/parts.ts'
import { caseNames } from '../network/cases/catalogue.ts'
import { tapRule } from '../plant/tap-changers.ts'
import { answersShape, playShape } from '../scenario/shape.ts'
import { disableShape, enableShape } from './attack-requests.ts'
import {
  ingestedPacket,
  ingestPacketsRequest,
  maximumRecords,
  statusRequest,
  topologyRequest,
} from './ingest-requests.ts'
import { simulationName } from './request-bounds.ts'
import { closings, settings } from './session-settings.ts'

/** Name of a stored network or of a simulation. */
const networkName = z
  .string()
  .regex(simulationName, 'expected 1 to 63 of a-z, 0-9 and -, with a letter or digit at either end')

const configuration = z.strictObject(optional({ case: z.enum(caseNames), network: networkName, ...settings }))

const breaker = z.string().min(1).max(64)
const bus = z.int().min(0)

/** The shapes of orders, and of what begins a session. */
export const orderShapes = {
  '/sim/config': configuration,
  '/sim/step': z.strictObject({ steps: z.int().min(1).max(600).default(1) }),
  '/sim/speed': z.strictObject({ speed: z.number().min(0.1).max(60) }),
  '/grid/breaker': z.strictObject({ breaker, closed: z.boolean() }),
  '/grid/join': z.strictObject({ breaker, closing: z.enum(closings).default('synchronized') }),
  '/grid/generator': z.strictObject({
    bus,
    ...optional({ connected: z.boolean(), p_mw: z.number(), v_pu: z.number() }),
  }),
  '/grid/restore': z.strictObject({ ...optional({ bus }), share: z.number().min(0.01).max(1).default(1) }),
  '/grid/fault': z.strictObject({ breaker, seconds: z.number().min(0.1).max(36_000).default(0.5) }),
  '/grid/tap': z.strictObject({ breaker, position: z.int().min(-tapRule.mostSteps).max(tapRule.mostSteps) }),
  '/grid/acknowledge': z.strictObject(optional({ numbers: z.array(z.int().min(1)).max(400) })),
  '/grid/load': z.strictObject({ scale: z.number().min(0.2).max(1.5) }),
  '/simulations': z.strictObject({ name: networkName, configuration: configuration.default({}) }),
} as const

/** The shape of the JSON body of every route that takes one, for the description of the interface. */
export const bodyShapes: Readonly<Record<string, z.ZodType>> = {
  ...orderShapes,
  '/attack/enable': enableShape,
  '/attack/disable': disableShape,
  '/ingest/packets': ingestPacketsRequest.extend({ packets: z.array(ingestedPacket).min(1).max(maximumRecords) }),
  '/ingest/topology': topologyRequest,
  '/ingest/status': statusRequest,
  '/scenario': playShape,
  '/scenario/answers': answersShape,
}

/** Orders that are mistaken for each other. */
const confused = ['/sim/config', '/sim/step', '/sim/speed', '/grid/breaker', '/grid/load'] as const

const ordersByProperty: ReadonlyMap<string, string> = new Map(
  confused.flatMap((path) => Object.keys(orderShapes[path].shape).map((name) => [name, path] as const)),
)

/** Finds the order that takes a property, among those that are mistaken for each other; undefined where none does. */
export function findOrder(property: string): string | undefined {
  const path = ordersByProperty.get(property)
  return path && `POST /api/v1${path}`
}
