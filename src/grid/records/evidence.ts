/** What an attack did to a message: both forms as octets, decoded only when somebody reads an incident or a label. */

import type { JsonObject } from '../../base/json.ts'
import type { C37118Configuration } from '../protocols/c37118.ts'
import type { MessageProtocol } from '../protocols/catalogue.ts'
import { listChanges, readMessage } from '../telecontrol/message.ts'
import type { FieldChange, Incident, PacketLabel, TechniqueRef } from '../types.ts'

/** How the octets of a message are read; one for all messages of a kind. */
export interface Reading {
  readonly protocol: MessageProtocol
  /** Whether a client sent it: Modbus requests and responses lie differently. */
  readonly isRequest: boolean
  /** How the values of a phasor data frame lie. */
  readonly configuration?: C37118Configuration
}

/** Both forms of a message as octets; null for the one that does not exist. */
export interface Evidence {
  readonly reading: Reading
  /** As it was sent; null for forged messages. */
  readonly original: Uint8Array | null
  /** As it arrived; null for dropped messages. */
  readonly modified: Uint8Array | null
}

const plainReadings = new Map<string, Reading>()
const phasorReadings = new WeakMap<C37118Configuration, Reading>()

/** The reading of a kind of messages: the same value each time, so that thousands of messages share it. */
export function readingOf(
  protocol: MessageProtocol,
  isRequest: boolean,
  configuration: C37118Configuration | undefined,
): Reading {
  if (configuration !== undefined) {
    const known = phasorReadings.get(configuration) ?? { protocol, isRequest: false, configuration }
    phasorReadings.set(configuration, known)
    return known
  }
  const name = isRequest ? `${protocol} request` : protocol
  const known = plainReadings.get(name) ?? { protocol, isRequest }
  plainReadings.set(name, known)
  return known
}

function decodeForm({ reading }: Evidence, octets: Uint8Array | null): JsonObject | undefined {
  return octets === null
    ? undefined
    : readMessage(reading.protocol, reading.isRequest, octets, reading.configuration)
}

/** The fields that an attack changed; none where a form is missing or both are the same octets. */
function listEvidence(evidence: Evidence): readonly FieldChange[] {
  const { original, modified } = evidence
  if (original === null || modified === null || original === modified) return []
  // Both frames of a message stand next to each other in a capture, and their labels share the evidence.
  if (latest?.evidence !== evidence) {
    const changes = listChanges(decodeForm(evidence, original) ?? {}, decodeForm(evidence, modified) ?? {})
    latest = { evidence, changes }
  }
  return latest.changes
}

/** The changes that were read last. */
let latest: { readonly evidence: Evidence; readonly changes: readonly FieldChange[] } | undefined

/** A label that keeps octets in the place of the changes that they show. */
interface HeldLabel extends Omit<PacketLabel, 'changes'> {
  readonly evidence: Evidence
}

/**
 * What labels inherit: their changes, decoded anew at each reading, and their JSON with them.
 *
 * A capture holds 20,000 labels with up to 64 changes each; decoded they would take most of an isolate's memory.
 */
const heldLabel: ThisType<HeldLabel> = {
  get changes() {
    return listEvidence(this.evidence)
  },
  toJSON() {
    const { attack_id, attack_type, technique, evidence } = this
    return { attack_id, attack_type, technique, changes: listEvidence(evidence) }
  },
}

/** Makes a label whose changes are decoded when somebody reads them. */
export function holdLabel(
  attack_id: string,
  attack_type: string,
  technique: TechniqueRef | null,
  evidence: Evidence,
): PacketLabel {
  const label = { __proto__: heldLabel, attack_id, attack_type, technique, evidence }
  // The prototype has the one field that is missing.
  return label as unknown as PacketLabel
}

/** The octets behind a label or an incident; undefined where the decoded form itself is kept. */
export function evidenceOf(record: Incident | PacketLabel): Evidence | undefined {
  // Nobody else gives records a field of this name with another meaning.
  return (record as { readonly evidence?: Evidence }).evidence
}

/** An incident that keeps octets in the place of the messages that they hold. */
interface HeldIncident extends Incident {
  readonly evidence: Evidence
}

function toShownIncident(incident: HeldIncident): Record<string, unknown> {
  const shown: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(incident)) {
    if (name !== 'evidence') shown[name] = value
    else {
      const original = decodeForm(incident.evidence, incident.evidence.original)
      const modified = decodeForm(incident.evidence, incident.evidence.modified)
      if (original !== undefined) shown.original_val = original
      if (modified !== undefined) shown.modified_val = modified
    }
  }
  return shown
}

const original: PropertyDescriptor & ThisType<HeldIncident> = {
  get() {
    return decodeForm(this.evidence, this.evidence.original)
  },
}
const modified: PropertyDescriptor & ThisType<HeldIncident> = {
  get() {
    return decodeForm(this.evidence, this.evidence.modified)
  },
}
const toJSON: PropertyDescriptor & ThisType<HeldIncident> = {
  value() {
    return toShownIncident(this)
  },
}

/** What incidents inherit, by the forms of the message that they have. */
const heldIncident = {
  both: Object.create(null, { original_val: original, modified_val: modified, toJSON }),
  original: Object.create(null, { original_val: original, toJSON }),
  modified: Object.create(null, { modified_val: modified, toJSON }),
}

/** What an incident inherits, so that `original_val` and `modified_val` are decoded when somebody reads them. */
export function heldIncidentOf(evidence: Evidence): object {
  if (evidence.modified === null) return heldIncident.original
  return evidence.original === null ? heldIncident.modified : heldIncident.both
}
