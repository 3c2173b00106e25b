/** Evidence of an attack on a message: both forms as octets, decoded only when read: a capture has 20,000 labels. */

import type { JsonObject } from '../../base/json.ts'
import { memo, memoBounded } from '../../base/memo.ts'
import type { C37118Configuration } from '../protocols/c37118-configuration.ts'
import type { MessageProtocol } from '../protocols/catalogue.ts'
import { listChanges, readMessage } from '../telecontrol/message.ts'
import type { Evidence, FieldChange, Incident, IncidentRecord, PacketLabel, Reading } from '../types.ts'

/** More than there are protocols. */
const mostProtocols = 32

const plainReadings = memoBounded(mostProtocols, (protocol: MessageProtocol): { request: Reading; answer: Reading } => {
  return { request: { protocol, isRequest: true }, answer: { protocol, isRequest: false } }
})
const phasorReading = memo(
  (configuration: C37118Configuration): Reading => ({ protocol: 'C37.118', isRequest: false, configuration }),
)

/** Finds the reading of a kind of messages: the same value each time, so that thousands of messages share it. */
export function findReading(
  protocol: MessageProtocol,
  isRequest: boolean,
  configuration: C37118Configuration | undefined,
): Reading {
  if (configuration !== undefined) return phasorReading(configuration)
  return plainReadings(protocol)[isRequest ? 'request' : 'answer']
}

/** Decodes the message of an incident as it was sent; undefined for forged messages and clean ones. */
export function decodeOriginal({ evidence, original_val }: IncidentRecord): JsonObject | undefined {
  return evidence === undefined ? original_val : decodeForm(evidence, evidence.original)
}

/** Decodes the message of an incident as it was received; undefined for dropped messages and clean ones. */
export function decodeModified({ evidence, modified_val }: IncidentRecord): JsonObject | undefined {
  return evidence === undefined ? modified_val : decodeForm(evidence, evidence.modified)
}

/** An incident as clients read it: instead of the evidence, both forms of its message, decoded. */
export function showIncident(record: IncidentRecord): Incident {
  const { evidence } = record
  const shown: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(record)) {
    if (name !== 'evidence') shown[name] = value
    else if (evidence !== undefined) {
      const [original, modified] = [decodeOriginal(record), decodeModified(record)]
      if (original !== undefined) shown.original_val = original
      if (modified !== undefined) shown.modified_val = modified
    }
  }
  // The fields of the record without its evidence, and the two that an incident has in its place.
  return shown as unknown as Incident
}

/** Finds the fields that an attack changed; none where a form is missing or both are the same octets. */
export function findChanges({ evidence, changes = [] }: PacketLabel): readonly FieldChange[] {
  if (evidence === undefined) return changes
  const { original, modified } = evidence
  if (original === null || modified === null || original === modified) return []
  return listChanges(decodeForm(evidence, original) ?? {}, decodeForm(evidence, modified) ?? {})
}

/** Lists the fields that an attack changed, as `findChanges` does. */
export type ChangeReader = (label: PacketLabel) => readonly FieldChange[]

/** Makes a reader of changes that remembers the last ones: both frames of a message share the evidence. */
export function openChangeReader(): ChangeReader {
  let last: { readonly evidence: Evidence | undefined; readonly changes: readonly FieldChange[] } | undefined
  return (label) => {
    const { evidence } = label
    if (evidence === undefined || last?.evidence !== evidence) last = { evidence, changes: findChanges(label) }
    return last.changes
  }
}

function decodeForm({ reading }: Evidence, octets: Uint8Array | null): JsonObject | undefined {
  if (octets === null) return undefined
  return readMessage(reading.protocol, reading.isRequest, octets, reading.configuration)
}
