/** The head of every STIX object of ours: its identifier, its creator and its times; and the objects that never change. */

import { ownId } from './stix-id.ts'
import type { StixObject } from './stix-observables.ts'

/** Identifier of the service, the creator of every object. */
export const identityId = ownId('identity', 'service')

/** The session that a bundle is about. */
export interface StixSession {
  readonly id: string
  /** Integer microseconds since the Unix epoch. */
  readonly startedUs: number
  /** Finds the frame of an incident by its number; undefined when it is not retained. */
  readonly frame?: (frameNo: number) => Uint8Array | undefined
}

/** From when to when, as STIX timestamps. */
export interface Span {
  readonly from: string
  readonly to: string
}

/** The time of the objects that never change: the catalogue's release, not the export's time. */
const catalogueTime = '2026-04-28T00:00:00.000Z'

/** The times of objects that never change. */
export const catalogueSpan: Span = { from: catalogueTime, to: catalogueTime }

/** The service itself. */
export const identity: StixObject = {
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

/** The definition of the extension that network traffic carries. */
export const extensionDefinition: StixObject = {
  ...ownObject('extension-definition', 'ics-frame', catalogueSpan),
  name: 'ICS frame modification',
  description: 'What happened to one telecontrol message: the incident, and the frame as sent and as received.',
  schema:
    'incident_id, attack_type, attack_id, incident_status, incident_severity, incident_description: strings. ' +
    'original_frame, modified_frame: the decoded frame as sent and as received, as JSON text with bytes in hex.',
  version: '1.0.0',
  extension_types: ['property-extension'],
}

/** The properties that every object of the simulation begins with; `key` is unique within the type. */
export function ownObject(type: string, key: string, { from, to }: Span): StixObject {
  return { type, spec_version: '2.1', id: ownId(type, key), created_by_ref: identityId, created: from, modified: to }
}

/** A relationship of a type between two objects. */
export function relate(type: string, source: StixObject, target: StixObject, span: Span): StixObject {
  return {
    ...ownObject('relationship', `${type} ${source.id} ${target.id}`, span),
    relationship_type: type,
    source_ref: source.id,
    target_ref: target.id,
  }
}
