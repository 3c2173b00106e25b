/** Attack patterns by ATT&CK technique, each with the course of action that mitigates it. */

import type { IncidentRecord, TechniqueRef } from '../types.ts'
import { catalogueSpan, ownObject, relate } from './stix-objects.ts'
import type { StixObject } from './stix-observables.ts'

/** Attacks of one technique share a pattern; attacks without one have one for their type. */
export function patternKey({ technique, attack_type }: IncidentRecord): string {
  return technique?.id ?? `type ${attack_type}`
}

/** Builds the attack pattern of an incident, its mitigation, and what joins both with the campaign. */
export function toAttackPattern(incident: IncidentRecord, campaign: StixObject): StixObject[] {
  const { technique, attack_type } = incident
  const pattern: StixObject = {
    ...ownObject('attack-pattern', patternKey(incident), catalogueSpan),
    name: technique?.name ?? (attack_type === '' ? 'Unnamed attack' : attack_type),
    ...(technique === undefined
      ? {}
      : {
          kill_chain_phases: [{ kill_chain_name: 'mitre-ics-attack', phase_name: technique.tactic }],
          external_references: toReferences(technique),
        }),
  }
  const span = { from: String(campaign.created), to: String(campaign.modified) }
  const action = toCourseOfAction(mitigationFor(technique))
  return [pattern, action, relate('uses', campaign, pattern, span), relate('mitigates', action, pattern, catalogueSpan)]
}

function toCourseOfAction({ id, name, description }: Mitigation): StixObject {
  const url = `https://attack.mitre.org/mitigations/${id}/`
  return {
    ...ownObject('course-of-action', id, catalogueSpan),
    name,
    description,
    external_references: [{ source_name: 'mitre-attack', external_id: id, url }],
  }
}

/** The current identifier with its page, then the one that it replaced where that differs. */
function toReferences({ id, legacy_id }: TechniqueRef): object[] {
  const source_name = 'mitre-attack'
  const url = `https://attack.mitre.org/techniques/${id.replace('.', '/')}/`
  const description = 'Identifier before version 19 of ATT&CK for ICS, revoked in favour of the current one.'
  const before = legacy_id === id || legacy_id === '' ? [] : [{ source_name, external_id: legacy_id, description }]
  return [{ source_name, external_id: id, url }, ...before]
}

/** A mitigation of ATT&CK for ICS. */
interface Mitigation {
  readonly id: string
  readonly name: string
  readonly description: string
}

const communicationAuthenticity: Mitigation = {
  id: 'M0802',
  name: 'Communication Authenticity',
  description: 'Authenticate messages between control centre and field devices, so that altered ones are refused.',
}

const outOfBand: Mitigation = {
  id: 'M0810',
  name: 'Out-of-Band Communications Channel',
  description: 'Keep a second path for commands and reports, so that blocking one does not blind the operator.',
}

/** Mitigations by technique, where authenticated messages do not help. */
const mitigations: Readonly<Record<string, Mitigation>> = {
  T0814: {
    id: 'M0815',
    name: 'Watchdog Timers',
    description: 'Let devices notice that they no longer answer, and restart into a safe state.',
  },
  'T1691.001': outOfBand,
  'T1691.002': outOfBand,
}

function mitigationFor(technique: TechniqueRef | undefined): Mitigation {
  return (technique === undefined ? undefined : mitigations[technique.id]) ?? communicationAuthenticity
}
