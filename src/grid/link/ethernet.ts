/** Ethernet II frames with an optional IEEE 802.1Q tag, without preamble and frame check sequence. */

import { memoBounded } from '../../base/memo.ts'
import { GridError } from '../errors.ts'
import { type Decoded, readOctets } from './octet-reader.ts'
import { writeOctets } from './octet-writer.ts'
import { takeRoom } from './slab.ts'

/** EtherTypes of the frames that are encoded here. */
export const etherType = { ipv4: 0x0800, arp: 0x0806, vlan: 0x8100, goose: 0x88b8, sampledValues: 0x88ba } as const

/** Shortest frame without its check sequence (IEEE 802.3 clause 3.2.8). */
const minimumFrame = 60

/** The priority tag of IEEE 802.1Q. */
export interface VlanTag {
  /** Priority code point, 0 to 7; GOOSE uses 4. */
  readonly priority: number
  /** True when the frame may be dropped first. */
  readonly dropEligible: boolean
  /** VLAN identifier, 0 to 4095; 0 means priority only. */
  readonly id: number
}

/** One frame; addresses as `02:00:5e:00:00:01`. */
export interface EthernetFrame {
  readonly destination: string
  readonly source: string
  readonly vlan?: VlanTag
  readonly etherType: number
  /** After decoding this may end with padding: the protocol inside knows its own length. */
  readonly payload: Uint8Array
}

/** Addresses that are remembered: the same few devices send every frame. */
const mostKnown = 4096

/**
 * Converts a MAC address from text to its six octets, which are shared: do not change them.
 *
 * @throws GridError malformed_frame when the text is not six pairs of hex digits joined by colons.
 */
export const parseMac = memoBounded(mostKnown, (text: string): Uint8Array => {
  if (!/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i.test(text)) {
    const state = `"${text}" is not six pairs of hex digits such as "02:00:5e:00:00:01"`
    throw new GridError('malformed_frame', `Cannot encode MAC address: ${state}`)
  }
  return Uint8Array.from(text.split(':'), (pair) => Number.parseInt(pair, 16))
})

/** Converts six octets to the text of a MAC address, in lower case. */
export function toMac(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(':')
}

/**
 * Encodes a frame and pads it to 60 octets.
 *
 * ```
 *  0   6       destination
 *  6   6       source
 * 12   2  BE   TPID 8100            only with a tag
 * 14   2  BE   PCP(3) DEI(1) VID(12) only with a tag
 *  .   2  BE   EtherType
 *  .   n       payload, then zeros up to octet 60
 * ```
 *
 * Source: IEEE 802.3 clause 3.2, IEEE 802.1Q clause 9.6.
 *
 * @throws GridError malformed_frame when an address is not a MAC address or the tag does not fit.
 */
export function encodeEthernet(frame: EthernetFrame): Uint8Array {
  const writer = writeOctets('Ethernet frame').bytes(parseMac(frame.destination)).bytes(parseMac(frame.source))
  if (frame.vlan !== undefined) {
    const { priority, dropEligible, id } = frame.vlan
    if (id > 0xfff) throw new GridError('malformed_frame', `Cannot encode VLAN tag: id is ${id}, expected 0 to 4095`)
    writer.u16(etherType.vlan, 'TPID').u16(priority * 0x2000 + (dropEligible ? 0x1000 : 0) + id, 'VLAN tag')
  }
  writer.u16(frame.etherType, 'EtherType').bytes(frame.payload)
  return writer.bytes(new Uint8Array(Math.max(0, minimumFrame - writer.length()))).done()
}

/** Octets of a header without a tag. */
export const ethernetHeaderLength = 14

/** Gives room for a frame without a tag: its header is written, and payload and padding are zero. */
export function startEthernet(destination: string, source: string, type: number, payloadLength: number): Uint8Array {
  const bytes = takeRoom(Math.max(minimumFrame, ethernetHeaderLength + payloadLength))
  bytes.set(parseMac(destination), 0)
  bytes.set(parseMac(source), 6)
  bytes[12] = type >>> 8
  bytes[13] = type & 0xff
  return bytes
}

/** Decodes a frame; one tag is understood. Faults: `truncated`. */
export function decodeEthernet(bytes: Uint8Array): Decoded<EthernetFrame> {
  const reader = readOctets(bytes, 'Ethernet frame')
  const rest = () => reader.take(reader.remaining(), 'payload')
  const destination = toMac(reader.take(6, 'destination'))
  const source = toMac(reader.take(6, 'source'))
  const type = reader.u16('EtherType')
  if (type !== etherType.vlan) return reader.result({ destination, source, etherType: type, payload: rest() })
  const tag = reader.u16('VLAN tag')
  const vlan = { priority: tag >>> 13, dropEligible: (tag & 0x1000) !== 0, id: tag & 0xfff }
  return reader.result({ destination, source, vlan, etherType: reader.u16('EtherType'), payload: rest() })
}
