/** Indicators: the pattern that matches the traffic of an attack on a protocol, and its sighting. */

import type { IncidentRecord } from '../types.ts'
import { patternKey } from './stix-attack-patterns.ts'
import { ownId } from './stix-id.ts'
import { identityId, ownObject, relate, type Span, type StixSession } from './stix-objects.ts'
import { dedupe, listLayers, type StixObject, toStixTime } from './stix-observables.ts'

/** One attacked incident with its observables and its observed data. */
export interface Observed {
  readonly incident: IncidentRecord
  readonly objects: readonly StixObject[]
  readonly data: StixObject
  readonly traffic: StixObject | undefined
}

/** One indicator for an attack type on a protocol, with the observations that it rests on. */
export function toIndicator(key: string, group: readonly Observed[], session: StixSession, span: Span): StixObject[] {
  const [first] = group
  if (first === undefined) return []
  const pattern = toPatternText(group)
  if (pattern === undefined) return []
  const times = group.map(({ incident }) => incident.timestamp)
  const seen = { from: toStixTime(Math.min(...times)), to: toStixTime(Math.max(...times)) }
  const known = { from: span.from, to: seen.to }
  const indicator: StixObject = {
    ...ownObject('indicator', `${session.id} ${key}`, known),
    ...describeIndicator(first.incident, pattern, span),
  }
  const target: StixObject = { type: 'attack-pattern', id: ownId('attack-pattern', patternKey(first.incident)) }
  const sighting: StixObject = {
    ...ownObject('sighting', `${session.id} ${key}`, known),
    ...describeSighting(indicator, group, seen),
  }
  return [
    indicator,
    relate('indicates', indicator, target, known),
    ...group.map(({ data }) =>
      relate('based-on', indicator, data, { from: String(data.created), to: String(data.modified) }),
    ),
    sighting,
  ]
}

function describeIndicator({ attack_type, protocol }: IncidentRecord, pattern: string, { from }: Span): object {
  return {
    name: `${attack_type} on ${protocol}`,
    description: `Traffic of the simulated attack ${attack_type} on ${protocol}`,
    indicator_types: ['malicious-activity'],
    pattern,
    pattern_type: 'stix',
    pattern_version: '2.1',
    valid_from: from,
  }
}

function describeSighting(indicator: StixObject, group: readonly Observed[], seen: Span): object {
  return {
    first_seen: seen.from,
    last_seen: seen.to,
    count: group.length,
    sighting_of_ref: indicator.id,
    observed_data_refs: group.map(({ data }) => data.id),
    where_sighted_refs: [identityId],
  }
}

/** The pattern of traffic: its protocol, and the addresses it came from or went to; undefined without traffic. */
function toPatternText(group: readonly Observed[]): string | undefined {
  const observed = group.find(({ traffic }) => traffic !== undefined)
  if (observed === undefined) return undefined
  const end = observed.traffic?.src_ref === undefined ? 'dst_ref' : 'src_ref'
  const ids = new Set(group.map(({ traffic }) => traffic?.[end]))
  const values = dedupe(group.flatMap(({ objects }) => objects))
    .filter(({ id }) => ids.has(id))
    .map(({ value }) => `'${String(value)}'`)
  const protocol = listLayers(observed.incident).at(-1) ?? 'unknown'
  const [port, ...others] = new Set(group.map(({ incident }) => incident.dst_port))
  const isOnePort = others.length === 0 && port !== undefined
  const terms = [
    `network-traffic:protocols[*] = '${protocol}'`,
    ...(isOnePort ? [`network-traffic:dst_port = ${port}`] : []),
    `network-traffic:${end}.value IN (${values.join(', ')})`,
  ]
  return `[${terms.join(' AND ')}]`
}
