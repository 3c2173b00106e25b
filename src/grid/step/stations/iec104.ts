/** IEC 60870-5-104 outstations: cyclic and spontaneous reports, general interrogation, select and execute. */

import { reportSequence, watchMaster, watchWriter } from '../../control-centre/link-monitor.ts'
import {
  decodeIec104,
  encodeIec104,
  type Iec104Apdu,
  iec104Parameter,
  iec104Port,
} from '../../protocols/iec104.ts'
import { type Iec104Asdu, iec104Cause, toCp56Time } from '../../protocols/iec104-asdu.ts'
import {
  acknowledge,
  type Iec104Link,
  maySend,
  newIec104Link,
  receiveApdu,
  sendAsdu,
  stampAcknowledgment,
} from '../../protocols/iec104-link.ts'
import type { Message } from '../../telecontrol/message.ts'
import { type Outstation, objectAddress } from '../../telecontrol/telecontrol.ts'
import { closeConnection, findConnection } from '../connections.ts'
import { type StepContext, send } from '../step-context.ts'
import type { Connection } from '../world.ts'
import {
  acceptStates,
  acceptValues,
  answerDelayUs,
  connectionId,
  dueOutstations,
  ensureConnection,
} from './polling.ts'
import type { OutstationStation } from './station.ts'
import { isClosed, operate } from './switching.ts'

const afterHandshakeUs = 900

/** Microseconds between messages that one end sends in a row. */
const spacingUs = 1_200

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

/** What both ends of an IEC 104 connection remember. */
export interface Iec104Dialogue {
  readonly protocol: 'IEC104'
  client: Iec104Link
  server: Iec104Link
  /** Microseconds at which the client last sent something. */
  lastUs: number
}

/** IEC 104 outstations: they report in cycles and when a breaker moved, and obey commands. */
export const iec104Station: OutstationStation = {
  port: iec104Port,
  open: (timeUs) => ({ protocol: 'IEC104', client: newIec104Link, server: newIec104Link, lastUs: timeUs }),
  poll,
  receive,
  seal,
  report,
  begin(context, connection, timeUs, attackId) {
    const description = `STARTDT from a second master to ${connection.serverNode}`
    const forged = attackId === null ? null : { attackId, description }
    put(context, connection, 'client', { format: 'U', function: 'STARTDT_ACT' }, timeUs, forged)
  },
  command(context, connection, { address: commonAddress }, { index, closed, timeUs }, forged) {
    for (const [select, delayUs] of [
      [true, 0],
      [false, 12_000],
    ] as const) {
      const objects = [{ address: objectAddress.command + index, isOn: closed, select, qualifier: 0 }]
      const asdu = toAsdu({ type: 'C_SC_NA_1', objects, cause: iec104Cause.activation, commonAddress })
      putAsdu(context, connection, 'client', asdu, timeUs + delayUs, forged)
    }
  },
}

/** Lets every outstation whose turn it is report; a new connection starts with STARTDT and interrogation. */
function poll(context: StepContext): void {
  for (const { outstation, timeUs } of dueOutstations(context, 'IEC104')) {
    const { connection, isNew } = ensureConnection(context, outstation, iec104Station, timeUs)
    const start = timeUs + afterHandshakeUs
    if (isNew) {
      iec104Station.begin?.(context, connection, start, null)
      continue
    }
    keepAlive(context, connection, start)
    reportAll(context, connection, outstation, iec104Cause.periodic, start + spacingUs)
  }
}

/** Acknowledges what has waited for t2, and tests a connection that was silent for t3. */
function keepAlive(context: StepContext, connection: Connection, timeUs: number): void {
  const { dialogue } = connection
  if (dialogue.protocol !== 'IEC104') return
  const silentUs = timeUs - dialogue.lastUs
  if (dialogue.client.unacknowledgedReceived > 0 && silentUs >= iec104Parameter.t2 * 1e6 * 0.8) {
    const { link, apdu } = acknowledge(dialogue.client)
    dialogue.client = link
    put(context, connection, 'client', apdu, timeUs)
  } else if (silentUs >= iec104Parameter.t3 * 1e6) {
    put(context, connection, 'client', { format: 'U', function: 'TESTFR_ACT' }, timeUs)
  }
}

/** Numbers an ASDU and sends it, if the window allows. */
export function putAsdu(
  context: StepContext,
  connection: Connection,
  side: 'client' | 'server',
  asdu: Iec104Asdu,
  timeUs: number,
  forged: Message['forged'] = null,
): void {
  const { dialogue } = connection
  if (dialogue.protocol !== 'IEC104' || !maySend(dialogue[side])) return
  const { link, apdu } = sendAsdu(dialogue[side], asdu)
  dialogue[side] = link
  put(context, connection, side, apdu, timeUs, forged)
}

function put(
  context: StepContext,
  connection: Connection,
  side: 'client' | 'server',
  apdu: Iec104Apdu,
  timeUs: number,
  forged: Message['forged'] = null,
): void {
  const { dialogue, id, link, clientNode, serverNode } = connection
  if (dialogue.protocol !== 'IEC104') return
  if (side === 'client') dialogue.lastUs = timeUs
  send(context, {
    protocol: 'IEC104',
    link,
    carrier: { kind: 'tcp', connection: id, side },
    srcNode: side === 'client' ? clientNode : serverNode,
    dstNode: side === 'client' ? serverNode : clientNode,
    timeUs,
    payload: encodeIec104(apdu),
    purpose: purposeOf(apdu),
    forged,
  })
}

/** Lets a message that leaves now acknowledge everything that its sender has received by now (clause 5.1). */
function seal({ carrier, payload }: Message, { dialogue }: Connection): void {
  if (dialogue.protocol !== 'IEC104' || carrier.kind !== 'tcp') return
  dialogue[carrier.side] = stampAcknowledgment(dialogue[carrier.side], payload)
}

function purposeOf(apdu: Iec104Apdu): Message['purpose'] {
  if (apdu.format !== 'I') return 'link'
  return apdu.asdu.type.startsWith('M_') ? 'reporting' : 'command'
}

/** Takes in a message of an IEC 104 connection at either end. */
function receive(context: StepContext, message: Message, payload: Uint8Array): void {
  const connection = findConnection(context, message)
  if (connection === undefined) return
  const { dialogue } = connection
  const outstation = context.plan.outstations.find(({ node }) => node === connection.serverNode)
  const decoded = decodeIec104(payload)
  if (dialogue.protocol !== 'IEC104' || outstation === undefined || !decoded.ok) return
  if (message.carrier.kind !== 'tcp') return
  const receiver = message.carrier.side === 'client' ? 'server' : 'client'
  const receipt = receiveApdu(dialogue[receiver], decoded.value)
  if (receipt.violation !== undefined) {
    reportSequence(context, outstation.node, receipt.violation)
    // Clause 5.1 asks to close; the next scan opens a new connection.
    closeConnection(context, connection.id, message.timeUs + 1_000)
    return
  }
  dialogue[receiver] = receipt.link
  if (receiver === 'server') watchMaster(context, outstation, connection)
  const answerUs = message.timeUs + answerDelayUs(context)
  if (receipt.reply !== undefined) put(context, connection, receiver, receipt.reply, answerUs)
  if (decoded.value.format === 'I') {
    const { asdu } = decoded.value
    if (receiver === 'server') serve(context, connection, outstation, asdu, answerUs)
    else if (connection.label === null) accept(context, outstation, asdu, message.timeUs)
  } else if (decoded.value.format === 'U' && decoded.value.function === 'STARTDT_CON') {
    if (connection.label === null)
      putAsdu(context, connection, 'client', interrogation(outstation.address), answerUs)
    else dialogue.client = { ...dialogue.client, isStarted: true }
  }
}

/** A general interrogation of a station. */
export function interrogation(commonAddress: number): Iec104Asdu {
  return toAsdu({
    type: 'C_IC_NA_1',
    objects: [{ address: 0, qualifier: 20 }],
    cause: iec104Cause.activation,
    commonAddress,
  })
}

function accept(context: StepContext, outstation: Outstation, asdu: Iec104Asdu, timeUs: number): void {
  if (asdu.type === 'M_ME_NC_1') {
    const values: number[] = []
    for (const { address, value } of asdu.objects) values[address - objectAddress.measurement] = value
    acceptValues(context, outstation, values, timeUs)
  } else if (asdu.type === 'M_SP_NA_1' || asdu.type === 'M_SP_TB_1') {
    const states = asdu.objects.map(({ address, isOn }) => ({
      index: address - objectAddress.state,
      closed: isOn,
    }))
    acceptStates(context, outstation, states)
  }
}

function reportAll(
  context: StepContext,
  connection: Connection,
  { node, address: commonAddress }: Outstation,
  cause: number,
  timeUs: number,
): void {
  const sample = context.world.samples[node]
  if (sample === undefined) return
  const states = sample.closed.map((isOn, index) => ({
    address: objectAddress.state + index,
    isOn,
    quality: 0,
  }))
  const values = sample.values.map((value, index) => ({
    address: objectAddress.measurement + index,
    value,
    quality: 0,
  }))
  if (states.length > 0) {
    putAsdu(
      context,
      connection,
      'server',
      toAsdu({ type: 'M_SP_NA_1', objects: states, cause, commonAddress }),
      timeUs,
    )
  }
  const measurements = toAsdu({ type: 'M_ME_NC_1', objects: values, cause, commonAddress })
  putAsdu(context, connection, 'server', measurements, timeUs + spacingUs)
}

/** What the outstation does with a command; refusals carry the cause that says why. */
function serve(
  context: StepContext,
  connection: Connection,
  outstation: Outstation,
  asdu: Iec104Asdu,
  timeUs: number,
): void {
  const answer = (cause: number, isNegative = false, delayUs = 0): void =>
    putAsdu(context, connection, 'server', { ...asdu, cause, isNegative }, timeUs + delayUs)
  if (asdu.commonAddress !== outstation.address) {
    answer(iec104Cause.unknownCommonAddress, true)
  } else if (asdu.type === 'C_IC_NA_1') {
    answer(iec104Cause.activationConfirmation)
    reportAll(context, connection, outstation, iec104Cause.interrogatedByStation, timeUs + spacingUs)
    answer(iec104Cause.activationTermination, false, 3 * spacingUs)
  } else if (asdu.type !== 'C_SC_NA_1' && asdu.type !== 'C_DC_NA_1') {
    answer(iec104Cause.unknownType, true)
  } else {
    watchWriter(context, outstation, connection, `IEC 104 ${asdu.type}`)
    const command = readCommand(asdu)
    const branch = outstation.branches[command.address - objectAddress.command]
    if (branch === undefined) {
      answer(iec104Cause.unknownObjectAddress, true)
      return
    }
    answer(iec104Cause.activationConfirmation)
    if (command.isSelect) return
    const cause = `IEC 104 ${asdu.type} at ${outstation.node} IOA ${command.address}`
    operate(context, branch, command.closes, cause, timeUs)
    answer(iec104Cause.activationTermination, false, spacingUs)
  }
}

function readCommand(asdu: Iec104Asdu & { readonly type: 'C_SC_NA_1' | 'C_DC_NA_1' }): {
  readonly address: number
  readonly closes: boolean
  readonly isSelect: boolean
} {
  if (asdu.type === 'C_SC_NA_1') {
    const [object] = asdu.objects
    return {
      address: object?.address ?? 0,
      closes: object?.isOn ?? false,
      isSelect: object?.select ?? false,
    }
  }
  const [object] = asdu.objects
  return { address: object?.address ?? 0, closes: object?.state === 2, isSelect: object?.select ?? false }
}

/** Reports a breaker that moved, at once and with its time. */
function report(context: StepContext, outstation: Outstation, branch: number, timeUs: number): void {
  const connection = context.world.connections[connectionId(outstation)]
  if (connection?.dialogue.protocol !== 'IEC104' || connection.flow.phase !== 'established') return
  const event = toAsdu({
    type: 'M_SP_TB_1',
    objects: [
      {
        address: objectAddress.state + outstation.branches.indexOf(branch),
        isOn: isClosed(context, branch),
        quality: 0,
        time: toCp56Time(Math.floor(timeUs / 1000)),
      },
    ],
    cause: iec104Cause.spontaneous,
    commonAddress: outstation.address,
  })
  putAsdu(context, connection, 'server', event, timeUs + 5_000)
}
