/** DNP3 stations: the master polls outstations, and messages at either end are taken in. */

import { decodeHex, encodeHex } from '#base/hex.ts'
import { watchAnswer, watchMaster, watchWriter } from '../../control-centre/link-monitor.ts'
import { decodeDnp3, dnp3Port, dnp3TransportBit } from '../../protocols/dnp3.ts'
import { newDnp3Sequence, toConfirm } from '../../protocols/dnp3-association.ts'
import type { Dnp3Fragment } from '../../protocols/dnp3-fragment.ts'
import { type Dnp3LinkFrame, decodeDnp3Link, dnp3Broadcasts, dnp3LinkFunction } from '../../protocols/dnp3-link.ts'
import { dnp3ControlCode, dnp3Flag } from '../../protocols/dnp3-points.ts'
import type { Message } from '../../telecontrol/message.ts'
import type { Outstation } from '../../telecontrol/telecontrol.ts'
import { speaks } from '../connections.ts'
import type { Dnp3Dialogue } from '../dialogue.ts'
import type { StepContext } from '../step-context.ts'
import { answerLink, classifyFragment, controlBlock, requestDnp3, sendFragment } from './dnp3-dialogue.ts'
import { rememberChanges } from './dnp3-events.ts'
import { beginDnp3, follow, isAwaited, pollDnp3 } from './dnp3-master.ts'
import { refuse, report, serve } from './dnp3-outstation.ts'
import {
  acceptStates,
  acceptValues,
  afterHandshakeUs,
  answerDelayUs,
  dueOutstations,
  scannedOutstations,
} from './polling.ts'
import { ensureSession, findSession, type Session } from './session.ts'
import type { OutstationStation } from './station.ts'

/** Octets of frames that may wait for the rest of their fragment: 2,048 of a fragment take nine frames. */
const mostPartialOctets = 2_700

/** DNP3 outstations: they answer polls, report breakers that moved, and obey controls. */
export const dnp3Station: OutstationStation<Dnp3Dialogue> = {
  port: dnp3Port,
  open: () => ({
    protocol: 'DNP3',
    master: newDnp3Sequence,
    outstation: newDnp3Sequence,
    selected: null,
    partial: '',
    events: [],
    isOverflown: false,
    isBroadcast: false,
    unsolicited: [],
    unconfirmed: null,
    recordedUs: null,
    startup: [],
    asked: null,
  }),
  poll,
  receive,
  report,
  command({ connection, ...session }, { index, closed, timeUs }, forged) {
    if (!speaks(connection, 'DNP3')) return
    const code = closed ? dnp3ControlCode.close : dnp3ControlCode.trip
    const request = { functionCode: 'direct_operate', objects: [controlBlock(index, code)] } as const
    requestDnp3({ ...session, connection }, request, { timeUs, forged })
  },
}

/** Polls every due outstation; a new connection begins with the start-up of a master. */
function poll(context: StepContext): void {
  for (const outstation of scannedOutstations(context, 'DNP3')) rememberChanges(context, outstation)
  for (const { outstation, timeUs } of dueOutstations(context, 'DNP3')) {
    const session = ensureSession(context, outstation, dnp3Station, timeUs)
    if (session.isNew) beginDnp3(session, timeUs + afterHandshakeUs)
    else pollDnp3(session, timeUs + afterHandshakeUs)
  }
}

function receive(context: StepContext, message: Message, payload: Uint8Array): void {
  const session = findSession(context, message, 'DNP3')
  if (session === undefined) return
  const { connection, outstation } = session
  if (session.sender === 'client') {
    watchMaster(context, outstation, connection)
    receiveRequest(session, message.timeUs, payload)
    return
  }
  const decoded = decodeDnp3(payload)
  if (!decoded.ok) return
  const { fragment } = decoded.value
  const answerUs = message.timeUs + answerDelayUs(context)
  if (connection.label === null) accept(context, outstation, fragment, message.timeUs)
  if (fragment.control.confirm) sendFragment(session, 'client', toConfirm(fragment), { timeUs: answerUs })
  if (connection.label === null && isAwaited(connection.dialogue, fragment)) follow(session, answerUs, fragment)
}

/** Takes in a frame at the outstation: the link layer answers for itself, a whole fragment goes to the application. */
function receiveRequest(session: Dnp3Session, timeUs: number, payload: Uint8Array): void {
  const { context, outstation, connection } = session
  const { dialogue } = connection
  const link = decodeDnp3Link(payload)
  if (!link.ok) return
  const { frame } = link.value
  if (!frame.isPrimary) return
  const isBroadcast = dnp3Broadcasts.includes(frame.destination)
  if (frame.destination !== outstation.address && !isBroadcast) return
  const delayUs = answerDelayUs(context)
  if (!isBroadcast) answerFrame(session, frame, timeUs, delayUs)
  const isWhole = payload.length > link.value.length
  const whole = isWhole ? payload : joinFrames(dialogue, frame.userData, payload)
  if (whole === undefined) return
  const decoded = decodeDnp3(whole)
  const response = decoded.ok
    ? answerFragment(session, decoded.value.fragment, timeUs, delayUs)
    : refuse(session, whole, timeUs)
  if (isBroadcast) dialogue.isBroadcast ||= decoded.ok
  else if (response !== undefined) {
    // This response carries the indication.
    dialogue.isBroadcast = false
    sendFragment(session, 'server', response, { timeUs: timeUs + delayUs })
  }
}

type Dnp3Session = Session<Dnp3Dialogue>

/** Answers a frame as the link layer does: its acknowledgment does not wait for the application. */
function answerFrame(session: Dnp3Session, frame: Dnp3LinkFrame, timeUs: number, delayUs: number): void {
  if (frame.functionCode === dnp3LinkFunction.requestLinkStatus) {
    answerLink(session, frame, 'linkStatus', timeUs + delayUs)
  } else if (frame.functionCode !== dnp3LinkFunction.unconfirmedUserData) {
    answerLink(session, frame, 'ack', timeUs + Math.floor(delayUs / 2))
  }
}

/** Serves a fragment, and first raises the alarm of a command by a strange master. */
function answerFragment(session: Dnp3Session, fragment: Dnp3Fragment, timeUs: number, delayUs: number) {
  const { context, outstation, connection } = session
  if (classifyFragment(fragment) === 'command') {
    watchWriter(context, outstation, connection, `DNP3 ${fragment.functionCode}`)
  }
  return serve(session, fragment, timeUs, Math.floor(delayUs / 1000))
}

/** Joins the frames of a fragment; undefined until the last one, and for a frame without user data. */
function joinFrames(dialogue: Dnp3Dialogue, userData: Uint8Array, payload: Uint8Array): Uint8Array | undefined {
  const [transport] = userData
  if (transport === undefined) return undefined
  const [isFirst, isFinal] = (['first', 'final'] as const).map((bit) => (transport & dnp3TransportBit[bit]) !== 0)
  const frames = (isFirst ? '' : dialogue.partial) + encodeHex(payload)
  dialogue.partial = isFinal || frames.length > mostPartialOctets * 2 ? '' : frames
  return isFinal ? decodeHex(frames) : undefined
}

function accept(context: StepContext, outstation: Outstation, { objects }: Dnp3Fragment, timeUs: number): void {
  for (const object of objects) {
    if (object.kind === 'analog_input') {
      const values: number[] = []
      for (const { index, value } of object.points) values[index] = value
      acceptValues(context, outstation, values, timeUs)
    } else if (object.kind === 'binary_input' || object.kind === 'binary_input_event') {
      const states = object.points.map(({ index, flags }) => ({ index, closed: (flags & dnp3Flag.state) !== 0 }))
      acceptStates(context, outstation, states)
    } else if (object.kind === 'control') watchAnswer(context, outstation, 'a DNP3 control')
  }
}
