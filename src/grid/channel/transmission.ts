/** One message on its way over a link: its interception, the numbers of its frame, and its trace in the records. */

import { findAttack } from '../attacks/catalogue.ts'
import { takeIdentification } from '../link/ip-stack.ts'
import { findShift, type NumberShift, type SegmentNumbers, takeNumbers } from '../link/tcp-flow.ts'
import { findReading } from '../records/evidence.ts'
import { mustFindConnection } from '../step/connections.ts'
import type { StepScene } from '../step/step-context.ts'
import type { World } from '../step/world.ts'
import { isRequest, type Message } from '../telecontrol/message.ts'
import type { Evidence, PacketLabel } from '../types.ts'
import type { Interception } from './attackers.ts'

/** A message that crosses its link, with the numbers of its frame. */
export interface Transmission extends FrameNumbers {
  readonly message: Message
  readonly interception: Interception
  /** Null for a clean message. */
  readonly trace: AttackTrace | null
}

/** The numbers of one frame on its sender's side, and what an attacker has shifted in them; UDP has only the first. */
export interface FrameNumbers {
  readonly numbers: SegmentNumbers
  readonly shift?: NumberShift
}

/** The mark that an attacked message leaves in the records. */
export interface AttackTrace {
  /** Null when the attack is unknown. */
  readonly label: PacketLabel | null
  /** Both forms of the message, for its label; once the frames are written, the octets are views into them. */
  readonly evidence: Writable<Evidence>
  /** The forms that the incident shows: no original for a forged message, no modified form for a dropped one. */
  readonly shown: Writable<Evidence>
}

type Writable<Value> = { -readonly [Field in keyof Value]: Value[Field] }

/** Joins a message with its interception and its numbers, and prepares its trace. */
export function openTransmission(
  scene: Pick<StepScene, 'configurationOf'>,
  message: Message,
  interception: Interception,
  numbers: FrameNumbers,
): Transmission {
  return { message, interception, ...numbers, trace: traceAttack(scene, message, interception) }
}

function traceAttack(
  { configurationOf }: Pick<StepScene, 'configurationOf'>,
  message: Message,
  { attack, outcome, payload }: Interception,
): AttackTrace | null {
  if (outcome === 'clean' || outcome === 'lost') return null
  const { protocol, carrier, link } = message
  const reading = findReading(protocol, isRequest(carrier), configurationOf(link))
  const evidence = { reading, original: message.payload, modified: payload }
  const original = message.forged === null ? message.payload : null
  const modified = outcome === 'dropped' ? null : payload
  const shown = original === null || modified === null ? { reading, original, modified } : evidence
  if (attack === null) return { label: null, evidence, shown }
  const { attack_id, type } = attack.order
  const technique = findAttack(type)?.technique ?? null
  const label = { attack_id, attack_type: type, technique, evidence }
  return { label, evidence, shown }
}

/**
 * Takes the numbers of a message's frame; they are used up although it may not arrive.
 *
 * @throws Error when the message travels on a connection that is not there.
 */
export function numberFrame(world: Pick<World, 'hosts' | 'connections'>, { carrier, payload }: Message): FrameNumbers {
  if (carrier.kind === 'ethernet') return { numbers: noNumbers }
  if (carrier.kind === 'udp') {
    return { numbers: { ...noNumbers, identification: takeIdentification(world.hosts, carrier.from.ip) } }
  }
  const connection = mustFindConnection(world, carrier.connection)
  const taken = takeNumbers(connection.flow, carrier.side, payload.length, world.hosts)
  connection.flow = taken.flow
  return withShift(taken.numbers, findShift(taken.flow, carrier.side))
}

const noNumbers: SegmentNumbers = { identification: 0, sequence: 0, acknowledgment: 0 }

/** Joins the numbers of a segment with what an attacker has shifted in them. */
export function withShift(numbers: SegmentNumbers, shift: NumberShift | undefined): FrameNumbers {
  return shift === undefined ? { numbers } : { numbers, shift }
}

/**
 * Records that an attacker changed the length of a message: later numbers of its side shift behind the attacker.
 *
 * @throws Error when the message travels on a connection that is not there.
 */
export function recordLength(
  world: Pick<World, 'connections'>,
  { message: { carrier, payload }, interception }: Pick<Transmission, 'message' | 'interception'>,
): void {
  const removed = payload.length - interception.payload.length
  if (carrier.kind !== 'tcp' || removed === 0) return
  const connection = mustFindConnection(world, carrier.connection)
  const { flow } = connection
  const known = flow.removed?.[carrier.side] ?? 0
  connection.flow = { ...flow, removed: { ...flow.removed, [carrier.side]: known + removed } }
}
