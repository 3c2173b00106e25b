/** DNP3 outstations: the master that polls them, and the outstation that answers, reports by itself and obeys. */

import { watchAnswer, watchMaster, watchWriter } from '../../control-centre/link-monitor.ts'
import {
  confirmOf,
  type Dnp3Fragment,
  type Dnp3Sequence,
  decodeDnp3,
  dnp3Indication,
  dnp3Port,
  encodeDnp3,
  newDnp3Sequence,
  nextRequest,
  nextUnsolicited,
  respondTo,
} from '../../protocols/dnp3.ts'
import {
  type Dnp3Control,
  type Dnp3Object,
  dnp3ControlCode,
  dnp3ControlStatus,
  dnp3Flag,
} from '../../protocols/dnp3-objects.ts'
import type { Message } from '../../telecontrol/message.ts'
import { dnp3Master, type Outstation } from '../../telecontrol/telecontrol.ts'
import { findConnection } from '../connections.ts'
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

/** Class 1, 2, 3 events and then class 0: an integrity poll (IEEE 1815 clause 5.1.7). */
const integrityPoll: readonly Dnp3Object[] = [2, 3, 4, 1].map((variation) => ({
  kind: 'all' as const,
  group: 60,
  variation,
}))

const eventClasses = integrityPoll.slice(0, 3)

/** What both ends of a DNP3 connection remember. */
export interface Dnp3Dialogue {
  readonly protocol: 'DNP3'
  master: Dnp3Sequence
  outstation: Dnp3Sequence
  /** The point that was selected last; null once it was operated. */
  selected: number | null
}

/** DNP3 outstations: they answer polls, report breakers that moved, and obey controls. */
export const dnp3Station: OutstationStation = {
  port: dnp3Port,
  open: () => ({
    protocol: 'DNP3',
    master: newDnp3Sequence,
    outstation: newDnp3Sequence,
    selected: null,
  }),
  poll,
  receive,
  report,
  command(context, connection, _, { index, closed, timeUs }, forged) {
    const code = closed ? dnp3ControlCode.close : dnp3ControlCode.trip
    const point = { index, code, count: 1, onTimeMs: 100, offTimeMs: 100, status: 0 }
    const object = { kind: 'control', qualifier: 'index8', points: [point] } as const
    requestDnp3(context, connection, 'direct_operate', [object], timeUs, forged)
  },
}

/** Polls every outstation whose turn it is; a new connection first allows unsolicited reports. */
function poll(context: StepContext): void {
  for (const { outstation, timeUs } of dueOutstations(context, 'DNP3')) {
    const { connection, isNew } = ensureConnection(context, outstation, dnp3Station, timeUs)
    const start = timeUs + afterHandshakeUs
    if (isNew) requestDnp3(context, connection, 'enable_unsolicited', eventClasses, start)
    requestDnp3(context, connection, 'read', integrityPoll, isNew ? start + 8_000 : start)
  }
}

/**
 * Sends a request from the client's end of a connection.
 *
 * @param forged - The attack that sends it, when it is not the control centre.
 */
export function requestDnp3(
  context: StepContext,
  connection: Connection,
  functionCode: Dnp3Fragment['functionCode'],
  objects: readonly Dnp3Object[],
  timeUs: number,
  forged: Message['forged'] = null,
): void {
  if (connection.dialogue.protocol !== 'DNP3') return
  const { fragment, sequence } = nextRequest(connection.dialogue.master, functionCode, objects)
  connection.dialogue.master = sequence
  put(context, connection, 'client', fragment, timeUs, forged)
}

function put(
  context: StepContext,
  connection: Connection,
  side: 'client' | 'server',
  fragment: Dnp3Fragment,
  timeUs: number,
  forged: Message['forged'] = null,
): void {
  const { dialogue, id, link, clientNode, serverNode } = connection
  const outstation = context.plan.outstations.find(({ node }) => node === serverNode)
  if (dialogue.protocol !== 'DNP3' || outstation === undefined) return
  const isMaster = side === 'client'
  const own = isMaster ? dialogue.master : dialogue.outstation
  const { bytes, transportSequence } = encodeDnp3({
    fromMaster: isMaster,
    destination: isMaster ? outstation.address : dnp3Master,
    source: isMaster ? dnp3Master : outstation.address,
    transportSequence: own.transport,
    fragment,
  })
  const next = { ...own, transport: transportSequence }
  if (isMaster) dialogue.master = next
  else dialogue.outstation = next
  send(context, {
    protocol: 'DNP3',
    link,
    carrier: { kind: 'tcp', connection: id, side },
    srcNode: isMaster ? clientNode : serverNode,
    dstNode: isMaster ? serverNode : clientNode,
    timeUs,
    payload: bytes,
    purpose: purposeOf(fragment),
    forged,
  })
}

function purposeOf({ functionCode }: Dnp3Fragment): Message['purpose'] {
  if (functionCode === 'response' || functionCode === 'unsolicited_response') return 'reporting'
  return ['select', 'operate', 'direct_operate', 'direct_operate_no_ack'].includes(functionCode)
    ? 'command'
    : 'link'
}

/** Takes in a message of a DNP3 connection at either end. */
function receive(context: StepContext, message: Message, payload: Uint8Array): void {
  const connection = findConnection(context, message)
  const outstation = context.plan.outstations.find(({ node }) => node === connection?.serverNode)
  const decoded = decodeDnp3(payload)
  if (connection === undefined || outstation === undefined || !decoded.ok || message.carrier.kind !== 'tcp')
    return
  const { fragment } = decoded.value
  const answerUs = message.timeUs + answerDelayUs(context)
  if (message.carrier.side === 'client') {
    watchMaster(context, outstation, connection)
    if (purposeOf(fragment) === 'command') {
      watchWriter(context, outstation, connection, `DNP3 ${fragment.functionCode}`)
    }
    const response = serve(context, connection, outstation, fragment, message.timeUs)
    if (response !== undefined) put(context, connection, 'server', response, answerUs)
    return
  }
  if (connection.label === null) accept(context, outstation, fragment, message.timeUs)
  if (fragment.control.confirm) put(context, connection, 'client', confirmOf(fragment), answerUs)
}

function accept(
  context: StepContext,
  outstation: Outstation,
  { objects }: Dnp3Fragment,
  timeUs: number,
): void {
  for (const object of objects) {
    if (object.kind === 'analog_input') {
      const values: number[] = []
      for (const { index, value } of object.points) values[index] = value
      acceptValues(context, outstation, values, timeUs)
    } else if (object.kind === 'binary_input' || object.kind === 'binary_input_event') {
      const states = object.points.map(({ index, flags }) => ({
        index,
        closed: (flags & dnp3Flag.state) !== 0,
      }))
      acceptStates(context, outstation, states)
    } else if (object.kind === 'control') watchAnswer(context, outstation, 'a DNP3 control')
  }
}

function serve(
  context: StepContext,
  connection: Connection,
  outstation: Outstation,
  request: Dnp3Fragment,
  timeUs: number,
): Dnp3Fragment | undefined {
  switch (request.functionCode) {
    case 'confirm':
      return undefined
    case 'read':
      return respondTo(request, 0, staticData(context, outstation))
    case 'enable_unsolicited':
    case 'disable_unsolicited':
      return respondTo(request, 0)
    case 'select':
    case 'operate':
    case 'direct_operate':
    case 'direct_operate_no_ack': {
      const echoed = request.objects.map((object) =>
        object.kind === 'control'
          ? {
              ...object,
              points: object.points.map((point) =>
                control(context, connection, outstation, request, point, timeUs),
              ),
            }
          : object,
      )
      return request.functionCode === 'direct_operate_no_ack' ? undefined : respondTo(request, 0, echoed)
    }
    default:
      return respondTo(request, dnp3Indication.noFunctionCodeSupport)
  }
}

/** What class 0 means here: all binaries, then all analogues, as of the last scan. */
function staticData(context: StepContext, outstation: Outstation): Dnp3Object[] {
  const sample = context.world.samples[outstation.node]
  const closed = sample?.closed ?? []
  const values = sample?.values ?? []
  const binaries: Dnp3Object = {
    kind: 'binary_input',
    qualifier: 'range8',
    points: closed.map((isOn, index) => ({
      index,
      flags: dnp3Flag.online | (isOn ? dnp3Flag.state : 0),
    })),
  }
  const analogs: Dnp3Object = {
    kind: 'analog_input',
    qualifier: 'range8',
    points: values.map((value, index) => ({ index, flags: dnp3Flag.online, value })),
  }
  return [...(closed.length > 0 ? [binaries] : []), ...(values.length > 0 ? [analogs] : [])]
}

/** Carries out one control relay output block, and answers with its status. */
function control(
  context: StepContext,
  connection: Connection,
  outstation: Outstation,
  { functionCode }: Dnp3Fragment,
  point: Dnp3Control,
  timeUs: number,
): Dnp3Control {
  const { dialogue } = connection
  const branch = outstation.branches[point.index]
  const closes = closingCodes.get(point.code)
  if (dialogue.protocol !== 'DNP3' || branch === undefined || closes === undefined) {
    return { ...point, status: dnp3ControlStatus.notSupported }
  }
  if (functionCode === 'select') {
    dialogue.selected = point.index
    return { ...point, status: dnp3ControlStatus.success }
  }
  if (functionCode === 'operate' && dialogue.selected !== point.index) {
    return { ...point, status: dnp3ControlStatus.noSelect }
  }
  dialogue.selected = null
  operate(context, branch, closes, `DNP3 ${functionCode} at ${outstation.node} point ${point.index}`, timeUs)
  return { ...point, status: dnp3ControlStatus.success }
}

/** Whether a control code closes; codes that are not here are refused. */
const closingCodes: ReadonlyMap<number, boolean> = new Map([
  [dnp3ControlCode.trip, false],
  [dnp3ControlCode.latchOff, false],
  [dnp3ControlCode.close, true],
  [dnp3ControlCode.latchOn, true],
])

/** Reports a breaker that moved, without being asked (IEEE 1815 clause 5.1.3). */
function report(context: StepContext, outstation: Outstation, branch: number, timeUs: number): void {
  const connection = context.world.connections[connectionId(outstation)]
  if (connection?.dialogue.protocol !== 'DNP3' || connection.flow.phase !== 'established') return
  const event: Dnp3Object = {
    kind: 'binary_input_event',
    qualifier: 'index8',
    points: [
      {
        index: outstation.branches.indexOf(branch),
        flags: dnp3Flag.online | (isClosed(context, branch) ? dnp3Flag.state : 0),
        time: Math.floor(timeUs / 1000),
      },
    ],
  }
  const { fragment, sequence } = nextUnsolicited(connection.dialogue.outstation, 0, [event])
  connection.dialogue.outstation = sequence
  put(context, connection, 'server', fragment, timeUs + 6_000)
}
