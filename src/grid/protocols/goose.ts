/** GOOSE messages, which trip breakers over Ethernet: whole frames, encoded and decoded. */

import { type Codec, type CodecValue, fields } from '../link/codec.ts'
import { etherType } from '../link/ethernet.ts'
import { type Decoded, decoded, readOctets } from '../link/octet-reader.ts'
import { writeOctets } from '../link/octet-writer.ts'
import { putElement, takeTagged } from './ber.ts'
import { encodeEntries, type MmsData, takeEntries } from './mms-data.ts'
import { decodeProcessBus, encodeProcessBus, type ProcessBusFrame, type ProcessBusKind } from './process-bus.ts'
import { boolean, integer, tagged, text, utcTime } from './process-bus-fields.ts'

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

/** A message in its frame; honest publishers set `isSimulated` as they set `pdu.simulation`. */
export interface GooseMessage extends ProcessBusFrame {
  readonly pdu: GoosePdu
}

const kind: ProcessBusKind = { name: 'GOOSE', etherType: etherType.goose, tag: 0x61 }

/**
 * Encodes a message as a whole Ethernet frame.
 *
 * ```
 *  .   .       Ethernet, APPID, length, reserved: as `encodeProcessBus`, EtherType 88B8
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
export function encodeGoose({ pdu, ...frame }: GooseMessage): Uint8Array {
  const writer = writeOctets('GOOSE PDU')
  goosePdu.put(writer, pdu)
  return encodeProcessBus(kind, frame, writer.done())
}

/**
 * Decodes a whole Ethernet frame. Faults: `truncated`, `trailing`, `protocol` (EtherType), `length`, `value` (tag or
 * contents), `unsupported` (a kind of data); offsets of the PDU count from the APPID.
 */
export function decodeGoose(bytes: Uint8Array): Decoded<GooseMessage> {
  const outer = decodeProcessBus(kind, bytes)
  if (!outer.ok) return outer
  const { frame, contents } = outer.value
  const reader = readOctets(contents, 'GOOSE PDU')
  const pdu = reader.finish(goosePdu.take(reader))
  return pdu.ok ? decoded({ ...frame, pdu: pdu.value }) : pdu
}
