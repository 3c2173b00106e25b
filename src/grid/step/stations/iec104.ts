/** IEC 60870-5-104 stations: the control centre polls outstations, and messages at either end are taken in. */

import { reportSequence, watchMaster } from '../../control-centre/link-monitor.ts'
import { type FlowSide, otherSide } from '../../link/tcp-flow.ts'
import { decodeIec104, type Iec104Apdu, iec104Parameter, iec104Port, readUnknown } from '../../protocols/iec104.ts'
import { type Iec104Asdu, iec104Cause } from '../../protocols/iec104-asdu.ts'
import {
  acknowledge,
  followWait,
  type Iec104Wait,
  newIec104Link,
  receiveApdu,
  stampAcknowledgment,
} from '../../protocols/iec104-link.ts'
import { toCp56Time } from '../../protocols/iec104-time.ts'
import type { Message } from '../../telecontrol/message.ts'
import { type Outstation, objectAddress } from '../../telecontrol/telecontrol.ts'
import { closeConnection, type Departure, listFieldConnections, speaks } from '../connections.ts'
import type { Iec104Dialogue } from '../dialogue.ts'
import { measureAgain } from '../samples.ts'
import type { StepContext } from '../step-context.ts'
import type { Connection } from '../world.ts'
import { interrogation, putAsdu, refuseUnknown, sendApdu, spacingUs, toAsdu } from './iec104-dialogue.ts'
import { serve } from './iec104-outstation.ts'
import { report, reportAll, reportChanges } from './iec104-reports.ts'
import { acceptStates, acceptValues, afterHandshakeUs, answerDelayUs, dueOutstations, isScanStart } from './polling.ts'
import { connectionId, ensureSession, findSession, type Sender, type Session } from './session.ts'
import type { OutstationStation } from './station.ts'

/** Seconds after which the control centre sets a clock again. */
const clockSeconds = 300

/** Microseconds from the selection of a command to its execution. */
const executeUs = 12_000

/** IEC 104 outstations: they report in cycles, and by themselves what changed, and obey commands. */
export const iec104Station: OutstationStation<Iec104Dialogue> = {
  port: iec104Port,
  open: (timeUs) => ({
    protocol: 'IEC104',
    client: newIec104Link,
    server: newIec104Link,
    lastUs: timeUs,
    selected: null,
    clockSetUs: null,
  }),
  poll,
  receive,
  seal,
  report,
  begin(context, connection, timeUs, attackId) {
    const description = `STARTDT from a second master to ${connection.serverNode}`
    const forged = attackId === null ? null : { attackId, description }
    if (speaks(connection, 'IEC104')) startTransfer({ context, connection }, { timeUs, forged })
  },
  command({ context, connection, outstation }, { index, closed, timeUs }, forged) {
    if (!speaks(connection, 'IEC104')) return
    const commonAddress = outstation.address
    const put = (select: boolean, departure: Departure) => {
      const objects = [{ address: objectAddress.command + index, isOn: closed, select, qualifier: 0 }]
      const asdu = toAsdu({ type: 'C_SC_NA_1', objects, cause: iec104Cause.activation, commonAddress })
      putAsdu({ context, connection }, 'client', asdu, departure)
    }
    put(true, { timeUs, forged })
    put(false, { timeUs: timeUs + executeUs, forged })
  },
}

/** Lets every due outstation report; a new connection starts with STARTDT and interrogation. */
function poll(context: StepContext): void {
  const { world, plan } = context
  const isNewScan = isScanStart(world)
  const looksAlways = world.configuration.spontaneous === 'at_once'
  for (const outstation of isNewScan || looksAlways ? plan.outstations : []) {
    if (outstation.protocol !== 'IEC104') continue
    if (!isNewScan) measureAgain(context, outstation)
    reportChanges(context, outstation)
  }
  for (const { outstation, timeUs } of dueOutstations(context, 'IEC104')) {
    giveUp(context, context.world.connections[connectionId(outstation)], timeUs)
    const session = ensureSession(context, outstation, iec104Station, timeUs)
    const start = timeUs + afterHandshakeUs
    for (const outside of listFieldConnections(context.world, outstation.node)) {
      giveUp(context, outside, start)
      if (!speaks(outside, 'IEC104')) continue
      reportAll({ ...session, connection: outside }, iec104Cause.periodic, start + spacingUs)
    }
    if (session.isNew) {
      startTransfer(session, { timeUs: start })
      continue
    }
    keepAlive(session, start)
    setClocks(session, start + 4 * spacingUs)
    reportAll(session, iec104Cause.periodic, start + spacingUs)
  }
}

function startTransfer(sender: Sender<Iec104Dialogue>, departure: Departure): void {
  sendApdu(sender, 'client', { format: 'U', function: 'STARTDT_ACT' }, departure)
}

/** Closes a connection from the end that has waited for t1 (clause 9.6): neither may send again on such numbers. */
function giveUp(context: StepContext, connection: Connection | undefined, timeUs: number): void {
  if (!speaks(connection, 'IEC104')) return
  const { dialogue } = connection
  const { waits, client, server } = dialogue
  dialogue.waits = {
    // A master from outside waits by itself.
    client: connection.isField ? undefined : followWait(client, waits?.client, true, timeUs),
    server: followWait(server, waits?.server, false, timeUs),
  }
  const isOver = (wait: Iec104Wait | undefined): boolean =>
    wait !== undefined && timeUs - Math.max(wait.sinceUs, context.world.view.liveUs) >= iec104Parameter.t1 * 1e6
  const side = (['client', 'server'] as const).find((end) => isOver(dialogue.waits?.[end]))
  if (side !== undefined) closeConnection(context, connection.id, timeUs, side)
}

/** Acknowledges what has waited for t2, and tests a connection that was silent for t3. */
function keepAlive(sender: Sender<Iec104Dialogue>, timeUs: number): void {
  const { dialogue } = sender.connection
  const silentUs = timeUs - dialogue.lastUs
  if (dialogue.client.unacknowledgedReceived > 0 && silentUs >= iec104Parameter.t2 * 1e6 * 0.8) {
    const { link, apdu } = acknowledge(dialogue.client)
    dialogue.client = link
    sendApdu(sender, 'client', apdu, { timeUs })
  } else if (silentUs >= iec104Parameter.t3 * 1e6) {
    sendApdu(sender, 'client', { format: 'U', function: 'TESTFR_ACT' }, { timeUs })
  }
}

/** Sets the clock of an outstation after its interrogation and every few minutes, and reads its counters then. */
function setClocks(session: Session<Iec104Dialogue>, timeUs: number): void {
  const { connection, outstation } = session
  const { dialogue } = connection
  if (!dialogue.client.isStarted) return
  if (dialogue.clockSetUs !== null && timeUs - dialogue.clockSetUs < clockSeconds * 1e6) return
  dialogue.clockSetUs = timeUs
  const origin = { cause: iec104Cause.activation, commonAddress: outstation.address }
  const time = toCp56Time(Math.floor(timeUs / 1000))
  const clock = toAsdu({ type: 'C_CS_NA_1', objects: [{ address: 0, time }], ...origin })
  putAsdu(session, 'client', clock, { timeUs })
  const counters = toAsdu({ type: 'C_CI_NA_1', objects: [{ address: 0, qualifier: 5 }], ...origin })
  putAsdu(session, 'client', counters, { timeUs: timeUs + 10 * spacingUs })
}

/** Lets a message that leaves now acknowledge everything that its sender has received by now (clause 5.1). */
function seal({ carrier, payload }: Message, connection: Connection): void {
  if (!speaks(connection, 'IEC104') || carrier.kind !== 'tcp') return
  const { dialogue } = connection
  dialogue[carrier.side] = stampAcknowledgment(dialogue[carrier.side], payload)
}

function receive(context: StepContext, message: Message, payload: Uint8Array): void {
  const session = findSession(context, message, 'IEC104')
  if (session === undefined) return
  const { connection, outstation } = session
  const { dialogue } = connection
  const receiver = otherSide(session.sender)
  const decoded = decodeIec104(payload)
  const unknown = decoded.ok ? undefined : readUnknown(payload)
  const apdu = decoded.ok ? decoded.value : unknown && { format: 'I' as const, ...unknown }
  if (apdu === undefined) return
  const receipt = receiveApdu(dialogue[receiver], apdu)
  const isEarly = receiver === 'server' && apdu.format === 'I' && !dialogue.server.isStarted
  if (receipt.violation !== undefined) reportSequence(context, outstation.node, receipt.violation)
  if (receipt.violation !== undefined || isEarly) {
    // Clauses 5.1 and 5.3 ask to close; the next scan opens a new connection.
    closeConnection(context, connection.id, message.timeUs + 1_000)
    return
  }
  dialogue[receiver] = receipt.link
  if (receiver === 'server') watchMaster(context, outstation, connection)
  const answerUs = message.timeUs + answerDelayUs(context)
  if (receipt.reply !== undefined) sendApdu(session, receiver, receipt.reply, { timeUs: answerUs })
  if (decoded.ok) receiveRead(session, decoded.value, message.timeUs, answerUs)
  else if (unknown !== undefined && receiver === 'server') refuseUnknown(session, unknown.refusal, answerUs)
}

/** Takes in an APDU that is in sequence: an ASDU at either end, or the confirmation of STARTDT. */
function receiveRead(
  session: Session<Iec104Dialogue> & { readonly sender: FlowSide },
  apdu: Iec104Apdu,
  timeUs: number,
  answerUs: number,
): void {
  const { context, connection, outstation, sender } = session
  if (apdu.format === 'I') {
    if (sender === 'client') serve(session, apdu.asdu, answerUs)
    else if (connection.label === null) accept(context, outstation, apdu.asdu, timeUs)
  } else if (apdu.format === 'U' && apdu.function === 'STARTDT_CON') receiveStartConfirmation(session, answerUs)
}

/** Uses data transfer that the outstation has confirmed: the control centre interrogates, an attacker does not. */
function receiveStartConfirmation(session: Session<Iec104Dialogue>, timeUs: number): void {
  const { connection, outstation } = session
  if (connection.label !== null) return
  putAsdu(session, 'client', interrogation(outstation.address), { timeUs })
  setClocks(session, timeUs + 10 * spacingUs)
}

function accept(context: StepContext, outstation: Outstation, asdu: Iec104Asdu, timeUs: number): void {
  if (asdu.type === 'M_ME_NC_1' || asdu.type === 'M_ME_TF_1') {
    const values: number[] = []
    for (const { address, value } of asdu.objects) values[address - objectAddress.measurement] = value
    acceptValues(context, outstation, values, timeUs)
    // Between two scans it is of another moment than the rest: the estimation does not test such a scan.
    if (asdu.type === 'M_ME_TF_1' && context.world.configuration.spontaneous === 'at_once') {
      context.world.view.switched = true
    }
  } else if (asdu.type === 'M_SP_NA_1' || asdu.type === 'M_SP_TB_1') {
    const states = asdu.objects.map(({ address, isOn }) => ({ index: address - objectAddress.state, closed: isOn }))
    acceptStates(context, outstation, states)
  }
}
