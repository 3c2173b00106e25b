/** The shapes of everything that a request may carry; nothing past this file sees an unchecked value. */

import * as z from 'zod'
import { nearest } from '../../base/nearest.ts'
import { type Configuration, dayKinds, pmuRates } from '../configuration.ts'
import { GridError } from '../errors.ts'
import { caseNames } from '../network/cases/catalogue.ts'
import type { IncidentStatus, Topology } from '../types.ts'
import { listMistakes, showValue } from './body-mistakes.ts'

/** Most octets of a body, by what it carries. */
export const bodyLimits = { control: 64 * 1024, ingest: 256 * 1024, capture: 4 * 1024 * 1024 } as const

/** Deepest nesting of a JSON body. */
export const maximumDepth = 16

/** Most records in one ingestion request. */
export const maximumRecords = 500

/** Most simulations besides the default one. */
export const maximumSimulations = 100

/** Name of a simulation in a path: what a host name's label may be, so that it can become one. */
export const simulationName = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** The part of an enable request that the contract names; what it means is for the attack's own table to say. */
export interface AttackEnableRequest {
  readonly type: string
  readonly params: Readonly<Record<string, unknown>>
  readonly schedule?: unknown
  readonly target_link?: unknown
  readonly seed?: unknown
  /** Names of the body that mean nothing here; the attack's own table says whether they are mistakes. */
  readonly unknown?: readonly string[]
}

/** What an enable request may carry. */
export const enableFields = ['type', 'params', 'schedule', 'target_link', 'seed'] as const

/**
 * Reads the body of an enable request.
 *
 * @param unread - Why there is no body, such as `it is not valid JSON`; then `body` is the empty object that the
 * contract reads in its place.
 * @throws GridError `invalid_request` when the body or `params` is no object or `type` is missing; nothing else
 * is refused here, because an attack that cannot be enabled is an answer and not an error.
 */
export function parseAttackEnable(body: unknown, unread?: string): AttackEnableRequest {
  if (!isObject(body)) throw new GridError('invalid_request', 'Request body must be a JSON object')
  const { type, params } = body
  if (typeof type !== 'string' || type.trim() === '') {
    const meant = Object.keys(body).find((name) => name !== 'type' && nearest(name, ['type']) === 'type')
    const unreadable = unread === undefined ? '' : `The body cannot be read: ${unread}. `
    const nearby =
      meant === undefined ? unreadable : `Did you mean "type" where the body says "${meant.slice(0, 64)}"? `
    throw new GridError('invalid_request', "Missing 'type' field", {
      hint: `${nearby}Send {"type": "NOISE", "params": {"noise_std": 2}}; GET /api/v1/attacks/catalog lists every type`,
    })
  }
  if (params !== undefined && !isObject(params)) {
    throw new GridError('invalid_request', 'params must be a JSON object', {
      hint: 'Leave params out to take every default',
    })
  }
  const extras = ['schedule', 'target_link', 'seed'].filter((name) => Object.hasOwn(body, name))
  const unknown = Object.keys(body).filter((name) => !(enableFields as readonly string[]).includes(name))
  const given = Object.fromEntries(extras.map((name) => [name, body[name]]))
  return { type, params: params ?? {}, ...(unknown.length > 0 ? { unknown } : {}), ...given }
}

/** What a disable request may name; nothing named means every attack. */
export interface AttackDisableRequest {
  readonly type?: string
  readonly attack_id?: string
  /** What is wrong with the body; then it ends nothing, because what it meant to end is not known. */
  readonly mistakes?: readonly string[]
}

/** Most characters of an unknown name that a mistake repeats. */
const shownLength = 64

/**
 * Reads the body of a disable request; it is optional and may hold further properties, and the answer is always an
 * acknowledgment: what is wrong is listed and not refused.
 *
 * @param body - Undefined for no body.
 */
export function parseAttackDisable(body: unknown): AttackDisableRequest {
  if (body === undefined) return {}
  if (!isObject(body)) return { mistakes: ['the body is not a JSON object'] }
  const named = (['type', 'attack_id'] as const).filter((name) => Object.hasOwn(body, name))
  const wrong = named
    .filter((name) => typeof body[name] !== 'string' || body[name].trim() === '')
    .map((name) => `${name} is ${showValue(body[name])}, expected a text`)
  const misspelled = Object.keys(body).flatMap((name) => {
    const meant = nearest(name, ['type', 'attack_id'])
    return meant === undefined || meant === name
      ? []
      : [`unknown property "${name.slice(0, shownLength)}", did you mean "${meant}"?`]
  })
  const mistakes = [...wrong, ...misspelled]
  if (mistakes.length > 0) return { mistakes }
  const { type, attack_id } = body
  return {
    ...(typeof type === 'string' ? { type: type.trim().toUpperCase() } : {}),
    ...(typeof attack_id === 'string' ? { attack_id } : {}),
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const configurationRequest = z.strictObject({
  case: z.enum(caseNames).optional(),
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
  pickup: z.enum(['secure', 'fragile', 'off']).optional(),
  agc_gain: z.number().min(0).max(1).optional(),
  start_time: z.int().min(0).max(4_102_444_800).nullable().optional(),
  auto_pause_s: z.int().min(0).max(86_400).optional(),
})

/**
 * Reads a change of configuration: only the fields that change.
 *
 * @throws GridError `invalid_configuration` that lists every mistake.
 */
export function parseConfiguration(body: unknown): Partial<Configuration> {
  return withoutUndefined(parse(configurationRequest, body, 'invalid_configuration', 'read configuration'))
}

const simulationRequest = z.strictObject({
  name: z
    .string()
    .regex(simulationName, 'expected 1 to 63 of a-z, 0-9 and -, with a letter or digit at either end'),
  configuration: configurationRequest.default({}),
})

/**
 * Reads `{name, configuration?}`: a simulation to create.
 *
 * @throws GridError `invalid_request` that lists every mistake.
 */
export function parseSimulation(body: unknown): {
  readonly name: string
  readonly configuration: Partial<Configuration>
} {
  const { name, configuration } = parse(simulationRequest, body, 'invalid_request', 'create a simulation')
  return { name, configuration: withoutUndefined(configuration) }
}

function withoutUndefined(change: z.infer<typeof configurationRequest>): Partial<Configuration> {
  const entries = Object.entries(change).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Partial<Configuration> // the shape above names these fields alone
}

/**
 * Reads the body of an order that takes none: absent, or an object without fields.
 *
 * @throws GridError `invalid_request`, so that nobody believes that what they sent was heeded.
 */
export function expectNothing(body: unknown): void {
  const isNothing = body === undefined || (isObject(body) && Object.keys(body).length === 0)
  if (isNothing) return
  throw new GridError('invalid_request', 'Cannot reset: the body must be absent or {}', {
    hint: 'POST /api/v1/sim/config begins a new session with another configuration',
  })
}

const speedRequest = z.strictObject({ speed: z.number().min(0.1).max(60) })
const stepRequest = z.strictObject({ steps: z.int().min(1).max(600).default(1) })
const switchRequest = z.strictObject({ breaker: z.string().min(1).max(64), closed: z.boolean() })
const loadRequest = z.strictObject({ scale: z.number().min(0.2).max(1.5) })

/** Reads `{speed}`: simulated seconds per second. */
export function parseSpeed(body: unknown): number {
  return parse(speedRequest, body, 'invalid_request', 'set the speed').speed
}

/** Reads `{steps}`: how many steps of 100 ms to run at once; 1 when absent. */
export function parseSteps(body: unknown): number {
  return parse(stepRequest, body ?? {}, 'invalid_request', 'step').steps
}

/** Reads `{breaker, closed}`: an operator's switching. */
export function parseSwitch(body: unknown): { readonly breaker: string; readonly closed: boolean } {
  return parse(switchRequest, body, 'invalid_request', 'switch a breaker')
}

/** Reads `{scale}`: a factor on every load from now on. */
export function parseLoad(body: unknown): number {
  return parse(loadRequest, body, 'invalid_request', 'scale the loads').scale
}

const shortText = z.string().max(128)
const frameValue = z.record(z.string().max(128), z.json())
/** Unix seconds from 1970 to 2100; JSON has no other numbers than finite ones, but `1e999` reads as infinity. */
const timestamp = z.number().min(0).max(4_102_444_800)

const ingestedPacket = z.object({
  timestamp,
  protocol: shortText.min(1),
  status: shortText.min(1),
  attack_type: shortText.optional(),
  src: shortText.optional(),
  dst: shortText.optional(),
  raw_b64: z
    .base64()
    .max(96 * 1024)
    .optional(),
  original_val: frameValue.optional(),
  modified_val: frameValue.optional(),
  description: z.string().max(1024).optional(),
})

/** One message that an outside simulator saw. */
export type IngestedPacket = z.infer<typeof ingestedPacket>

const ingestPacketsRequest = z.strictObject({
  source: z.string().min(1).max(64),
  seq: z.int().min(0),
  packets: z.array(z.unknown()).min(1).max(maximumRecords),
})

/** A numbered batch of packets; the same source and number are taken once. */
export interface PacketBatch {
  readonly source: string
  readonly seq: number
  readonly packets: readonly IngestedPacket[]
  readonly rejected: readonly { readonly index: number; readonly error: string }[]
}

/**
 * Reads a batch of packets; packets that are wrong are listed and left out, the others count.
 *
 * @throws GridError `invalid_request` when the batch itself is wrong.
 */
export function parsePacketBatch(body: unknown): PacketBatch {
  const batch = parse(ingestPacketsRequest, body, 'invalid_request', 'ingest packets')
  const packets: IngestedPacket[] = []
  const rejected: { index: number; error: string }[] = []
  batch.packets.forEach((packet, index) => {
    const parsed = ingestedPacket.safeParse(packet)
    if (parsed.success) packets.push(parsed.data)
    else rejected.push({ index, error: listMistakes(ingestedPacket, packet, parsed.error, 'the packet') })
  })
  return { source: batch.source, seq: batch.seq, packets, rejected }
}

/** Further fields are kept as they are, as long as they are JSON: `1e999` reads as infinity, and would be null. */
const furtherFields = z.json()

const node = z
  .object({
    id: z.string().min(1).max(64),
    node_type: shortText.min(1),
    label: shortText.default(''),
    ip: shortText.default('127.0.0.1'),
    port: z.int().min(0).max(65_535).default(0),
    proto: z.enum(['UDP', 'TCP']).default('UDP'),
    level: z.int().min(-1).max(3).default(0),
    x: z.number().default(0),
    y: z.number().default(0),
  })
  .catchall(furtherFields)
const link = z
  .object({
    src_id: z.string().min(1).max(64),
    dst_id: z.string().min(1).max(64),
    protocol: shortText.default('C37.118'),
    threat_agent_ids: z.array(shortText).max(64).default([]),
  })
  .catchall(furtherFields)
const topologyRequest = z
  .object({
    format: shortText.default('GridSecSim'),
    version: z.int().default(2),
    nodes: z.array(node).max(2000),
    links: z.array(link).max(4000),
    simulation: frameValue.optional(),
  })
  .catchall(furtherFields)

/**
 * Reads a topology whose links all end at its own nodes.
 *
 * @throws GridError `invalid_request` that lists the mistakes.
 */
export function parseTopology(body: unknown): Topology {
  const topology = parse(topologyRequest, body, 'invalid_request', 'ingest topology')
  const ids = topology.nodes.map((one) => one.id)
  const known = new Set(ids)
  if (known.size !== ids.length) {
    const twice = ids.find((id, index) => ids.indexOf(id) !== index)
    throw new GridError('invalid_request', `Cannot ingest topology: node "${twice}" appears twice`)
  }
  topology.links.forEach(({ src_id, dst_id, threat_agent_ids }, index) => {
    const dangling = [src_id, dst_id, ...threat_agent_ids].find((id) => !known.has(id))
    if (dangling === undefined) return
    throw new GridError(
      'invalid_request',
      `Cannot ingest topology: links[${index}] names "${dangling}", expected the id of a node`,
    )
  })
  const links = topology.links.map((one, index) => ({ ...one, id: String(one.id ?? `link-${index + 1}`) }))
  // The schema above holds every field of a topology; node types of other simulators are kept as they are.
  return { ...topology, links } as unknown as Topology
}

const statusRequest = z.strictObject({
  running: z.boolean(),
  uptime_s: z.number().min(0).max(1e10).optional(),
  integrations: z.record(shortText, z.boolean()).optional(),
  interval_s: z.number().min(1).max(3600).default(10),
})

/** What an outside simulator says about itself, and how often it means to. */
export type ExternalStatus = z.infer<typeof statusRequest>

/** Reads an outside simulator's heartbeat. */
export function parseExternalStatus(body: unknown): ExternalStatus {
  return parse(statusRequest, body, 'invalid_request', 'ingest status')
}

const enableShape = z.looseObject({
  type: z.string().min(1),
  params: z.record(z.string(), z.unknown()).optional(),
  schedule: z
    .object({ start_frame: z.int().min(0), duration_frames: z.int().min(0) })
    .partial()
    .optional(),
  target_link: z.string().nullable().optional(),
  seed: z.int().min(0).max(0xffffffff).optional(),
})

const disableShape = z.looseObject({ type: z.string().optional(), attack_id: z.string().optional() })

/** The shape of the JSON body of every route that takes one, by path, for the description of the interface. */
export const bodyShapes: Readonly<Record<string, z.ZodType>> = {
  '/attack/enable': enableShape,
  '/attack/disable': disableShape,
  '/sim/config': configurationRequest,
  '/sim/step': stepRequest,
  '/sim/speed': speedRequest,
  '/grid/breaker': switchRequest,
  '/grid/load': loadRequest,
  '/ingest/packets': ingestPacketsRequest.extend({
    packets: z.array(ingestedPacket).min(1).max(maximumRecords),
  }),
  '/ingest/topology': topologyRequest,
  '/ingest/status': statusRequest,
  '/simulations': simulationRequest,
}

/** The status a foreign record gets here: unknown words are `invalid`, a forwarding error is a loss. */
export function toIncidentStatus(text: string): IncidentStatus {
  const known: readonly IncidentStatus[] = ['clean', 'attacked', 'dropped', 'invalid']
  if (text === 'forward_error') return 'dropped'
  return known.find((status) => status === text) ?? 'invalid'
}

function parse<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  code: 'invalid_request' | 'invalid_configuration',
  action: string,
): z.infer<Schema> {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  throw new GridError(code, `Cannot ${action}: ${listMistakes(schema, body, parsed.error)}`)
}
