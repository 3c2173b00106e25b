/** APDUs of both ends of an IEC 104 connection, with their sequence numbers. */

import type { FlowSide } from '../../link/tcp-flow.ts'
import { encodeIec104, encodeRefusal, type Iec104Apdu } from '../../protocols/iec104.ts'
import { type Iec104Asdu, iec104Cause } from '../../protocols/iec104-asdu.ts'
import { countSent, maySend, sendAsdu } from '../../protocols/iec104-link.ts'
import type { Message } from '../../telecontrol/message.ts'
import { sendFrom } from '../connections.ts'
import type { Iec104Dialogue } from '../dialogue.ts'
import type { Outgoing } from '../step-context.ts'
import type { Connection } from '../world.ts'

/** Microseconds between messages that one end sends in a row. */
export const spacingUs = 1_200

/** An ASDU without the fields that are the same in all of ours. */
type AsduBody = Iec104Asdu extends infer One
  ? One extends Iec104Asdu
    ? Omit<One, 'isSequence' | 'isTest' | 'originator' | 'isNegative'>
    : never
  : never

/** Completes an ASDU; `isNegative` marks a refusal. */
export function toAsdu(body: AsduBody, isNegative = false): Iec104Asdu {
  // AsduBody is an ASDU without exactly these fields.
  return { ...body, isSequence: false, isTest: false, originator: 0, isNegative } as Iec104Asdu
}

/** Numbers an ASDU and sends it, if the window allows. */
export function putAsdu(
  outgoing: Pick<Outgoing, 'queue'>,
  connection: Connection<Iec104Dialogue>,
  side: FlowSide,
  asdu: Iec104Asdu,
  timeUs: number,
  forged: Message['forged'] = null,
): void {
  const { dialogue } = connection
  if (!maySend(dialogue[side])) return
  const { link, apdu } = sendAsdu(dialogue[side], asdu)
  dialogue[side] = link
  sendApdu(outgoing, connection, side, apdu, timeUs, forged)
}

/** Sends an APDU from one end of a connection. */
export function sendApdu(
  outgoing: Pick<Outgoing, 'queue'>,
  connection: Connection<Iec104Dialogue>,
  side: FlowSide,
  apdu: Iec104Apdu,
  timeUs: number,
  forged: Message['forged'] = null,
): void {
  if (side === 'client') connection.dialogue.lastUs = timeUs
  sendFrom(outgoing, connection, side, { timeUs, payload: encodeIec104(apdu), purpose: classifyApdu(apdu), forged })
}

/** Refuses a type that the outstation does not know: the ASDU goes back with the cause 44. */
export function refuseUnknown(
  outgoing: Pick<Outgoing, 'queue'>,
  connection: Connection<Iec104Dialogue>,
  refusal: Uint8Array,
  timeUs: number,
): void {
  const { dialogue } = connection
  if (!maySend(dialogue.server)) return
  const { sendSequence, receiveSequence } = dialogue.server
  dialogue.server = countSent(dialogue.server)
  const payload = encodeRefusal(sendSequence, receiveSequence, refusal)
  sendFrom(outgoing, connection, 'server', { timeUs, payload })
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
