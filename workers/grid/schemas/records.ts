/** Shapes of the records of messages: incidents, packets, and what ingestion answers. */

import { boolean, describe, listOf, number, oneOf, type Schemas, text, whole } from '#base/json-schema.ts'
import { anyObject, object, refTo, seconds } from './parts.ts'

const status = oneOf('clean', 'attacked', 'dropped', 'invalid')
const warnings = describe('What of the query was not used, one sentence each.', listOf(text))

/** Schemas by the name of the shape. */
export const recordSchemas: Schemas = {
  Technique: describe(
    'A technique of MITRE ATT&CK for ICS.',
    object({ id: text, legacy_id: text, name: text, tactic: text }),
  ),
  Incident: object(
    {
      id: { type: 'string', minLength: 8, maxLength: 8 },
      timestamp: seconds,
      timestamp_iso: text,
      protocol: text,
      attack_type: describe('NONE for a clean message.', text),
      status,
    },
    {
      src_ip: describe('A MAC address for protocols without IP.', text),
      dst_ip: text,
      severity: oneOf('INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'),
      description: text,
      attack_id: text,
      technique: refTo('Technique'),
      impact: describe('What the message did to the grid.', anyObject),
      src_node: text,
      dst_node: text,
      src_port: whole,
      dst_port: whole,
      frame_no: describe('Number of the captured frame, from 1.', whole),
      original_val: describe('The message as it was sent.', { type: 'object' }),
      modified_val: describe('The message as it was received; absent when it was dropped.', {
        type: 'object',
      }),
    },
  ),
  Incidents: object({ count: whole, total: whole, incidents: listOf(refTo('Incident')) }, { warnings }),
  PacketSummary: object(
    { timestamp: seconds, protocol: text, status, attack: text, src: text, dst: text, len: whole },
    {
      forwarded: describe('False when the frame never reached its receiver.', boolean),
      latency_ms: describe('Added transport delay.', number),
      frame_no: whole,
    },
  ),
  Packets: object({ count: whole, packets: listOf(refTo('PacketSummary')) }, { total: whole, warnings }),
  Accepted: object(
    { accepted: describe('Messages that were taken.', whole) },
    { rejected: listOf(object({ index: whole, error: text })) },
  ),
  AcceptedTopology: object({ nodes: whole, links: whole }),
  AcceptedStatus: object({
    accepted: boolean,
    next_within_s: describe('Seconds until the simulator no longer counts as running.', number),
  }),
  Error: object({ error: text }, { hint: text }),
}
