/** Frames of both ends of an MMS association, with the numbers of requests and reports. */

import { encodeMms, type MmsFrame } from '../../protocols/mms.ts'
import { associateRequest, connectionRequest } from '../../protocols/mms-association.ts'
import { type MmsData, toUtcTime } from '../../protocols/mms-data.ts'
import type { MmsPdu, MmsRequest } from '../../protocols/mms-pdu.ts'
import type { Message } from '../../telecontrol/message.ts'
import type { Outstation } from '../../telecontrol/telecontrol.ts'
import { envelope } from '../connections.ts'
import { type Outgoing, send } from '../step-context.ts'
import type { Connection } from '../world.ts'
import { controlItem, nameOf, reportBlock, scanSet } from './mms-model.ts'

/** The presentation context of MMS that every client proposes. */
const mmsContext = 3

/** Sends a frame from one end of a connection. */
export function sendFrame(
  outgoing: Pick<Outgoing, 'queue'>,
  connection: Connection,
  side: 'client' | 'server',
  frame: MmsFrame,
  timeUs: number,
  { forged = null, purpose = 'link' }: Partial<Pick<Message, 'forged' | 'purpose'>> = {},
): void {
  send(outgoing, { ...envelope(connection, side), timeUs, payload: encodeMms(frame), purpose, forged })
}

/** Sends a PDU of an association. */
export function sendPdu(
  outgoing: Pick<Outgoing, 'queue'>,
  connection: Connection,
  side: 'client' | 'server',
  pdu: MmsPdu,
  timeUs: number,
  rest: Partial<Pick<Message, 'forged' | 'purpose'>> = {},
): void {
  sendFrame(outgoing, connection, side, { kind: 'data', context: mmsContext, pdu }, timeUs, rest)
}

/** The attack that a connection belongs to, for what it says by itself; null for honest connections. */
function toForged({ label, serverNode }: Connection, what: string): Message['forged'] {
  return label === null ? null : { attackId: label.attack_id, description: `${what} to ${serverNode}` }
}

/** Asks for a COTP connection. */
export function beginConnection(outgoing: Pick<Outgoing, 'queue'>, connection: Connection, timeUs: number): void {
  const forged = toForged(connection, 'COTP connection of a second client')
  sendFrame(outgoing, connection, 'client', connectionRequest, timeUs, { forged })
}

/** Asks for an association, once the COTP connection is there. */
export function associate(outgoing: Pick<Outgoing, 'queue'>, connection: Connection, timeUs: number): void {
  if (connection.dialogue.protocol !== 'MMS') return
  connection.dialogue.phase = 'associating'
  const forged = toForged(connection, 'MMS association of a second client')
  sendFrame(outgoing, connection, 'client', associateRequest, timeUs, { forged })
}

/** Above the numbers that the control centre will reach: those of requests that are forged inside its association. */
const forgedIds = 0x100000

/**
 * Sends a request from the client's end.
 *
 * @param ahead - The number of forged requests inside the association that are without an answer.
 * @returns its number.
 */
export function request(
  outgoing: Pick<Outgoing, 'queue'>,
  connection: Connection,
  service: MmsRequest,
  timeUs: number,
  rest: Partial<Pick<Message, 'forged' | 'purpose'>> = {},
  ahead = 0,
): number {
  const { dialogue, label } = connection
  if (dialogue.protocol !== 'MMS') return 0
  const isInside = rest.forged != null && label === null
  const invokeId = dialogue.invokeId + (isInside ? forgedIds + ahead : 1)
  if (!isInside) dialogue.invokeId = invokeId
  sendPdu(outgoing, connection, 'client', { kind: 'confirmed_request', invokeId, request: service }, timeUs, rest)
  return invokeId
}

/** Tests that the control centre sent the request that an answer belongs to. */
export function isOwnRequest({ dialogue }: Connection, invokeId: number): boolean {
  return dialogue.protocol === 'MMS' && invokeId <= dialogue.invokeId
}

/** Reads the data set of a station. */
export function readScan(
  outgoing: Pick<Outgoing, 'queue'>,
  connection: Connection,
  outstation: Outstation,
  timeUs: number,
): void {
  const { dialogue } = connection
  if (dialogue.protocol !== 'MMS') return
  const variables = { list: nameOf(outstation, scanSet) }
  dialogue.asked = request(outgoing, connection, { service: 'read', withSpecification: true, variables }, timeUs)
}

/** Asks a station to report what changes in its data set. */
export function enableReports(
  outgoing: Pick<Outgoing, 'queue'>,
  connection: Connection,
  outstation: Outstation,
  timeUs: number,
): void {
  const variables = { names: [nameOf(outstation, `${reportBlock}$RptEna`)] }
  request(outgoing, connection, { service: 'write', variables, data: [{ kind: 'boolean', value: true }] }, timeUs)
}

/** Microseconds from the selection of a control to its operation. */
const operateUs = 12_000

/** Selects a breaker and operates it: two writes of the same control (IEC 61850-7-2 clause 20, enhanced security). */
export function operateControl(
  outgoing: Pick<Outgoing, 'queue'>,
  connection: Connection,
  outstation: Outstation,
  { index, closed, timeUs }: { readonly index: number; readonly closed: boolean; readonly timeUs: number },
  forged: Message['forged'],
): void {
  const { dialogue } = connection
  if (dialogue.protocol !== 'MMS') return
  // Both writes have the number of the selection.
  const number = (dialogue.invokeId + 1) % 256
  const data = [toControl(closed, number, timeUs)]
  if (forged === null) dialogue.operating = number
  for (const [at, service] of (['SBOw', 'Oper'] as const).entries()) {
    const variables = { names: [nameOf(outstation, controlItem(index, service))] }
    const write = { service: 'write', variables, data } as const
    request(outgoing, connection, write, timeUs + at * operateUs, { forged, purpose: 'command' }, at)
  }
}

/** ctlVal, origin (remote control), ctlNum, T, Test and Check of a control (IEC 61850-8-1 clause 20). */
function toControl(closed: boolean, number: number, timeUs: number): MmsData {
  const origin: readonly MmsData[] = [
    { kind: 'integer', value: 3 },
    { kind: 'octet_string', bytes: new TextEncoder().encode('CC') },
  ]
  return {
    kind: 'structure',
    entries: [
      { kind: 'boolean', value: closed },
      { kind: 'structure', entries: origin },
      { kind: 'unsigned', value: number },
      { kind: 'utc_time', value: toUtcTime(timeUs) },
      { kind: 'boolean', value: false },
      { kind: 'bit_string', unusedBits: 6, bytes: Uint8Array.of(0) },
    ],
  }
}

/** The value and the number of a control; undefined for data of another shape. */
export function readControl(
  data: MmsData | undefined,
): { readonly closed: boolean; readonly number: number } | undefined {
  const [value, , number] = data?.kind === 'structure' ? data.entries : []
  if (value?.kind !== 'boolean' || number?.kind !== 'unsigned') return undefined
  return { closed: value.value, number: number.value }
}
