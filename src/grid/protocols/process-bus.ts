/** The frame that GOOSE and sampled values share: Ethernet, APPID, length, two reserved fields, one PDU in BER. */

import { decodeEthernet, encodeEthernet, type VlanTag } from '../link/ethernet.ts'
import { type Decoded, decoded, faulty, readOctets } from '../link/octet-reader.ts'
import { writeOctets } from '../link/octet-writer.ts'
import { putElement, takeTagged } from './ber.ts'

/** The fields of the frame around the PDU. */
export interface ProcessBusFrame {
  /** A multicast address: 01:0c:cd:01 for GOOSE, 01:0c:cd:04 for sampled values. */
  readonly destination: string
  readonly source: string
  readonly vlan?: VlanTag
  readonly appId: number
  /** Bit 15 of reserved 1. */
  readonly isSimulated: boolean
}

/** One of the two kinds: its EtherType, the tag of its PDU, and its name in messages. */
export interface ProcessBusKind {
  readonly name: string
  readonly etherType: number
  readonly tag: number
}

/** The tag that both travel with: priority 4 (IEC 61850-8-1 annex C, IEC 61850-9-2 clause 5.3.3). */
export const processBusVlan: VlanTag = { priority: 4, dropEligible: false, id: 0 }

/**
 * Encodes a frame around the contents of a PDU.
 *
 * ```
 *  0  14/18    Ethernet header, tagged when `vlan` is given
 *  .   2  BE   APPID
 *  .   2  BE   length: 8 + PDU
 *  .   2  BE   reserved 1: simulated 8000
 *  .   2  BE   reserved 2: 0
 *  .   .       PDU
 * ```
 *
 * Source: IEC 61850-8-1 annex C, IEC 61850-9-2 annex A.
 *
 * @throws GridError malformed_frame when a value does not fit.
 */
export function encodeProcessBus(kind: ProcessBusKind, frame: ProcessBusFrame, contents: Uint8Array): Uint8Array {
  const pdu = putElement(writeOctets(`${kind.name} PDU`), kind.tag, contents).done()
  const { destination, source, vlan } = frame
  const payload = writeOctets(`${kind.name} message`)
    .u16(frame.appId, 'APPID')
    .u16(pdu.length + 8, 'length')
    .u16(frame.isSimulated ? 0x8000 : 0, 'reserved 1')
    .u16(0, 'reserved 2')
    .bytes(pdu)
    .done()
  const link = { destination, source, etherType: kind.etherType, payload }
  return encodeEthernet(vlan === undefined ? link : { ...link, vlan })
}

/** Decodes a frame up to the PDU. Faults: `truncated`, `trailing`, `protocol`, `length`, `value` (tag). */
export function decodeProcessBus(
  kind: ProcessBusKind,
  bytes: Uint8Array,
): Decoded<{ readonly frame: ProcessBusFrame; readonly contents: Uint8Array }> {
  const link = decodeEthernet(bytes)
  if (!link.ok) return link
  const what = `${kind.name} message`
  const { destination, source, vlan, payload } = link.value
  if (link.value.etherType !== kind.etherType) {
    const expected = kind.etherType.toString(16).toUpperCase()
    return faulty(what, { code: 'protocol', offset: 12, field: 'EtherType' }, `EtherType is not ${expected}`)
  }
  const length = payload.length < 4 ? 0 : (payload[2] ?? 0) * 256 + (payload[3] ?? 0)
  if (payload.length >= 4 && (length < 8 || length > payload.length)) {
    return faulty(
      what,
      { code: 'length', offset: 2, field: 'length' },
      `length is ${length}, ${payload.length} octets are there`,
    )
  }
  const reader = readOctets(payload.subarray(0, Math.max(length, 4)), what)
  const appId = reader.u16('APPID')
  reader.u16('length')
  const isSimulated = (reader.u16('reserved 1') & 0x8000) !== 0
  reader.u16('reserved 2')
  const outer = reader.finish(takeTagged(reader, kind.tag, 'PDU'))
  if (!outer.ok) return outer
  const frame = { destination, source, ...(vlan === undefined ? {} : { vlan }), appId, isSimulated }
  return decoded({ frame, contents: outer.value })
}
