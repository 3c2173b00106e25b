/** GOOSE messages, which trip breakers over Ethernet: whole frames, encoded and decoded. */

import { type Codec, type CodecValue, fields } from '../link/codec.ts'
import { decodeEthernet, encodeEthernet, etherType, type VlanTag } from '../link/ethernet.ts'
import { type Decoded, decoded, faulty, readOctets } from '../link/octet-reader.ts'
import { writeOctets } from '../link/octet-writer.ts'
import { putElement, takeTagged } from './ber.ts'
import { boolean, encodeEntries, integer, type MmsData, tagged, takeEntries, text, utcTime } from './mms-data.ts'

const entryCount = tagged(0x8a, 'numDatSetEntries', integer)

/** The members of the data set behind their number. */
const entries: Codec<readonly MmsData[]> = {
  put(writer, members) {
    entryCount.put(writer, members.length)
    putElement(writer, 0xab, encodeEntries(members))
  },
  take(reader) {
    const count = entryCount.take(reader)
    const members = takeEntries(reader, takeTagged(reader, 0xab, 'allData'), 0) ?? []
    const state = `numDatSetEntries is ${count}, ${members.length} are there`
    if (count !== members.length) reader.fail('length', 'numDatSetEntries', state)
    return members
  },
}

/** The fields of a PDU by their tags. */
const goosePdu = fields({
  controlBlockReference: tagged(0x80, 'gocbRef', text),
  timeAllowedToLiveMs: tagged(0x81, 'timeAllowedtoLive', integer),
  dataSet: tagged(0x82, 'datSet', text),
  id: tagged(0x83, 'goID', text),
  /** Time at which the state number last changed. */
  time: tagged(0x84, 't', utcTime),
  /** Counts changes of the data, from 1. */
  stateNumber: tagged(0x85, 'stNum', integer),
  /** Counts repetitions of one state, from 0. */
  sequenceNumber: tagged(0x86, 'sqNum', integer),
  simulation: tagged(0x87, 'simulation', boolean),
  configurationRevision: tagged(0x88, 'confRev', integer),
  needsCommissioning: tagged(0x89, 'ndsCom', boolean),
  entries,
})

/** The PDU of a message. */
export type GoosePdu = CodecValue<typeof goosePdu>

/** A message in its frame. */
export interface GooseMessage {
  /** A multicast address from 01:0c:cd:01:00:00 to 01:0c:cd:01:01:ff. */
  readonly destination: string
  readonly source: string
  readonly vlan?: VlanTag
  readonly appId: number
  /** Bit 15 of reserved 1; honest publishers set it as they set `pdu.simulation`. */
  readonly isSimulated: boolean
  readonly pdu: GoosePdu
}

/** The tag that GOOSE travels with: priority 4 (IEC 61850-8-1 annex C). */
export const gooseVlan: VlanTag = { priority: 4, dropEligible: false, id: 0 }

/**
 * Encodes a message as a whole Ethernet frame.
 *
 * ```
 *  0  14/18    Ethernet header, tagged when `vlan` is given, EtherType 88B8
 *  .   2  BE   APPID
 *  .   2  BE   length: 8 + PDU
 *  .   2  BE   reserved 1: simulated 8000
 *  .   2  BE   reserved 2: 0
 *  .   .       PDU 61, in it: 80 gocbRef text, 81 timeAllowedtoLive integer, 82 datSet text, 83 goID text,
 *              84 t 8, 85 stNum integer, 86 sqNum integer, 87 simulation boolean, 88 confRev integer,
 *              89 ndsCom boolean, 8A numDatSetEntries integer, AB allData: one element per entry
 *              (83 boolean 1, 84 bit string 1 + n, 85 integer, 86 unsigned, 87 float 08 + 4, 89 octets,
 *              8A text, 91 UTC time 8, A1 array, A2 structure)
 * ```
 *
 * Integers are signed and minimal. Source: IEC 61850-8-1 annexes A and C.
 *
 * @throws GridError malformed_frame when a value does not fit.
 */
export function encodeGoose(message: GooseMessage): Uint8Array {
  const { destination, source, vlan } = message
  const pdu = encodePdu(message.pdu)
  const payload = writeOctets('GOOSE message')
    .u16(message.appId, 'APPID')
    .u16(pdu.length + 8, 'length')
    .u16(message.isSimulated ? 0x8000 : 0, 'reserved 1')
    .u16(0, 'reserved 2')
    .bytes(pdu)
    .done()
  const link = { destination, source, etherType: etherType.goose, payload }
  return encodeEthernet(vlan === undefined ? link : { ...link, vlan })
}

/**
 * Decodes a whole Ethernet frame.
 *
 * Faults: `truncated`, `trailing`, `protocol` (EtherType), `length` (length field, element lengths, number of
 * entries), `value` (an unexpected tag or malformed contents), `unsupported` (a kind of data). Offsets of the
 * PDU's faults count from the APPID.
 */
export function decodeGoose(bytes: Uint8Array): Decoded<GooseMessage> {
  const link = decodeEthernet(bytes)
  if (!link.ok) return link
  const { destination, source, vlan, payload } = link.value
  if (link.value.etherType !== etherType.goose) {
    return faulty('GOOSE message', 'protocol', 12, 'EtherType', 'EtherType is not 88B8')
  }
  const length = payload.length < 4 ? 0 : (payload[2] ?? 0) * 256 + (payload[3] ?? 0)
  if (payload.length >= 4 && (length < 8 || length > payload.length)) {
    const state = `length is ${length}, ${payload.length} octets are there`
    return faulty('GOOSE message', 'length', 2, 'length', state)
  }
  const reader = readOctets(payload.subarray(0, Math.max(length, 4)), 'GOOSE message')
  const appId = reader.u16('APPID')
  reader.u16('length')
  const isSimulated = (reader.u16('reserved 1') & 0x8000) !== 0
  reader.u16('reserved 2')
  const contents = takeTagged(reader, 0x61, 'goosePdu')
  const outer = reader.finish(contents)
  if (!outer.ok) return outer
  const pdu = decodePdu(contents)
  if (!pdu.ok) return pdu
  return decoded({
    destination,
    source,
    ...(vlan === undefined ? {} : { vlan }),
    appId,
    isSimulated,
    pdu: pdu.value,
  })
}

function encodePdu(pdu: GoosePdu): Uint8Array {
  const writer = writeOctets('GOOSE PDU')
  goosePdu.put(writer, pdu)
  return putElement(writeOctets('GOOSE PDU'), 0x61, writer.done()).done()
}

function decodePdu(contents: Uint8Array): Decoded<GoosePdu> {
  const reader = readOctets(contents, 'GOOSE PDU')
  return reader.finish(goosePdu.take(reader))
}
