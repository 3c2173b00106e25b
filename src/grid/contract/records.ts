/** Records of messages, and what ingestion answers. */

import * as z from 'zod'
import type { DeepReadonly } from '../../base/deep-readonly.ts'
import { anyObject, optional, seconds } from './parts.ts'

const status = z.enum(['clean', 'attacked', 'dropped', 'invalid'])
/** Outcome of a message; only `attacked` and `dropped` are pushed on the event stream. */
export type IncidentStatus = z.infer<typeof status>

const severity = z.enum(['INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'])
/** Severity of an incident; `CRITICAL` is for attacks that changed the grid itself. */
export type Severity = z.infer<typeof severity>

const warnings = z.array(z.string()).describe('What of the query was not used, one sentence each.')

/** A technique under its current identifier (v19) and the one most detections still use. */
export const Technique = z
  .strictObject({ id: z.string(), legacy_id: z.string(), name: z.string(), tactic: z.string() })
  .describe('A technique of MITRE ATT&CK for ICS.')
export type Technique = DeepReadonly<z.infer<typeof Technique>>

/** One message that was attacked or lost, or a clean one that is retained. */
export const Incident = z.strictObject({
  /** The head of a version 4 UUID. */
  id: z.string().length(8),
  /** With a fraction of microseconds. */
  timestamp: seconds,
  /** The same moment in ISO 8601 with microseconds and the offset `+00:00`. */
  timestamp_iso: z.string(),
  protocol: z.string(),
  attack_type: z.string().describe('NONE for a clean message.'),
  status,
  ...optional({
    src_ip: z.string().describe('A MAC address for protocols without IP.'),
    dst_ip: z.string(),
    severity,
    description: z.string(),
    /** Activation of the attack: `<type>-<number of the command>`. */
    attack_id: z.string(),
    technique: Technique,
    impact: anyObject.describe('What the message did to the grid.'),
    /** The sender's and the receiver's node in the topology. */
    src_node: z.string(),
    dst_node: z.string(),
    src_port: z.int(),
    dst_port: z.int(),
    frame_no: z.int().describe('Number of the captured frame, from 1.'),
    original_val: anyObject.describe('The message as it was sent.'),
    modified_val: anyObject.describe('The message as it was received; absent when it was dropped.'),
  }),
})
export type Incident = DeepReadonly<z.infer<typeof Incident>>

/** The retained incidents. */
export const Incidents = z.strictObject({
  count: z.int(),
  total: z.int(),
  incidents: z.array(Incident),
  ...optional({ warnings }),
})

/** The short form of a captured frame. */
export const PacketSummary = z.strictObject({
  timestamp: seconds,
  protocol: z.string(),
  status,
  /** The type of the attack, `NONE` for clean frames. */
  attack: z.string(),
  /** `address:port`, or a MAC address for frames without IP. */
  src: z.string(),
  dst: z.string(),
  /** Octets of the application's payload; for a dropped message, of the one that was sent. */
  len: z.int(),
  ...optional({
    forwarded: z.boolean().describe('False when the frame never reached its receiver.'),
    latency_ms: z.number().describe('Added transport delay.'),
    frame_no: z.int(),
  }),
})
export type PacketSummary = DeepReadonly<z.infer<typeof PacketSummary>>

/** The last packets. */
export const Packets = z.strictObject({
  count: z.int(),
  packets: z.array(PacketSummary),
  ...optional({ total: z.int(), warnings }),
})

/** Accepted parts of a batch of messages. */
export const Accepted = z.strictObject({
  accepted: z.int().describe('Messages that were taken.'),
  ...optional({ rejected: z.array(z.strictObject({ index: z.int(), error: z.string() })) }),
})

/** Accepted parts of a topology. */
export const AcceptedTopology = z.strictObject({ nodes: z.int(), links: z.int() })

/** Accepted parts of a heartbeat. */
export const AcceptedStatus = z.strictObject({
  accepted: z.boolean(),
  next_within_s: z.number().describe('Seconds until the simulator no longer counts as running.'),
})
