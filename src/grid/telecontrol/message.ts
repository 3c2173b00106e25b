/** One application message on its way, and its octets as the dictionary that incidents and labels show. */

import { encodeHex } from '../../base/hex.ts'
import type { Json, JsonObject } from '../../base/json.ts'
import type { Endpoint } from '../link/ip-frame.ts'
import type { C37118Configuration } from '../protocols/c37118-configuration.ts'
import { type MessageProtocol, protocols } from '../protocols/catalogue.ts'
import type { FieldChange } from '../types.ts'

/** The transport of a message. */
export type Carrier =
  | { readonly kind: 'tcp'; readonly connection: string; readonly side: 'client' | 'server' }
  | { readonly kind: 'udp'; readonly from: Endpoint; readonly to: Endpoint }
  /** The payload is the whole Ethernet frame. */
  | { readonly kind: 'ethernet' }

/** One application message. */
export interface Message {
  readonly protocol: MessageProtocol
  /** Link of the topology that it crosses. */
  readonly link: string
  readonly carrier: Carrier
  readonly srcNode: string
  readonly dstNode: string
  /** Integer microseconds since the Unix epoch at which it leaves its sender. */
  readonly timeUs: number
  readonly payload: Uint8Array
  /** Measurements, a command, or neither. */
  readonly purpose: 'reporting' | 'command' | 'link'
  /** The attack that forged it, and what it says about it; null for honest messages. */
  readonly forged: { readonly attackId: string; readonly description: string } | null
}

/** Tests that a message goes from a client to its server. */
export function isRequest(carrier: Carrier): boolean {
  return carrier.kind === 'tcp' && carrier.side === 'client'
}

/** Decodes the octets of a message: its fields, or `fault` with a sentence; `raw_hex` holds all octets. */
export function readMessage(
  protocol: MessageProtocol,
  isRequest: boolean,
  payload: Uint8Array,
  configuration?: C37118Configuration,
): JsonObject {
  const result = protocols[protocol].decode(payload, isRequest, configuration)
  const fields = result.ok ? toJson(result.value) : { fault: result.fault.message }
  // Every decoder gives an object.
  return { ...(fields as JsonObject), raw_hex: encodeHex(payload) }
}

/** Seven digits: what a 32-bit float holds. */
function toJson(value: unknown): Json {
  if (value instanceof Uint8Array) return encodeHex(value)
  if (Array.isArray(value)) return value.map(toJson)
  if (typeof value === 'number') return Number.isInteger(value) ? value : Number(value.toPrecision(7))
  if (typeof value === 'object' && value !== null) {
    const shown: Record<string, Json> = {}
    for (const [name, field] of Object.entries(value)) shown[name] = toJson(field)
    return shown
  }
  return typeof value === 'string' || typeof value === 'boolean' ? value : null
}

/** Most changes that one label lists. */
const maximumChanges = 64

/** Lists the fields in which two decoded messages differ, by dotted name. */
export function listChanges(original: JsonObject, modified: JsonObject): readonly FieldChange[] {
  const changes: FieldChange[] = []
  compare('', original, modified, changes)
  return changes.slice(0, maximumChanges)
}

function compare(name: string, before: Json, after: Json, changes: FieldChange[]): void {
  if (isContainer(before) && isContainer(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      if (key === 'raw_hex') continue
      compare(name === '' ? key : `${name}.${key}`, entry(before, key), entry(after, key), changes)
    }
  } else if (before !== after && JSON.stringify(before) !== JSON.stringify(after)) {
    changes.push({ field: name, old: before, new: after })
  }
}

function isContainer(value: Json): value is JsonObject | readonly Json[] {
  return typeof value === 'object' && value !== null
}

function entry(container: JsonObject | readonly Json[], key: string): Json {
  const value: Json | undefined = Array.isArray(container) ? container[Number(key)] : (container as JsonObject)[key]
  return value ?? null
}
