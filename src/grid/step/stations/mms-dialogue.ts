/** Frames of both ends of an MMS association, with the numbers of requests and reports. */

import type { FlowSide } from '../../link/tcp-flow.ts'
import { associateRequest, connectionRequest } from '../../protocols/mms/association.ts'
import { encodeMms, type MmsFrame } from '../../protocols/mms/frame.ts'
import type { MmsPdu } from '../../protocols/mms/pdu.ts'
import type { MmsRequest } from '../../protocols/mms/requests.ts'
import type { MmsData } from '../../protocols/mms-data.ts'
import { toUtcTime } from '../../protocols/process-bus-fields.ts'
import type { Message } from '../../telecontrol/message.ts'
import { type Departure, sendFrom } from '../connections.ts'
import type { Dialogue, MmsDialogue } from '../dialogue.ts'
import type { Outgoing } from '../step-context.ts'
import type { Connection } from '../world.ts'
import { controlItem, nameOf, reportEnable, scanSet } from './mms-model.ts'
import type { Sender, Session } from './session.ts'
import type { BreakerOrder } from './station.ts'

/** The presentation context of MMS that every client proposes. */
const mmsContext = 3

/** The client's end of a session. */
type Client = Session<MmsDialogue, Pick<Outgoing, 'queue'>>

/** The departure of a message, with its purpose: `link` unless stated. */
type PurposefulDeparture = Departure & Partial<Pick<Message, 'purpose'>>

/** Sends a frame from one end of a connection. */
export function sendFrame(
  { context, connection }: Sender<Dialogue>,
  side: FlowSide,
  frame: MmsFrame,
  departure: PurposefulDeparture,
): void {
  sendFrom(context, connection, side, { ...departure, payload: encodeMms(frame) })
}

/** Sends a PDU of an association. */
export function sendPdu(
  sender: Sender<MmsDialogue>,
  side: FlowSide,
  pdu: MmsPdu,
  departure: PurposefulDeparture,
): void {
  sendFrame(sender, side, { kind: 'data', context: mmsContext, pdu }, departure)
}

/** The attack that a connection belongs to, for what it says by itself; null for honest connections. */
function toForged({ label, serverNode }: Connection, what: string): Message['forged'] {
  return label === null ? null : { attackId: label.attack_id, description: `${what} to ${serverNode}` }
}

/** Asks for a COTP connection. */
export function beginConnection(context: Pick<Outgoing, 'queue'>, connection: Connection, timeUs: number): void {
  const forged = toForged(connection, 'COTP connection of a second client')
  sendFrame({ context, connection }, 'client', connectionRequest, { timeUs, forged })
}

/** Asks for an association, once the COTP connection is there. */
export function associate(client: Client, timeUs: number): void {
  const { connection } = client
  connection.dialogue.phase = 'associating'
  const forged = toForged(connection, 'MMS association of a second client')
  sendFrame(client, 'client', associateRequest, { timeUs, forged })
}

/** Above the numbers that the control centre will reach: those of requests that are forged inside its association. */
const forgedIds = 0x100000

/** Counts the requests of an association, and numbers the next. */
function nextInvokeId({ dialogue }: Client['connection']): number {
  dialogue.invokeId += 1
  return dialogue.invokeId
}

/** Sends a request from the client's end, and returns its number. */
function request(
  client: Client,
  service: MmsRequest,
  departure: PurposefulDeparture,
  invokeId = nextInvokeId(client.connection),
): number {
  sendPdu(client, 'client', { kind: 'confirmed_request', invokeId, request: service }, departure)
  return invokeId
}

/** Reads the data set of a station. */
export function readScan(client: Client, timeUs: number): void {
  const variables = { list: nameOf(client.outstation, scanSet) }
  const read = { service: 'read', withSpecification: true, variables } as const
  client.connection.dialogue.asked = request(client, read, { timeUs })
}

/** Asks a station to report what changes in its data set. */
export function enableReports(client: Client, timeUs: number): void {
  const variables = { names: [nameOf(client.outstation, reportEnable)] }
  request(client, { service: 'write', variables, data: [{ kind: 'boolean', value: true }] }, { timeUs })
}

/** Microseconds from the selection of a control to its operation. */
const operateUs = 12_000

/** Selects a breaker and operates it: two writes of the same control (IEC 61850-7-2 clause 20, enhanced security). */
export function operateControl(
  client: Client,
  { index, closed, timeUs }: BreakerOrder,
  forged: Message['forged'] = null,
): void {
  const { dialogue, label } = client.connection
  const isInside = forged !== null && label === null
  // Both writes have the number of the selection, in the octet of ctlNum.
  const number = (dialogue.invokeId + 1) % 256
  const data = [toControl(closed, number, timeUs)]
  if (forged === null) dialogue.operating = number
  for (const [at, service] of (['SBOw', 'Oper'] as const).entries()) {
    const variables = { names: [nameOf(client.outstation, controlItem(index, service))] }
    const write = { service: 'write', variables, data } as const
    const invokeId = isInside ? dialogue.invokeId + forgedIds + at : undefined
    request(client, write, { timeUs: timeUs + at * operateUs, forged, purpose: 'command' }, invokeId)
  }
}

/** The category and the name of the origin of a control: remote control, by the control centre. */
const origin: readonly MmsData[] = [
  { kind: 'integer', value: 3 },
  { kind: 'octet_string', bytes: new TextEncoder().encode('CC') },
]

/** Writes ctlVal, origin, ctlNum, T, Test and the two bits of Check (IEC 61850-8-1 clause 20). */
function toControl(closed: boolean, number: number, timeUs: number): MmsData {
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
