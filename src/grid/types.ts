/** The records of the grid simulation: incidents, packets, captured frames with their ground truth, and counters. */

import type { Json } from '../base/json.ts'
import type {
  Incident as Answer,
  IncidentStatus,
  PacketSummary as PacketAnswer,
  Technique as TechniqueRef,
} from './contract/records.ts'
import type { C37118Configuration } from './protocols/c37118-configuration.ts'
import type { MessageProtocol } from './protocols/catalogue.ts'

export type { AttackCounters, Schedule as AttackSchedule } from './contract/attacks.ts'
export type { IncidentStatus, Severity, Technique as TechniqueRef } from './contract/records.ts'

/** The names that the records use for the protocols on the wire; other names may arrive by ingestion. */
export type ProtocolName = MessageProtocol | 'ARP' | 'NTP' | 'TCP' | 'UDP' | 'SIM'

/** The way to read the octets of a message; one for all messages of a kind. */
export interface Reading {
  readonly protocol: MessageProtocol
  /** True for a message of a client: Modbus requests and responses lie differently. */
  readonly isRequest: boolean
  /** The order of the values in a phasor data frame. */
  readonly configuration?: C37118Configuration
}

/** Both forms of a message as octets; null for the one that does not exist. */
export interface Evidence {
  readonly reading: Reading
  /** As it was sent; null for forged messages. */
  readonly original: Uint8Array | null
  /** As it arrived; null for dropped messages. */
  readonly modified: Uint8Array | null
}

/** One incident as clients read it. */
export interface Incident extends Answer {
  readonly evidence?: never
  readonly [extra: string]: unknown
}

/** The same as it is retained: octets, which `showIncident` decodes. Those of an outside simulator have no evidence. */
export interface IncidentRecord extends Answer {
  readonly evidence?: Evidence
  readonly [extra: string]: unknown
}

/** The short form of a captured frame. */
export type PacketSummary = Required<PacketAnswer>

/** One field that an attack changed, by its dotted name in the decoded message. */
export interface FieldChange {
  readonly field: string
  readonly old: Json
  readonly new: Json
}

/** The ground truth of one captured frame; `findChanges` lists the fields that the attack changed. */
export interface PacketLabel {
  readonly attack_id: string
  readonly attack_type: string
  /** Current and legacy ATT&CK for ICS ids; null for attacks without one. */
  readonly technique: TechniqueRef | null
  /** Both forms of the message; absent where there is no message, or where the changes are listed. */
  readonly evidence?: Evidence
  readonly changes?: readonly FieldChange[]
}

/** One frame of the capture: its octets, and its ground truth. */
export interface PacketRecord {
  /** Counted from 1 for the life of the session. */
  readonly frameNo: number
  /** Integer microseconds since the Unix epoch. */
  readonly timeUs: number
  /** The Ethernet frame without its check sequence. */
  readonly bytes: Uint8Array
  readonly protocol: string
  readonly status: IncidentStatus
  /** Ends as `address:port`, or MAC addresses for frames without IP; both directions of a flow share `flow`. */
  readonly src: string
  readonly dst: string
  readonly flow: string
  /** Octets of the application's payload. */
  readonly payloadLength: number
  /** Added transport delay in milliseconds. */
  readonly latencyMs: number
  /** `before`: as seen on the sender's side of the attacker; `after`: on the receiver's side, a clean one on both. */
  readonly tap: 'before' | 'after'
  /** Null for clean frames. */
  readonly label: PacketLabel | null
  /** The amounts by which a clean frame's TCP numbers are larger on the sender's side; absent where they are the same. */
  readonly shift?: { readonly sequence: number; readonly acknowledgment: number }
}
