/** The bodies that an outside simulator sends: packets, its topology, its heartbeat. */

import * as z from 'zod'
import type { Topology } from '../contract/grid.ts'
import { GridError } from '../errors.ts'
import type { IncidentStatus } from '../types.ts'
import { listMistakes, readBody } from './body-mistakes.ts'

/** Most records in one ingestion request. */
export const maximumRecords = 500

const shortText = z.string().max(128)

const frameValue = z.record(z.string().max(128), z.json())

/** Unix seconds from 1970 to 2100; JSON has no other numbers than finite ones, but `1e999` reads as infinity. */
const timestamp = z.number().min(0).max(4_102_444_800)

/** The shape of one packet. */
export const ingestedPacket = z.object({
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

/** The shape of a batch; each packet is checked by itself. */
export const ingestPacketsRequest = z.strictObject({
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
 * @throws GridError invalid_request when the batch itself is wrong.
 */
export function parsePacketBatch(body: unknown): PacketBatch {
  const batch = readBody(ingestPacketsRequest, body, { code: 'invalid_request', action: 'ingest packets' })
  const packets: IngestedPacket[] = []
  const rejected: { index: number; error: string }[] = []
  batch.packets.forEach((packet, index) => {
    const parsed = ingestedPacket.safeParse(packet)
    if (parsed.success) packets.push(parsed.data)
    else rejected.push({ index, error: listMistakes(ingestedPacket, packet, parsed.error, { name: 'the packet' }) })
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
    id: z.union([z.string(), z.number()]).nullish(),
    src_id: z.string().min(1).max(64),
    dst_id: z.string().min(1).max(64),
    protocol: shortText.default('C37.118'),
    threat_agent_ids: z.array(shortText).max(64).default([]),
  })
  .catchall(furtherFields)

/** The shape of a topology. */
export const topologyRequest = z
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
 * @throws GridError invalid_request when the body has mistakes; the message lists them.
 */
export function parseTopology(body: unknown): Topology {
  const topology = readBody(topologyRequest, body, { code: 'invalid_request', action: 'ingest topology' })
  const ids = topology.nodes.map((one) => one.id)
  const known = new Set(ids)
  if (known.size !== ids.length) {
    const twice = ids.find((id, index) => ids.indexOf(id) !== index)
    throw new GridError('invalid_request', `Cannot ingest topology: node "${twice}" appears twice`)
  }
  topology.links.forEach(({ src_id, dst_id, threat_agent_ids }, index) => {
    const dangling = [src_id, dst_id, ...threat_agent_ids].find((id) => !known.has(id))
    const state = `links[${index}] names "${dangling}", expected the id of a node`
    if (dangling !== undefined) throw new GridError('invalid_request', `Cannot ingest topology: ${state}`)
  })
  const links = topology.links.map((one, index) => ({ ...one, id: String(one.id ?? `link-${index + 1}`) }))
  // The schema above holds every field of a topology; node types of other simulators are kept as they are.
  return { ...topology, links } as unknown as Topology
}

/** The shape of a heartbeat. */
export const statusRequest = z.strictObject({
  running: z.boolean(),
  uptime_s: z.number().min(0).max(1e10).optional(),
  integrations: z.record(shortText, z.boolean()).optional(),
  interval_s: z.number().min(1).max(3600).default(10),
})

/** A heartbeat of an outside simulator, with the interval in seconds to the next one. */
export type ExternalStatus = z.infer<typeof statusRequest>

/** Reads an outside simulator's heartbeat. */
export function parseExternalStatus(body: unknown): ExternalStatus {
  return readBody(statusRequest, body, { code: 'invalid_request', action: 'ingest status' })
}

/** The status of an ingested record: unknown words are `invalid`, `forward_error` is a loss. */
export function toIncidentStatus(text: string): IncidentStatus {
  const known: readonly IncidentStatus[] = ['clean', 'attacked', 'dropped', 'invalid']
  if (text === 'forward_error') return 'dropped'
  return known.find((status) => status === text) ?? 'invalid'
}
