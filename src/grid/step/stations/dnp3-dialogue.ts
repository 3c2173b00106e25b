/** Fragments of both ends of a DNP3 session, with their sequence numbers. */

import type { FlowSide } from '../../link/tcp-flow.ts'
import { encodeDnp3 } from '../../protocols/dnp3.ts'
import { nextRequest } from '../../protocols/dnp3-association.ts'
import type { Dnp3Fragment } from '../../protocols/dnp3-fragment.ts'
import { type Dnp3LinkFrame, dnp3LinkAnswer, encodeDnp3Link } from '../../protocols/dnp3-link.ts'
import type { Dnp3Object } from '../../protocols/dnp3-objects.ts'
import type { Message } from '../../telecontrol/message.ts'
import { dnp3Master } from '../../telecontrol/telecontrol.ts'
import { type Departure, sendFrom } from '../connections.ts'
import type { Dnp3Dialogue } from '../dialogue.ts'
import type { Outgoing } from '../step-context.ts'
import type { Session } from './session.ts'

/** A session as far as its ends send on it. */
export type Dnp3Sender = Session<Dnp3Dialogue, Pick<Outgoing, 'queue'>>

/** The function and the objects of a request. */
export type Dnp3Request = Pick<Dnp3Fragment, 'functionCode' | 'objects'>

/** Sends a request from the client's end of a session, of the control centre or of an attack. */
export function requestDnp3(sender: Dnp3Sender, { functionCode, objects }: Dnp3Request, departure: Departure): void {
  const { dialogue } = sender.connection
  const { fragment, sequence } = nextRequest(dialogue.master, functionCode, objects)
  dialogue.master = sequence
  sendFragment(sender, 'client', fragment, departure)
}

/** Makes the block that operates one point once, of 100 ms where the code is a pulse. */
export function controlBlock(index: number, code: number): Dnp3Object {
  const point = { index, code, count: 1, onTimeMs: 100, offTimeMs: 100, status: 0 }
  return { kind: 'control', qualifier: 'index8', points: [point] }
}

/** Sends a fragment from one end of a session, and moves the transport counter of that end on. */
export function sendFragment(
  { context, connection, outstation: { address } }: Dnp3Sender,
  side: FlowSide,
  fragment: Dnp3Fragment,
  departure: Departure,
): void {
  const { dialogue } = connection
  const fromMaster = side === 'client'
  const end = fromMaster ? 'master' : 'outstation'
  const { bytes, transportSequence } = encodeDnp3({
    fromMaster,
    destination: fromMaster ? address : dnp3Master,
    source: fromMaster ? dnp3Master : address,
    transportSequence: dialogue[end].transport,
    fragment,
  })
  dialogue[end] = { ...dialogue[end], transport: transportSequence }
  sendFrom(context, connection, side, { ...departure, payload: bytes, purpose: classifyFragment(fragment) })
}

/** Sends a frame without user data from the outstation: an acknowledgment, or the status of the link. */
export function answerLink(
  { context, connection }: Dnp3Sender,
  { destination: source, source: destination }: Pick<Dnp3LinkFrame, 'destination' | 'source'>,
  answer: keyof typeof dnp3LinkAnswer,
  timeUs: number,
): void {
  const functionCode = dnp3LinkAnswer[answer]
  const frame = { fromMaster: false, isPrimary: false, frameCount: false, frameCountValid: false, functionCode }
  const payload = encodeDnp3Link({ ...frame, destination, source, userData: new Uint8Array(0) })
  sendFrom(context, connection, 'server', { timeUs, payload })
}

/** The purpose of a fragment: measurements to the master, a command to a breaker, or neither. */
export function classifyFragment({ functionCode }: Dnp3Fragment): Message['purpose'] {
  if (functionCode === 'response' || functionCode === 'unsolicited_response') return 'reporting'
  return ['select', 'operate', 'direct_operate', 'direct_operate_no_ack'].includes(functionCode) ? 'command' : 'link'
}
