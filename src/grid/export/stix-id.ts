/** Identifiers of STIX objects that are the same at every export. */

import { canonicalJson, type ExactJson } from '../../base/canonical-json.ts'
import { uuidV5 } from '../../base/uuid.ts'

/** The namespace of cyber-observable objects (STIX 2.1 section 2.9). */
const observableNamespace = '00abedb4-aa42-466c-9c01-fed23315a9b7'

/** The namespace of our own objects: a version 5 UUID made once, from the DNS namespace and `sluice.grid.stix`. */
const ownNamespace = uuidV5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'sluice.grid.stix')

/** Names an observable by the properties that its type contributes. */
export function observableId(type: string, contributing: ExactJson): string {
  return `${type}--${uuidV5(observableNamespace, canonicalJson(contributing))}`
}

/** Names one of our own domain or relationship objects by a key that is unique within its type. */
export function ownId(type: string, key: string): string {
  return `${type}--${uuidV5(ownNamespace, `${type}:${key}`)}`
}
