/** The latest attacked incidents as a STIX 2.1 bundle. */

import type { IncidentRecord, TechniqueRef } from '../types.ts'
import { inTextChunks } from './chunk.ts'
import { ownId } from './stix-id.ts'
import {
  dedupe,
  frameExtensionId,
  protocolsOf,
  type StixObject,
  toObservables,
  toStixTime,
} from './stix-observables.ts'

/** The session that a bundle is about. */
export interface StixSession {
  readonly id: string
  /** Integer microseconds since the Unix epoch. */
  readonly startedUs: number
  /** The frame that carried an incident, by its number; undefined when it is no longer retained. */
  readonly frame?: (frameNo: number) => Uint8Array | undefined
}

/** Most observed-data objects in a bundle. */
export const stixObservedLimit = 20

/** When the objects that never change were written: the catalogue's release, not the export's time. */
const catalogueTime = '2026-04-28T00:00:00.000Z'

const identityId = ownId('identity', 'service')

/**
 * Yields a bundle as UTF-8 JSON in chunks.
 *
 * Objects: identity of the service, definition of our extension, the session as a campaign; for each technique an
 * attack pattern and a course of action; for each attack type and protocol an indicator with a sighting; for each of
 * the latest 20 incidents with status `attacked` its observables and observed data. The same incidents give the same
 * bytes. Source: STIX 2.1 (OASIS standard).
 */
export function encodeStix(
  incidents: readonly IncidentRecord[],
  session: StixSession,
): Generator<Uint8Array> {
  return inTextChunks(text(toStixObjects(incidents, session)))
}

function* text(objects: readonly StixObject[]): Generator<string> {
  const id = ownId('bundle', objects.map((object) => `${object.id}@${object.modified ?? ''}`).join(' '))
  yield `{\n  "type": "bundle",\n  "id": "${id}",\n  "objects": [`
  for (const [at, object] of objects.entries()) {
    const body = JSON.stringify(object, null, 2).replaceAll('\n', '\n    ')
    yield `${at === 0 ? '' : ','}\n    ${body}`
  }
  yield '\n  ]\n}\n'
}

/** Builds the objects of a bundle; every reference in them resolves within them. */
export function toStixObjects(
  incidents: readonly IncidentRecord[],
  session: StixSession,
): readonly StixObject[] {
  const attacked = latestAttacked(incidents)
  const observed = attacked.map((incident) => observe(incident, session))
  const span = spanOf(attacked, session)
  const campaign = toCampaign(session, span)
  const groups = groupBy(observed, ({ incident }) => `${incident.attack_type} ${incident.protocol}`)
  const patterns = groupBy(observed, ({ incident }) => patternKey(incident))
  return dedupe([
    identity,
    extensionDefinition,
    campaign,
    ...[...patterns.values()].flatMap(([first]) =>
      first === undefined ? [] : toPattern(first.incident, campaign),
    ),
    ...observed.flatMap(({ objects, data }) => [...objects, data]),
    ...[...groups.entries()].flatMap(([key, group]) => toIndicator(key, group, session, span)),
  ])
}

interface Observed {
  readonly incident: IncidentRecord
  readonly objects: readonly StixObject[]
  readonly data: StixObject
  readonly traffic: StixObject | undefined
}

interface Span {
  readonly from: string
  readonly to: string
}

/** The latest incidents that were attacked, in chronological order. */
function latestAttacked(incidents: readonly IncidentRecord[]): IncidentRecord[] {
  const found: IncidentRecord[] = []
  for (let at = incidents.length - 1; at >= 0 && found.length < stixObservedLimit; at--) {
    const incident = incidents[at]
    if (incident?.status === 'attacked') found.push(incident)
  }
  return found.reverse()
}

function spanOf(incidents: readonly IncidentRecord[], session: StixSession): Span {
  const times = [session.startedUs / 1e6, ...incidents.map(({ timestamp }) => timestamp)]
  return { from: toStixTime(Math.min(...times)), to: toStixTime(Math.max(...times)) }
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

const identity: StixObject = {
  type: 'identity',
  spec_version: '2.1',
  id: identityId,
  created: catalogueTime,
  modified: catalogueTime,
  name: 'Grid security simulation',
  description: 'A simulated power grid and its telecontrol network: all traffic is synthetic.',
  identity_class: 'system',
  sectors: ['energy'],
}

const extensionDefinition: StixObject = {
  type: 'extension-definition',
  spec_version: '2.1',
  id: frameExtensionId,
  created_by_ref: identityId,
  created: catalogueTime,
  modified: catalogueTime,
  name: 'ICS frame modification',
  description:
    'What happened to one telecontrol message: the incident, and the frame as sent and as received.',
  schema:
    'incident_id, attack_type, attack_id, incident_status, incident_severity, incident_description: strings. ' +
    'original_frame, modified_frame: the decoded frame as sent and as received, as JSON text with bytes in hex.',
  version: '1.0.0',
  extension_types: ['property-extension'],
}

function toCampaign(session: StixSession, span: Span): StixObject {
  return {
    ...own('campaign', session.id, span),
    name: `Simulation session ${session.id}`,
    first_seen: span.from,
    last_seen: span.to,
  }
}

/** The properties that every object of ours begins with. */
function own(type: string, key: string, { from, to }: Span): StixObject {
  return {
    type,
    spec_version: '2.1',
    id: ownId(type, key),
    created_by_ref: identityId,
    created: from,
    modified: to,
  }
}

const catalogueSpan: Span = { from: catalogueTime, to: catalogueTime }

function relate(type: string, source: StixObject, target: StixObject, span: Span): StixObject {
  return {
    ...own('relationship', `${type} ${source.id} ${target.id}`, span),
    relationship_type: type,
    source_ref: source.id,
    target_ref: target.id,
  }
}

/** Attacks of one technique share a pattern; attacks without one have their own. */
function patternKey({ technique, attack_type }: IncidentRecord): string {
  return technique?.id ?? `type ${attack_type}`
}

function toPattern(incident: IncidentRecord, campaign: StixObject): StixObject[] {
  const { technique, attack_type } = incident
  const pattern: StixObject = {
    ...own('attack-pattern', patternKey(incident), catalogueSpan),
    name: technique?.name ?? (attack_type === '' ? 'Unnamed attack' : attack_type),
    ...(technique === undefined
      ? {}
      : {
          kill_chain_phases: [{ kill_chain_name: 'mitre-ics-attack', phase_name: technique.tactic }],
          external_references: toReferences(technique),
        }),
  }
  const span = { from: String(campaign.created), to: String(campaign.modified) }
  const mitigation = mitigationFor(technique)
  const action: StixObject = {
    ...own('course-of-action', mitigation.id, catalogueSpan),
    name: mitigation.name,
    description: mitigation.description,
    external_references: [
      {
        source_name: 'mitre-attack',
        external_id: mitigation.id,
        url: `https://attack.mitre.org/mitigations/${mitigation.id}/`,
      },
    ],
  }
  return [
    pattern,
    action,
    relate('uses', campaign, pattern, span),
    relate('mitigates', action, pattern, catalogueSpan),
  ]
}

/** The current identifier with its page, then the one that it replaced where that differs. */
function toReferences({ id, legacy_id }: TechniqueRef): object[] {
  const current = {
    source_name: 'mitre-attack',
    external_id: id,
    url: `https://attack.mitre.org/techniques/${id.replace('.', '/')}/`,
  }
  if (legacy_id === id || legacy_id === '') return [current]
  return [
    current,
    {
      source_name: 'mitre-attack',
      external_id: legacy_id,
      description: 'Identifier before version 19 of ATT&CK for ICS, revoked in favour of the current one.',
    },
  ]
}

const communicationAuthenticity = {
  id: 'M0802',
  name: 'Communication Authenticity',
  description:
    'Authenticate messages between control centre and field devices, so that altered ones are refused.',
}

/** Mitigations by technique where authentic messages alone do not help. */
const mitigations: Readonly<Record<string, typeof communicationAuthenticity>> = {
  T0814: {
    id: 'M0815',
    name: 'Watchdog Timers',
    description: 'Let devices notice that they no longer answer, and restart into a safe state.',
  },
  'T1691.001': {
    id: 'M0810',
    name: 'Out-of-Band Communications Channel',
    description:
      'Keep a second path for commands and reports, so that blocking one does not blind the operator.',
  },
  'T1691.002': {
    id: 'M0810',
    name: 'Out-of-Band Communications Channel',
    description:
      'Keep a second path for commands and reports, so that blocking one does not blind the operator.',
  },
}

function mitigationFor(technique: TechniqueRef | undefined): typeof communicationAuthenticity {
  return (technique === undefined ? undefined : mitigations[technique.id]) ?? communicationAuthenticity
}

function observe(incident: IncidentRecord, session: StixSession): Observed {
  const frame = incident.frame_no === undefined ? undefined : session.frame?.(incident.frame_no)
  const { objects, traffic } = toObservables(incident, frame)
  const time = toStixTime(incident.timestamp)
  const data: StixObject = {
    ...own('observed-data', `${session.id} ${incident.id} ${incident.timestamp}`, { from: time, to: time }),
    first_observed: time,
    last_observed: time,
    number_observed: 1,
    object_refs: objects.map(({ id }) => id),
  }
  return { incident, objects, data, traffic }
}

/** One indicator for an attack type on a protocol, with the observations that it rests on. */
function toIndicator(
  key: string,
  group: readonly Observed[],
  session: StixSession,
  span: Span,
): StixObject[] {
  const [first] = group
  if (first === undefined) return []
  const { attack_type, protocol } = first.incident
  const pattern = toPatternText(group)
  if (pattern === undefined) return []
  const times = group.map(({ incident }) => incident.timestamp)
  const seen = { from: toStixTime(Math.min(...times)), to: toStixTime(Math.max(...times)) }
  const indicator: StixObject = {
    ...own('indicator', `${session.id} ${key}`, { from: span.from, to: seen.to }),
    name: `${attack_type} on ${protocol}`,
    description: `Traffic of the simulated attack ${attack_type} on ${protocol}`,
    indicator_types: ['malicious-activity'],
    pattern,
    pattern_type: 'stix',
    pattern_version: '2.1',
    valid_from: span.from,
  }
  const target: StixObject = {
    type: 'attack-pattern',
    id: ownId('attack-pattern', patternKey(first.incident)),
  }
  const sighting: StixObject = {
    ...own('sighting', `${session.id} ${key}`, { from: span.from, to: seen.to }),
    first_seen: seen.from,
    last_seen: seen.to,
    count: group.length,
    sighting_of_ref: indicator.id,
    observed_data_refs: group.map(({ data }) => data.id),
    where_sighted_refs: [identityId],
  }
  return [
    indicator,
    relate('indicates', indicator, target, { from: span.from, to: seen.to }),
    ...group.map(({ data }) =>
      relate('based-on', indicator, data, { from: String(data.created), to: String(data.modified) }),
    ),
    sighting,
  ]
}

/**
 * The pattern that matches the traffic of a group: its protocol, and the addresses that it came from or, when
 * those are unknown, went to. Undefined when no observation has traffic.
 */
function toPatternText(group: readonly Observed[]): string | undefined {
  const observed = group.find(({ traffic }) => traffic !== undefined)
  if (observed === undefined) return undefined
  const end = observed.traffic?.src_ref === undefined ? 'dst_ref' : 'src_ref'
  const ids = new Set(group.map(({ traffic }) => traffic?.[end]))
  const values = dedupe(group.flatMap(({ objects }) => objects))
    .filter(({ id }) => ids.has(id))
    .map(({ value }) => `'${String(value)}'`)
  const protocol = protocolsOf(observed.incident).at(-1) ?? 'unknown'
  const ports = new Set(group.map(({ incident }) => incident.dst_port))
  const [port] = ports
  const isOnePort = ports.size === 1 && port !== undefined
  return `[network-traffic:protocols[*] = '${protocol}'${
    isOnePort ? ` AND network-traffic:dst_port = ${port}` : ''
  } AND network-traffic:${end}.value IN (${values.join(', ')})]`
}
