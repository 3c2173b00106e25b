/** Everything that the next step of a simulation depends on: plain JSON, so that a snapshot is its text. */

import type { Json } from '../../base/json.ts'
import type { RandomState } from '../../base/random.ts'
import type { AttackOrder, CommandOf, Configuration, PlantOrder } from '../configuration.ts'
import type { View } from '../control-centre/view.ts'
import type { Hosts } from '../link/ip-stack.ts'
import type { FlowSide, NumberShift, SegmentNumbers, TcpFlow } from '../link/tcp-flow.ts'
import type { Transit } from '../link/tcp-transit.ts'
import type { Plant } from '../plant/state.ts'
import type { GoosePublisher } from '../protocols/goose-publisher.ts'
import type { Message } from '../telecontrol/message.ts'
import type { AttackCounters, PacketLabel } from '../types.ts'
import type { Dialogue } from './dialogue.ts'

/** One TCP connection with its dialogue. */
export interface Connection<Spoken extends Dialogue = Dialogue> {
  readonly id: string
  readonly link: string
  readonly clientNode: string
  readonly serverNode: string
  flow: TcpFlow
  /** Segments that each side has in flight; absent while everything that it sent has arrived at once. */
  transit?: Partial<Record<FlowSide, Transit<Travelling>>>
  dialogue: Spoken
  /** The ground truth of its frames when an attacker opened it; null for honest connections. */
  readonly label: PacketLabel | null
  /** True where the client is a master from outside, which gets its octets from a socket. */
  readonly isField?: boolean
}

/** The measurements of an outstation at the last scan: values in per unit in the order of its points, breakers by branch. */
export interface Sample {
  readonly values: readonly number[]
  readonly closed: readonly boolean[]
  /** The values as they were when each was last an event, where the outstation has events. */
  readonly reported?: readonly number[]
}

/** The state that an outstation keeps between requests. */
export interface OutstationState {
  /** The lead of its clock over the simulation's, in microseconds. */
  readonly clockUs: number
  /** Microseconds at which a master last set its clock; null before. */
  readonly synchronisedUs: number | null
  /** True until a master has taken note that it started (DNP3, IIN1.7). */
  readonly isRestarted: boolean
  /** Energy out of its bus and into it. */
  readonly exportedKwh: number
  readonly importedKwh: number
  /** Movements of its breakers. */
  readonly operations: number
}

/** One publisher of GOOSE and what the bay that listens to it has accepted. */
export interface GooseState {
  publisher: GoosePublisher
  /** Trip bits in the order of the data set. */
  trips: readonly boolean[]
  changedUs: number
  nextUs: number
  accepted: GoosePublisher | null
}

/** The protection that listens to a stream of sampled values. */
export interface SampledState {
  /** The count of the last sample that it accepted; null before the first. */
  accepted: number | null
  /** True when it has seen too high a current, and its trip is not sent yet. */
  isTripping: boolean
}

/** One enabled attack. */
export interface AttackState {
  readonly order: AttackOrder
  readonly sinceUs: number
  /** Messages seen since it was enabled, by link, and under the empty name the steps in which it could forge. */
  seen: Record<string, number>
  counters: AttackCounters
  /** The attack's own memory. */
  memory: Record<string, Json>
}

/** A message between its sender and its receiver. */
export interface Travelling extends Omit<Message, 'timeUs' | 'payload' | 'forged'> {
  readonly sentUs: number
  /** As it goes on behind the attackers, and as it was sent. */
  readonly payloadHex: string
  readonly originalHex: string
  /** The attack that acted on it; empty where none did. */
  readonly attackId: string
  readonly description: string
  /** The outcome of the attackers' work, and the microseconds for which they hold it. */
  readonly outcome: Outcome
  readonly delayUs: number
  readonly numbers: SegmentNumbers
  readonly shift?: NumberShift
}

/** The outcome of the attackers' work on a message; `lost` is one that its path lost without them. */
export type Outcome = 'clean' | 'attacked' | 'invalid' | 'dropped' | 'held' | 'lost'

/** An acknowledgment that the receiver of a segment still owes. */
export interface PendingAcknowledgment {
  readonly connection: string
  /** The side that acknowledges. */
  readonly side: FlowSide
  /** Integer microseconds at which it leaves by itself. */
  readonly dueUs: number
}

/** A message that is held on its way. */
export interface HeldMessage extends Travelling {
  readonly dueUs: number
  /** True when the same segment was sent before. */
  readonly isAgain?: boolean
}

/** The state of a simulation; the engine changes it in place. */
export interface World {
  readonly configuration: Configuration
  /** Steps computed so far, and so the number of the next one. */
  step: number
  commandsApplied: number
  /** Microseconds since the Unix epoch at which `clock.step` began. */
  clock: { readonly step: number; readonly timeUs: number }
  random: Record<string, RandomState>
  plant: Plant
  connections: Record<string, Connection>
  readonly hosts: Hosts
  /** Microseconds at which a host no longer knows the hardware address of another, by both IP addresses. */
  addresses: Record<string, number>
  /** The next request for the time of each host that asks, by IP address, and the exponent of the wait after it. */
  clocks: Record<string, { readonly dueUs: number; readonly poll: number }>
  /** Acknowledgments that wait for data to go with, in the order of their times. */
  acknowledgments: PendingAcknowledgment[]
  samples: Record<string, Sample>
  outstations: Record<string, OutstationState>
  goose: Record<string, GooseState>
  /** By merging unit; absent in a session without IEC 61850 stations. */
  sampled?: Record<string, SampledState>
  /** Microseconds at which each phasor measurement unit last sent its configuration or was asked for it; 0 before. */
  configured: Record<string, number>
  /** The view of the control centre. */
  view: View
  attacks: AttackState[]
  /** Number of the last enable command, which names the next attack. */
  attackNumber: number
  /** The attack that was enabled last, even after it ended. */
  lastAttackId: string | null
  held: HeldMessage[]
  /** The entries of the field's log that were applied, and the connections from outside that are open. */
  field: { applied: number; open: number }
  /** Orders to the plant, to be carried out by the next step. */
  orders: PlantOrder[]
  /** Stretches of time that were not computed, to be marked in the next step. */
  gaps: { readonly fromUs: number; readonly toUs: number; readonly reason: CommandOf<'clock'>['reason'] }[]
  nextFrameNo: number
  lastFrameUs: number
  totals: AttackCounters
  /** The attack that ended last, for the snapshot that outlives it. */
  ended: AttackState | null
}

/** Reads a world of the present form, which was written as JSON. */
export function readWorld(text: string): World {
  return JSON.parse(text) as World // written by `JSON.stringify` of a world
}
