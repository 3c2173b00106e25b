/** The latest attacked incidents as a STIX 2.1 bundle. */

import { groupBy } from '../../base/group-by.ts'
import type { IncidentRecord } from '../types.ts'
import { inTextChunks } from './chunk.ts'
import { patternKey, toAttackPattern } from './stix-attack-patterns.ts'
import { ownId } from './stix-id.ts'
import { type Observed, toIndicator } from './stix-indicators.ts'
import { extensionDefinition, identity, ownObject, type Span, type StixSession } from './stix-objects.ts'
import { dedupe, type StixObject, toObservables, toStixTime } from './stix-observables.ts'

/** Most incidents in a bundle. */
const mostIncidents = 20

/**
 * Yields a bundle of STIX 2.1 as UTF-8 JSON in chunks: identity, extension, campaign; an attack pattern and a course of
 * action for each technique; an indicator with a sighting for each type and protocol; the latest 20 incidents that were
 * attacked.
 */
export function encodeStix(incidents: readonly IncidentRecord[], session: StixSession): Generator<Uint8Array> {
  const latest = incidents.filter(({ status }) => status === 'attacked').slice(-mostIncidents)
  return inTextChunks(text(toStixObjects(latest, session)))
}

/** Yields a bundle about one incident, dropped or attacked; about a clean message it holds the session only. */
export function encodeIncidentStix(incident: IncidentRecord, session: StixSession): Generator<Uint8Array> {
  return inTextChunks(text(toStixObjects(incident.status === 'clean' ? [] : [incident], session)))
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

/** Builds the objects of a bundle about these incidents; every reference in them resolves within them. */
function toStixObjects(attacked: readonly IncidentRecord[], session: StixSession): readonly StixObject[] {
  const observed = attacked.map((incident) => observe(incident, session))
  const span = findSpan(attacked, session)
  const campaign = toCampaign(session, span)
  const groups = groupBy(observed, ({ incident }) => `${incident.attack_type} ${incident.protocol}`)
  const patterns = groupBy(observed, ({ incident }) => patternKey(incident))
  return dedupe([
    identity,
    extensionDefinition,
    campaign,
    ...[...patterns.values()].flatMap(([first]) =>
      first === undefined ? [] : toAttackPattern(first.incident, campaign),
    ),
    ...observed.flatMap(({ objects, data }) => [...objects, data]),
    ...[...groups.entries()].flatMap(([key, group]) => toIndicator(key, group, session, span)),
  ])
}

function findSpan(incidents: readonly IncidentRecord[], session: StixSession): Span {
  const times = [session.startedUs / 1e6, ...incidents.map(({ timestamp }) => timestamp)]
  return { from: toStixTime(Math.min(...times)), to: toStixTime(Math.max(...times)) }
}

function toCampaign(session: StixSession, span: Span): StixObject {
  return {
    ...ownObject('campaign', session.id, span),
    name: `Simulation session ${session.id}`,
    first_seen: span.from,
    last_seen: span.to,
  }
}

function observe(incident: IncidentRecord, session: StixSession): Observed {
  const frame = incident.frame_no === undefined ? undefined : session.frame?.(incident.frame_no)
  const { objects, traffic } = toObservables(incident, frame)
  const time = toStixTime(incident.timestamp)
  const data: StixObject = {
    ...ownObject('observed-data', `${session.id} ${incident.id} ${incident.timestamp}`, { from: time, to: time }),
    first_observed: time,
    last_observed: time,
    number_observed: 1,
    object_refs: objects.map(({ id }) => id),
  }
  return { incident, objects, data, traffic }
}
