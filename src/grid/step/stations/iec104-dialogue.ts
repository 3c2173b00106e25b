/** APDUs of both ends of an IEC 104 connection, with their sequence numbers. */

import type { FlowSide } from '../../link/tcp-flow.ts'
import { encodeIec104, encodeRefusal, type Iec104Apdu } from '../../protocols/iec104.ts'
import { type Iec104Asdu, iec104Cause } from '../../protocols/iec104-asdu.ts'
import { countSent, maySend, sendAsdu } from '../../protocols/iec104-link.ts'
import type { Message } from '../../telecontrol/message.ts'
import { type Departure, sendFrom } from '../connections.ts'
import type { Iec104Dialogue } from '../dialogue.ts'
import type { Sender } from './session.ts'

/** Microseconds between messages that one end sends in a row. */
export const spacingUs = 1_200

/** An ASDU without the fields that are the same in all of ours. */
type AsduBody = Iec104Asdu extends infer One
  ? One extends Iec104Asdu
    ? Omit<One, 'isSequence' | 'isTest' | 'originator' | 'isNegative'>
    : never
  : never

/** Completes an ASDU that is neither a refusal nor a test. */
export function toAsdu(body: AsduBody): Iec104Asdu {
  // AsduBody is an ASDU without exactly these fields.
  return { ...body, isSequence: false, isTest: false, originator: 0, isNegative: false } as Iec104Asdu
}

/** Numbers an ASDU and sends it, if the window allows. */
export function putAsdu(sender: Sender<Iec104Dialogue>, side: FlowSide, asdu: Iec104Asdu, departure: Departure): void {
  const { dialogue } = sender.connection
  if (!maySend(dialogue[side])) return
  const { link, apdu } = sendAsdu(dialogue[side], asdu)
  dialogue[side] = link
  sendApdu(sender, side, apdu, departure)
}

/** Sends an APDU from one end of a connection. */
export function sendApdu(
  { context, connection }: Sender<Iec104Dialogue>,
  side: FlowSide,
  apdu: Iec104Apdu,
  departure: Departure,
): void {
  if (side === 'client') connection.dialogue.lastUs = departure.timeUs
  sendFrom(context, connection, side, { ...departure, payload: encodeIec104(apdu), purpose: classifyApdu(apdu) })
}

/** Refuses a type that the outstation does not know: the ASDU goes back with the cause 44. */
export function refuseUnknown(
  { context, connection }: Sender<Iec104Dialogue>,
  refusal: Uint8Array,
  timeUs: number,
): void {
  const { dialogue } = connection
  if (!maySend(dialogue.server)) return
  const { sendSequence, receiveSequence } = dialogue.server
  dialogue.server = countSent(dialogue.server)
  const payload = encodeRefusal(sendSequence, receiveSequence, refusal)
  sendFrom(context, connection, 'server', { timeUs, payload })
}

function classifyApdu(apdu: Iec104Apdu): Message['purpose'] {
  if (apdu.format !== 'I') return 'link'
  return apdu.asdu.type.startsWith('M_') ? 'reporting' : 'command'
}

/** A general interrogation of a station. */
export function interrogation(commonAddress: number): Iec104Asdu {
  const objects = [{ address: 0, qualifier: 20 }]
  return toAsdu({ type: 'C_IC_NA_1', objects, cause: iec104Cause.activation, commonAddress })
}
