/** IEC 61850 stations over MMS: the control centre associates and reads, and frames at either end are taken in. */

import { watchAnswer, watchMaster } from '../../control-centre/link-monitor.ts'
import { expectBreaker } from '../../control-centre/supervision.ts'
import { decodeMms, type MmsFrame, mmsPort } from '../../protocols/mms/frame.ts'
import type { MmsName, MmsResult } from '../../protocols/mms/variables.ts'
import type { Message } from '../../telecontrol/message.ts'
import { abortConnection, speaks } from '../connections.ts'
import type { MmsDialogue } from '../dialogue.ts'
import type { StepContext } from '../step-context.ts'
import type { Connection } from '../world.ts'
import { associate, beginConnection, enableReports, operateControl, readControl, readScan } from './mms-dialogue.ts'
import { allIncluded, findIncluded, type Included, readControlItem, readPosition } from './mms-model.ts'
import { report, reportChanges } from './mms-reports.ts'
import { serve } from './mms-server.ts'
import {
  acceptStates,
  acceptValues,
  afterHandshakeUs,
  answerDelayUs,
  dueOutstations,
  scannedOutstations,
} from './polling.ts'
import { connectionId, ensureSession, findSession, type Session } from './session.ts'
import type { OutstationStation } from './station.ts'

/** Microseconds between two frames that the control centre sends in a row. */
const spacingUs = 1_200

/** IEC 61850 stations: they answer reads, report changes by themselves, and obey selected controls. */
export const mmsStation: OutstationStation<MmsDialogue> = {
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
  begin: beginConnection,
  command({ connection, ...session }, order, forged) {
    if (speaks(connection, 'MMS')) operateControl({ ...session, connection }, order, forged)
  },
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
    const session = ensureSession(context, outstation, mmsStation, timeUs)
    const start = timeUs + afterHandshakeUs
    if (session.isNew) beginConnection(context, session.connection, start)
    else readScan(session, start)
  }
}

function isOpen(connection: Connection | undefined): boolean {
  return speaks(connection, 'MMS') && connection.dialogue.phase === 'open'
}

function receive(context: StepContext, message: Message, payload: Uint8Array): void {
  const session = findSession(context, message, 'MMS')
  const decoded = decodeMms(payload)
  if (session === undefined || !decoded.ok) return
  const timeUs = message.timeUs + answerDelayUs(context)
  if (session.sender === 'client') {
    watchMaster(context, session.outstation, session.connection)
    serve({ ...session, timeUs }, decoded.value)
  } else follow(session, decoded.value, message.timeUs)
}

/** Goes on at the client: associates, then reads and asks for reports, and takes in what was read or reported. */
function follow(session: Session<MmsDialogue>, frame: MmsFrame, timeUs: number): void {
  const { context, outstation } = session
  const { dialogue, label } = session.connection
  if (frame.kind === 'connection_confirm') associate(session, timeUs + spacingUs)
  if (label !== null) return
  if (frame.kind === 'associate_response') {
    enableReports(session, timeUs + spacingUs)
    readScan(session, timeUs + 2 * spacingUs)
  }
  if (frame.kind !== 'data') return
  const { pdu } = frame
  if (pdu.kind === 'information_report' && 'names' in pdu.variables) {
    terminate(session, pdu.variables.names[0], pdu.results[0])
  } else if (pdu.kind === 'information_report') {
    accept(session, pdu.results, findIncluded(outstation, pdu.results), timeUs)
  } else if (pdu.kind === 'confirmed_response') {
    const { service } = pdu.response
    // Requests of the control centre have numbers up to its last one.
    if (service === 'write' && pdu.invokeId > dialogue.invokeId) watchAnswer(context, outstation, 'an MMS write')
    if (service !== 'read' || pdu.invokeId !== dialogue.asked) return
    dialogue.asked = null
    accept(session, pdu.response.results, allIncluded(outstation), timeUs)
  }
}

/** Takes in the termination of an operation: from then on the control centre expects the state that it ordered. */
function terminate(
  { context, connection: { dialogue }, outstation }: Session<MmsDialogue>,
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
  { context, outstation }: Session<MmsDialogue>,
  results: readonly MmsResult[],
  { members, from }: Included,
  timeUs: number,
): void {
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
