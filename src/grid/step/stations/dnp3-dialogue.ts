/** Fragments of both ends of a DNP3 connection, with their sequence numbers. */

import { encodeDnp3 } from '../../protocols/dnp3.ts'
import { nextRequest } from '../../protocols/dnp3-association.ts'
import type { Dnp3Fragment } from '../../protocols/dnp3-fragment.ts'
import { type Dnp3LinkFrame, dnp3LinkAnswer, encodeDnp3Link } from '../../protocols/dnp3-link.ts'
import type { Dnp3Object } from '../../protocols/dnp3-objects.ts'
import type { Message } from '../../telecontrol/message.ts'
import { dnp3Master } from '../../telecontrol/telecontrol.ts'
import { envelope } from '../connections.ts'
import type { Dnp3Dialogue } from '../dialogue.ts'
import { type Outgoing, type StepScene, send } from '../step-context.ts'
import type { Connection } from '../world.ts'

/** The parts of a step with which fragments are sent. */
type Sender = Pick<Outgoing, 'queue'> & Pick<StepScene, 'plan'>

/** Sends a request from the client's end of a connection, of the control centre or of an attack. */
export function requestDnp3(
  context: Sender,
  connection: Connection,
  functionCode: Dnp3Fragment['functionCode'],
  objects: readonly Dnp3Object[],
  timeUs: number,
  forged: Message['forged'] = null,
): void {
  if (connection.dialogue.protocol !== 'DNP3') return
  const { fragment, sequence } = nextRequest(connection.dialogue.master, functionCode, objects)
  connection.dialogue.master = sequence
  sendFragment(context, connection, 'client', fragment, timeUs, forged)
}

/** Sends a fragment from one end of a connection. */
export function sendFragment(
  context: Sender,
  connection: Connection,
  side: 'client' | 'server',
  fragment: Dnp3Fragment,
  timeUs: number,
  forged: Message['forged'] = null,
): void {
  const { dialogue, serverNode } = connection
  const outstation = context.plan.outstations.find(({ node }) => node === serverNode)
  if (dialogue.protocol !== 'DNP3' || outstation === undefined) return
  send(context, {
    ...envelope(connection, side),
    timeUs,
    payload: nextFrames(dialogue, side === 'client' ? 'master' : 'outstation', outstation.address, fragment),
    purpose: classifyFragment(fragment),
    forged,
  })
}

/** Sends a frame without user data from the outstation: an acknowledgment, or the status of the link. */
export function answerLink(
  context: Sender,
  connection: Connection,
  { destination: source, source: destination }: Pick<Dnp3LinkFrame, 'destination' | 'source'>,
  answer: keyof typeof dnp3LinkAnswer,
  timeUs: number,
): void {
  const functionCode = dnp3LinkAnswer[answer]
  const frame = { fromMaster: false, isPrimary: false, frameCount: false, frameCountValid: false, functionCode }
  send(context, {
    ...envelope(connection, 'server'),
    timeUs,
    payload: encodeDnp3Link({ ...frame, destination, source, userData: new Uint8Array(0) }),
    purpose: 'link',
    forged: null,
  })
}

/** Encodes a fragment of one end into link frames, and moves the transport counter of that end on. */
function nextFrames(
  dialogue: Dnp3Dialogue,
  end: 'master' | 'outstation',
  outstationAddress: number,
  fragment: Dnp3Fragment,
): Uint8Array {
  const fromMaster = end === 'master'
  const { bytes, transportSequence } = encodeDnp3({
    fromMaster,
    destination: fromMaster ? outstationAddress : dnp3Master,
    source: fromMaster ? dnp3Master : outstationAddress,
    transportSequence: dialogue[end].transport,
    fragment,
  })
  dialogue[end] = { ...dialogue[end], transport: transportSequence }
  return bytes
}

/** The purpose of a fragment: measurements to the master, a command to a breaker, or neither. */
export function classifyFragment({ functionCode }: Dnp3Fragment): Message['purpose'] {
  if (functionCode === 'response' || functionCode === 'unsolicited_response') return 'reporting'
  return ['select', 'operate', 'direct_operate', 'direct_operate_no_ack'].includes(functionCode) ? 'command' : 'link'
}
