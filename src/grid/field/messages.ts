/** Messages between a simulation and the front that holds the sockets of its outstations, and the list of stations. */

import { isRecord, parseJson } from '../../base/json.ts'
import type { Telecontrol } from '../telecontrol/telecontrol.ts'
import type { FieldProtocol } from './framing.ts'

/** Path below `/api/v1` at which a front connects with a WebSocket. */
export const fieldPath = '/field'

/** Codes with which the service closes the connection of a front (RFC 6455, 7.4.2: 4000 to 4999). */
export const fieldCloseCodes = { unauthorized: 4401, refused: 4409, replaced: 4410, malformed: 4400 } as const

/** One outstation or phasor unit that masters may connect to. */
export interface FieldStation {
  readonly node: string
  readonly protocol: FieldProtocol
  /** Its address in the protocol: unit, link address, common address or IDCODE. */
  readonly address: number
  /** Its port less the first port of the front. */
  readonly offset: number
}

/** One event of a socket, to the simulation: it opened, octets of one message came, it closed. */
export type FieldEvent =
  | readonly [kind: 'open', socket: number, node: string]
  | readonly [kind: 'octets', socket: number, hex: string]
  | readonly [kind: 'close', socket: number]

/** One order for a socket, from the simulation. */
export type FieldOrder =
  | readonly [kind: 'octets', socket: number, hex: string]
  | readonly [kind: 'close', socket: number, reason: string]

/** A message of the simulation: the stations of a session that begins, or orders and the number of events taken. */
export type FieldReply =
  | { readonly stations: readonly FieldStation[] }
  | { readonly taken: number; readonly orders: readonly FieldOrder[] }

/** Most events in one message of a front. */
export const mostEvents = 64

/** Most octets of a message that a master sends. */
const mostOctets = 1024

/** Reads a message of a front; undefined for one of another form. */
export function readEvents(text: string): readonly FieldEvent[] | undefined {
  const value = parseJson(text)
  if (!Array.isArray(value) || value.length > mostEvents || !value.every(isEvent)) return undefined
  return value
}

function isEvent(value: unknown): value is FieldEvent {
  if (!Array.isArray(value)) return false
  const [kind, socket, text]: readonly unknown[] = value
  if (!Number.isSafeInteger(socket)) return false
  if (kind === 'close') return value.length === 2
  if (typeof text !== 'string' || value.length !== 3) return false
  // A node such as RTU-14.
  if (kind === 'open') return /^[A-Z]+-\d{1,5}$/.test(text)
  return kind === 'octets' && text.length <= mostOctets * 2 && /^(?:[0-9a-f]{2})+$/.test(text)
}

/** Reads a message of the simulation; undefined for one of another form. */
export function readReply(text: string): FieldReply | undefined {
  const value = parseJson(text)
  if (!isRecord(value)) return undefined
  const isReply =
    'stations' in value
      ? Array.isArray(value.stations)
      : Number.isSafeInteger(value.taken) && Array.isArray(value.orders)
  // The members of a list are the service's own, of the same release.
  return isReply ? (value as unknown as FieldReply) : undefined
}

/** The first port of phasor units, behind those of outstations. */
const phasorOffset = 500

/** Lists the stations that masters may connect to: outstations in the order of their buses, then phasor units. */
export function listFieldStations({ outstations, pmus }: Telecontrol): readonly FieldStation[] {
  return [
    ...outstations.map(({ node, protocol, address, bus }) => ({ node, protocol, address, offset: bus })),
    ...pmus.map(({ node, idCode }) => ({
      node,
      protocol: 'C37.118' as const,
      address: idCode,
      offset: phasorOffset + idCode,
    })),
  ]
}

/** The identifier of a connection from outside. */
export function fieldConnectionId(connection: number): string {
  return `field#${connection}`
}
