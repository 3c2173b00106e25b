/** One attacked incident as it was on the wire, as STIX cyber-observable objects. */

import { encodeBase64 } from '../../base/base64.ts'
import { encodeUtf8 } from '../../base/utf8.ts'
import { type Protocol, protocols } from '../protocols/catalogue.ts'
import { decodeModified, decodeOriginal, showIncident } from '../records/evidence.ts'
import type { IncidentRecord } from '../types.ts'
import { observableId, ownId } from './stix-id.ts'

/** One STIX object; what else it holds depends on its type. */
export type StixObject = { readonly type: string; readonly id: string } & Readonly<Record<string, unknown>>

/** Identifier of the extension for fields that STIX does not define. */
export const frameExtensionId = ownId('extension-definition', 'ics-frame')

/** Frames up to this size go into the bundle as artifacts. */
const largestArtifact = 2048

/** The observables of one incident: everything to refer to, and the traffic itself when an address is known. */
export interface Observables {
  readonly objects: readonly StixObject[]
  readonly traffic?: StixObject
}

/** Makes a STIX timestamp with milliseconds from Unix seconds. */
export function toStixTime(timestamp: number): string {
  // Seconds in a double times 1000 may lie just below a whole millisecond.
  return new Date(Math.floor(timestamp * 1000 + 1e-4)).toISOString()
}

const protocolsByName: ReadonlyMap<string, Protocol> = new Map(Object.entries(protocols))

/** Lists the names of the layers that carried an incident, outermost first. */
export function listLayers(incident: IncidentRecord): string[] {
  // A protocol of an outside simulator is not in the table.
  const name =
    protocolsByName.get(incident.protocol)?.stixName ?? incident.protocol.toLowerCase().replace(/[^a-z0-9._-]/g, '-')
  if (name === 'goose' || name === 'arp') return ['ethernet', name]
  const carrier = incident.src_port === udpPort || incident.dst_port === udpPort ? 'udp' : 'tcp'
  return [...new Set(['ipv4', carrier, name === '' ? 'unknown' : name])]
}

const udpPort = protocols['C37.118'].ports.udp

/**
 * Builds the observables of one incident, with its frame where that is retained. An incident without addresses becomes
 * an artifact: observed data must refer to an object.
 */
export function toObservables(incident: IncidentRecord, frame: Uint8Array | undefined): Observables {
  const source = toAddress(incident.src_ip)
  const destination = toAddress(incident.dst_ip)
  const payload =
    frame !== undefined && frame.length > 0 && frame.length <= largestArtifact ? toArtifact(frame) : undefined
  const parts = [source, destination, payload].filter((object) => object !== undefined)
  if (source === undefined && destination === undefined) {
    return { objects: payload === undefined ? [toArtifact(encodeUtf8(JSON.stringify(showIncident(incident))))] : parts }
  }
  const traffic = toTraffic(incident, source, destination, payload)
  return { objects: [...dedupe(parts), traffic], traffic }
}

/** Keeps the first object of each id. */
export function dedupe(objects: readonly StixObject[]): StixObject[] {
  return [...new Map(objects.map((object) => [object.id, object])).values()]
}

function toAddress(text: string | undefined): StixObject | undefined {
  if (text === undefined) return undefined
  const isIpv4 = /^(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(text)
  const isMac = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i.test(text)
  if (!isIpv4 && !isMac) return undefined
  const type = isIpv4 ? 'ipv4-addr' : 'mac-addr'
  const value = text.toLowerCase()
  return { type, spec_version: '2.1', id: observableId(type, { value }), value }
}

function toArtifact(bytes: Uint8Array): StixObject {
  const payload_bin = encodeBase64(bytes)
  const id = observableId('artifact', { payload_bin })
  return { type: 'artifact', spec_version: '2.1', id, mime_type: 'application/octet-stream', payload_bin }
}

function toTraffic(
  incident: IncidentRecord,
  source: StixObject | undefined,
  destination: StixObject | undefined,
  payload: StixObject | undefined,
): StixObject {
  const time = toStixTime(incident.timestamp)
  const contributing = {
    start: time,
    end: time,
    src_ref: source?.id,
    dst_ref: destination?.id,
    src_port: incident.src_port,
    dst_port: incident.dst_port,
    protocols: listLayers(incident),
    extensions: { [frameExtensionId]: toExtension(incident) },
  }
  return {
    type: 'network-traffic',
    spec_version: '2.1',
    id: observableId('network-traffic', contributing),
    ...contributing,
    is_active: false,
    src_packets: 1,
    src_payload_ref: payload?.id,
  }
}

/** Frames go in as JSON text: their keys are free-form, while STIX restricts the names of properties. */
function toExtension(incident: IncidentRecord) {
  const [original, modified] = [decodeOriginal(incident), decodeModified(incident)]
  return {
    extension_type: 'property-extension',
    incident_id: incident.id,
    attack_type: incident.attack_type,
    attack_id: incident.attack_id,
    incident_status: incident.status,
    incident_severity: incident.severity,
    incident_description: incident.description === '' ? undefined : incident.description,
    original_frame: original === undefined ? undefined : JSON.stringify(original),
    modified_frame: modified === undefined ? undefined : JSON.stringify(modified),
  }
}
