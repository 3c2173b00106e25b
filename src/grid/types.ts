/** The records of the grid simulation: incidents, packets, captured frames with their ground truth, and counters. */

import type { Json, JsonObject } from '../base/json.ts'
import type { C37118Configuration } from './protocols/c37118-configuration.ts'
import type { MessageProtocol } from './protocols/catalogue.ts'

/** The state of a message at the end of its way; only `attacked` and `dropped` are pushed on the event stream. */
export type IncidentStatus = 'clean' | 'attacked' | 'dropped' | 'invalid'

/** The weight of an incident; `CRITICAL` is kept for attacks that changed the grid itself. */
export type Severity = 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL'

/** The names that the records use for the protocols on the wire; other names may arrive by ingestion. */
export type ProtocolName = MessageProtocol | 'ARP' | 'TCP' | 'UDP' | 'SIM'

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

/** The facts of one message. The names are those of the interface, so that records are shown as they are. */
interface IncidentFields {
  /** Eight lower-case hex characters, the head of a version 4 UUID. */
  readonly id: string
  /** Unix time in seconds, with a fraction of microseconds. */
  readonly timestamp: number
  /** The same moment in ISO 8601 with microseconds and the offset `+00:00`. */
  readonly timestamp_iso: string
  readonly protocol: string
  /** IPv4 address, or a MAC address for protocols without one (GOOSE, ARP). */
  readonly src_ip?: string
  readonly dst_ip?: string
  /** The type of the attack that did it, `NONE` for clean messages. */
  readonly attack_type: string
  readonly status: IncidentStatus
  readonly severity?: Severity
  readonly description?: string
  /** The activation of the attack that did it: `<type>-<number of the command>`. */
  readonly attack_id?: string
  /** ATT&CK for ICS identifiers, current and legacy. */
  readonly technique?: TechniqueRef
  /** Effects of the message on the grid, when it had some. */
  readonly impact?: JsonObject
  /** The sender's and the receiver's node in the topology. */
  readonly src_node?: string
  readonly dst_node?: string
  readonly src_port?: number
  readonly dst_port?: number
  /** Number of the captured frame that carried it, counted from 1 for the life of the session. */
  readonly frame_no?: number
  readonly [extra: string]: unknown
}

/** One incident as clients read it. */
export interface Incident extends IncidentFields {
  /** The message as it was sent; present only when it was not delivered as sent. */
  readonly original_val?: JsonObject
  /** The message as it was received; absent when it was dropped. */
  readonly modified_val?: JsonObject
  readonly evidence?: never
}

/**
 * The same as it is retained: both forms of the message are octets, which `showIncident` decodes.
 *
 * An outside simulator sends the decoded forms; its records keep them and have no evidence.
 */
export interface IncidentRecord extends IncidentFields {
  readonly original_val?: JsonObject
  readonly modified_val?: JsonObject
  readonly evidence?: Evidence
}

/** An ATT&CK for ICS technique under its current identifier (v19) and the one most detections still use. */
export interface TechniqueRef {
  readonly id: string
  readonly legacy_id: string
  readonly name: string
  readonly tactic: string
}

/** The short form of a captured frame. */
export interface PacketSummary {
  readonly timestamp: number
  readonly protocol: string
  readonly status: IncidentStatus
  /** The type of the attack, `NONE` for clean frames. */
  readonly attack: string
  /** `address:port`, or a MAC address for frames without IP. */
  readonly src: string
  readonly dst: string
  /** Octets of the application's payload (for a dropped message: of the one that was sent). */
  readonly len: number
  /** False when the frame never reached its receiver. */
  readonly forwarded: boolean
  /** Added transport delay in milliseconds. */
  readonly latency_ms: number
  readonly frame_no: number
}

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

/** The time in which an attack acts, counted in frames of the streams it touches. */
export interface AttackSchedule {
  readonly start_frame: number
  /** 0 means until disabled. */
  readonly duration_frames: number
}

/** Numbers of messages that an attack saw, changed and dropped. */
export interface AttackCounters {
  readonly total_packets: number
  readonly modified_packets: number
  readonly dropped_packets: number
}

/** The retained incidents that a request asked for. */
export interface Incidents {
  readonly count: number
  /** Retained records after the filter, never a lifetime total. */
  readonly total: number
  readonly incidents: readonly IncidentRecord[]
}

/** The retained packet summaries that a request asked for. */
export interface Packets {
  readonly count: number
  readonly total: number
  readonly packets: readonly PacketSummary[]
}
