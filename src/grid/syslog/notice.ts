/** Syslog notices of incidents, alarms and losses, before they are written in one of the formats. */

import type { Alarm } from '../contract/grid.ts'
import { priorityOf } from '../control-centre/detection.ts'
import type { IncidentRecord, Severity } from '../types.ts'

/** Facts that a notice carries beside its text, each with its key in CEF; custom fields have the fact's name as label. */
export const cefKeys = {
  id: 'externalId',
  number: 'cn2',
  session: 'cs1',
  simulation: 'cs2',
  protocol: 'app',
  status: 'act',
  attack: 'cs3',
  attackId: 'cs4',
  technique: 'cs5',
  src: 'src',
  srcPort: 'spt',
  srcNode: 'shost',
  dst: 'dst',
  dstPort: 'dpt',
  dstNode: 'dhost',
  frame: 'cn1',
  impact: 'cs6',
  detector: 'cs3',
  where: 'cs4',
  evidence: 'cs6',
  count: 'cnt',
} as const

/** Name of a fact; RFC 5424 messages have it as it is. */
export type FactName = keyof typeof cefKeys

/** One message for a collector. */
export interface Notice {
  readonly kind: 'incident' | 'alarm' | 'dropped'
  /** Unix time in seconds. */
  readonly timestamp: number
  readonly severity: Severity
  /** The kind of event, for rules of a collector: the type of the attack, the detector, or `dropped`. */
  readonly event: string
  readonly text: string
  /** The most telling first: what does not fit a message is left out from the end. */
  readonly facts: readonly (readonly [FactName, string])[]
}

/** The simulation of a notice. */
export interface NoticeSource {
  readonly session: string
  /** Absent where the name is not known. */
  readonly simulation?: string | undefined
}

/** Makes the notice of an incident; `number` counts the incidents of its session from 1. */
export function describeIncident(incident: IncidentRecord, number: number, source: NoticeSource): Notice {
  const { timestamp, severity = 'INFO', attack_type, description } = incident
  return {
    kind: 'incident',
    timestamp,
    severity,
    event: attack_type,
    text: description ?? `${incident.protocol} ${incident.status} packet`,
    facts: facts([
      ['id', incident.id],
      ['number', number],
      ['session', source.session],
      ['simulation', source.simulation],
      ['protocol', incident.protocol],
      ['status', incident.status],
      ['attack', attack_type],
      ['attackId', incident.attack_id],
      ['technique', incident.technique?.id],
      ['src', incident.src_ip],
      ['srcPort', incident.src_port],
      ['srcNode', incident.src_node],
      ['dst', incident.dst_ip],
      ['dstPort', incident.dst_port],
      ['dstNode', incident.dst_node],
      ['frame', incident.frame_no],
      ['impact', incident.impact === undefined ? undefined : JSON.stringify(incident.impact)],
    ]),
  }
}

const severityByPriority = { medium: 'MEDIUM', high: 'HIGH', critical: 'CRITICAL' } as const

/** An alarm as a notice has it: its severity is the priority of its detector. */
type Noticed = Pick<Alarm, 'timestamp' | 'detector' | 'where' | 'text' | 'evidence'>

/** Makes the notice of an alarm of the control centre. */
export function describeAlarm({ timestamp, detector, where, text, evidence }: Noticed, source: NoticeSource): Notice {
  return {
    kind: 'alarm',
    timestamp,
    severity: severityByPriority[priorityOf(detector)],
    event: detector,
    text: `${where}: ${text}`,
    facts: facts([
      ['detector', detector],
      ['where', where],
      ['session', source.session],
      ['simulation', source.simulation],
      ['evidence', JSON.stringify(evidence)],
    ]),
  }
}

/** Reports how many messages were lost. */
export function describeLoss(count: number, timestamp: number, source: NoticeSource): Notice {
  return {
    kind: 'dropped',
    timestamp,
    severity: 'MEDIUM',
    event: 'dropped',
    text: `${count} messages were dropped because the collector did not take them`,
    facts: facts([
      ['count', count],
      ['session', source.session],
      ['simulation', source.simulation],
    ]),
  }
}

function facts(pairs: readonly (readonly [FactName, string | number | undefined])[]) {
  return pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as const]))
}
