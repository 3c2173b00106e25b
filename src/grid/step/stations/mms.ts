/** IEC 61850 stations over MMS: the control centre associates and reads, and frames at either end are taken in. */

import { watchAnswer, watchMaster } from '../../control-centre/link-monitor.ts'
import { expectBreaker } from '../../control-centre/supervision.ts'
import { decodeMms, type MmsFrame, mmsPort } from '../../protocols/mms.ts'
import type { MmsName, MmsResult } from '../../protocols/mms-pdu.ts'
import type { Message } from '../../telecontrol/message.ts'
import type { Outstation } from '../../telecontrol/telecontrol.ts'
import { abortConnection, findConnection } from '../connections.ts'
import type { MmsDialogue } from '../dialogue.ts'
import type { StepContext } from '../step-context.ts'
import type { Connection } from '../world.ts'
import {
  associate,
  beginConnection,
  enableReports,
  isOwnRequest,
  operateControl,
  readControl,
  readScan,
} from './mms-dialogue.ts'
import { findIncluded, readControlItem, readPosition } from './mms-model.ts'
import { report, reportChanges, serve } from './mms-server.ts'
import {
  acceptStates,
  acceptValues,
  afterHandshakeUs,
  answerDelayUs,
  connectionId,
  dueOutstations,
  ensureConnection,
  scannedOutstations,
} from './polling.ts'
import type { OutstationStation } from './station.ts'

/** Microseconds between two frames that the control centre sends in a row. */
const spacingUs = 1_200

/** IEC 61850 stations: they answer reads, report changes by themselves, and obey selected controls. */
export const mmsStation: OutstationStation = {
  port: mmsPort,
  open: () => ({
    protocol: 'MMS',
    phase: 'connecting',
    invokeId: 0,
    asked: null,
    isReporting: false,
    reportNumber: 0,
    selected: null,
    operating: null,
  }),
  poll,
  receive,
  report,
  begin: (context, connection, timeUs) => beginConnection(context, connection, timeUs),
  command: operateControl,
}

/** Lets stations report what changed, and reads every due one; a new connection associates first. */
function poll(context: StepContext): void {
  for (const outstation of scannedOutstations(context, 'MMS')) {
    reportChanges(context, outstation, context.startUs + answerDelayUs(context))
  }
  for (const { outstation, timeUs } of dueOutstations(context, 'MMS')) {
    const id = connectionId(outstation)
    // An attacker has kept back a frame of the association for a whole scan.
    if (!isOpen(context.world.connections[id])) abortConnection(context, id, timeUs)
    const { connection, isNew } = ensureConnection(context, outstation, mmsStation, timeUs)
    const start = timeUs + afterHandshakeUs
    if (isNew) beginConnection(context, connection, start)
    else readScan(context, connection, outstation, start)
  }
}

function isOpen(connection: Connection | undefined): boolean {
  return connection?.dialogue.protocol === 'MMS' && connection.dialogue.phase === 'open'
}

/** Takes in a frame of a connection at either end. */
function receive(context: StepContext, message: Message, payload: Uint8Array): void {
  const connection = findConnection(context.world, message)
  const outstation = context.plan.outstations.find(({ node }) => node === connection?.serverNode)
  const decoded = decodeMms(payload)
  if (connection === undefined || outstation === undefined || message.carrier.kind !== 'tcp' || !decoded.ok) return
  const timeUs = message.timeUs + answerDelayUs(context)
  if (message.carrier.side === 'client') {
    watchMaster(context, outstation, connection)
    serve({ context, connection, outstation, timeUs }, decoded.value)
  } else follow(context, connection, outstation, decoded.value, message.timeUs)
}

/** Goes on at the client: associates, then reads and asks for reports, and takes in what was read or reported. */
function follow(
  context: StepContext,
  connection: Connection,
  outstation: Outstation,
  frame: MmsFrame,
  timeUs: number,
): void {
  const { dialogue, label } = connection
  if (dialogue.protocol !== 'MMS') return
  if (frame.kind === 'connection_confirm') associate(context, connection, timeUs + spacingUs)
  if (label !== null) return
  if (frame.kind === 'associate_response') {
    enableReports(context, connection, outstation, timeUs + spacingUs)
    readScan(context, connection, outstation, timeUs + 2 * spacingUs)
  }
  if (frame.kind !== 'data') return
  const { pdu } = frame
  if (pdu.kind === 'information_report' && 'names' in pdu.variables) {
    terminate(context, dialogue, outstation, pdu.variables.names[0], pdu.results[0])
  } else if (pdu.kind === 'information_report') {
    accept(context, outstation, pdu.results, true, timeUs)
  } else if (pdu.kind === 'confirmed_response') {
    const { service } = pdu.response
    if (service === 'write' && !isOwnRequest(connection, pdu.invokeId)) watchAnswer(context, outstation, 'an MMS write')
    if (service !== 'read' || pdu.invokeId !== dialogue.asked) return
    dialogue.asked = null
    accept(context, outstation, pdu.response.results, false, timeUs)
  }
}

/** Takes in the termination of an operation: from then on the control centre expects the state that it ordered. */
function terminate(
  context: StepContext,
  dialogue: MmsDialogue,
  outstation: Outstation,
  name: MmsName | undefined,
  data: MmsResult | undefined,
): void {
  const branch = outstation.branches[readControlItem(name?.item ?? '')?.index ?? -1]
  const control = data?.kind === 'failure' ? undefined : readControl(data)
  if (branch === undefined || control === undefined) return
  if (control.number !== dialogue.operating) {
    watchAnswer(context, outstation, 'an MMS operation')
    return
  }
  dialogue.operating = null
  expectBreaker(context, branch, control.closed)
}

/** Takes in states and values, by the position of their member in the data set. */
function accept(
  context: StepContext,
  outstation: Outstation,
  results: readonly MmsResult[],
  isReport: boolean,
  timeUs: number,
): void {
  const { members, from } = findIncluded(outstation, results, isReport)
  const first = outstation.points.length
  const values: number[] = []
  const states: { readonly index: number; readonly closed: boolean }[] = []
  for (const [order, member] of members.entries()) {
    const data = results[from + order]
    const closed = readPosition(data)
    if (member < first && data?.kind === 'float') values[member] = data.value
    else if (member >= first && closed !== undefined) states.push({ index: member - first, closed })
  }
  if (states.length > 0) acceptStates(context, outstation, states)
  if (values.length > 0) acceptValues(context, outstation, values, timeUs)
}
