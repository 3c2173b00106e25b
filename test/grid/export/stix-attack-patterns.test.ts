/** Attack patterns: one for each technique, with both of its names and the mitigation that helps against it. */

import { describe, expect, it } from 'vitest'
import { patternKey, toAttackPattern } from '#grid/export/stix-attack-patterns.ts'
import type { IncidentRecord, TechniqueRef } from '#grid/types.ts'
import { incidentAt } from '../../support/grid-incidents.ts'
import { must } from '../../support/must.ts'

const campaign = {
  type: 'campaign',
  id: 'campaign--1',
  created: '2026-11-20T16:00:00.000Z',
  modified: '2026-11-20T16:00:05.000Z',
}

const technique = (id: string, legacy_id: string): TechniqueRef => ({
  id,
  legacy_id,
  name: 'Name',
  tactic: 'inhibit-response-function',
})

/** An attacked incident, with a technique where one is given. */
function attacked(attack_type: string, of?: TechniqueRef): IncidentRecord {
  return incidentAt(1, { attack_type, status: 'attacked', ...(of === undefined ? {} : { technique: of }) })
}

const build = (incident: IncidentRecord) => toAttackPattern(incident, campaign)

describe('patternKey()', () => {
  it('is the technique, and the type of an attack without one', () => {
    expect(patternKey(attacked('NOISE', technique('T0814', 'T0814')))).toBe('T0814')
    expect(patternKey(attacked('LAB_TEST'))).toBe('type LAB_TEST')
  })
})

describe('toAttackPattern()', () => {
  it('joins campaign, pattern and mitigation', () => {
    const [pattern, action, uses, mitigates] = build(attacked('X', technique('T0814', 'T0814')))
    expect(uses).toMatchObject({
      relationship_type: 'uses',
      source_ref: 'campaign--1',
      target_ref: pattern?.id,
      created: campaign.created,
      modified: campaign.modified,
    })
    expect(mitigates).toMatchObject({ relationship_type: 'mitigates', source_ref: action?.id, target_ref: pattern?.id })
    expect(pattern).toMatchObject({
      name: 'Name',
      kill_chain_phases: [{ kill_chain_name: 'mitre-ics-attack', phase_name: 'inhibit-response-function' }],
    })
  })

  it('names a technique with its page, and its former identifier where that differs', () => {
    const references = (of: TechniqueRef) => build(attacked('X', of))[0]?.external_references
    expect(references(technique('T0814', 'T0814'))).toEqual([
      { source_name: 'mitre-attack', external_id: 'T0814', url: 'https://attack.mitre.org/techniques/T0814/' },
    ])
    expect(references(technique('T1692.002', 'T0856'))).toMatchObject([
      { external_id: 'T1692.002', url: 'https://attack.mitre.org/techniques/T1692/002/' },
      { external_id: 'T0856' },
    ])
    expect(references(technique('T0814', ''))).toHaveLength(1)
  })

  it.each([
    ['T0814', 'M0815'],
    ['T1691.001', 'M0810'],
    ['T1691.002', 'M0810'],
    ['T1692.001', 'M0802'],
  ])('mitigates %s by %s', (id, mitigation) => {
    const action = must(build(attacked('X', technique(id, id)))[1])
    expect(action.external_references).toMatchObject([
      { external_id: mitigation, url: `https://attack.mitre.org/mitigations/${mitigation}/` },
    ])
  })

  it('has a name where there is neither technique nor type', () => {
    const [pattern] = build(attacked(''))
    expect(pattern?.name).toBe('Unnamed attack')
    expect(pattern).not.toHaveProperty('kill_chain_phases')
    expect(pattern).not.toHaveProperty('external_references')
  })
})
