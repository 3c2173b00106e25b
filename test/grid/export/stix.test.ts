import { describe, expect, it } from 'vitest'
import { concatBytes } from '#base/bytes.ts'
import { decodeUtf8 } from '#base/utf8.ts'
import { encodeIncidentStix, encodeStix } from '#grid/export/stix.ts'
import type { Incident } from '#grid/types.ts'
import { attackedIncidents, incidentAt } from '../../support/grid-incidents.ts'

type Json = Readonly<Record<string, unknown>>

const session = { id: '0f1e2d3c-0000-4000-8000-000000000001', startedUs: 1_795_190_400_000_000 }

function textOf(incidents: readonly Incident[], extra: object = {}): string {
  return decodeUtf8(concatBytes(...encodeStix(incidents, { ...session, ...extra })))
}

function objectsOf(incidents: readonly Incident[], extra: object = {}): readonly Json[] {
  const bundle: { readonly objects: readonly Json[] } = JSON.parse(textOf(incidents, extra))
  return bundle.objects
}

function ofType(objects: readonly Json[], type: string): readonly Json[] {
  return objects.filter((object) => object.type === type)
}

/** Every value under a key that ends in `_ref` or `_refs`, at any depth. */
function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => {
    if (/_refs?$/.test(key)) return [item].flat().map(String)
    return referencesIn(item)
  })
}

/** Every empty text, list or dictionary, by its path. */
function emptiesIn(value: unknown, path = ''): string[] {
  if (value === '') return [path]
  if (typeof value !== 'object' || value === null) return []
  const entries = Object.entries(value)
  return entries.length === 0 ? [path] : entries.flatMap(([key, item]) => emptiesIn(item, `${path}/${key}`))
}

describe('encodeStix()', () => {
  it('writes a bundle of which every reference resolves', () => {
    const objects = objectsOf(attackedIncidents)
    const ids = new Set(objects.map(({ id }) => id))
    expect(ids.size).toBe(objects.length)
    const references = objects.flatMap(referencesIn)
    expect(references.length).toBeGreaterThan(50)
    expect(references.filter((reference) => !ids.has(reference))).toEqual([])
  })

  it('holds no empty value and times with milliseconds and Z', () => {
    const objects = objectsOf(attackedIncidents)
    expect(objects.flatMap((object) => emptiesIn(object, String(object.id)))).toEqual([])
    for (const object of objects) {
      for (const [key, value] of Object.entries(object)) {
        if (!/^(created|modified|first_|last_|start|end|valid_from)/.test(key) || key.endsWith('_ref')) continue
        expect(value, key).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      }
      if (object.created !== undefined) expect(String(object.modified) >= String(object.created)).toBe(true)
    }
  })

  it('observes the latest 20 attacked incidents and nothing else', () => {
    const many = Array.from({ length: 60 }, (_, second) =>
      incidentAt(second, second % 2 === 0 ? { status: 'attacked', attack_type: 'SCALE' } : { status: 'dropped' }),
    )
    const observed = ofType(objectsOf(many), 'observed-data')
    expect(observed).toHaveLength(20)
    expect(observed[0]?.first_observed).toBe('2026-11-20T16:00:20.123Z')
    expect(observed.at(-1)?.last_observed).toBe('2026-11-20T16:00:58.123Z')
  })

  it('refers to observables instead of embedding them', () => {
    for (const data of ofType(objectsOf(attackedIncidents), 'observed-data')) {
      expect(data).not.toHaveProperty('objects')
      expect(data.object_refs).not.toEqual([])
    }
  })

  it('names techniques by their current and their legacy identifier', () => {
    const patterns = ofType(objectsOf(attackedIncidents), 'attack-pattern')
    const ids = patterns.map(({ external_references: references }) =>
      [references ?? []].flat().map((reference) => (reference as Json).external_id),
    )
    expect(ids).toEqual([['T1692.002', 'T0856'], ['T1692.001', 'T0855'], []])
  })

  it('writes indicators that match what was observed', () => {
    const patterns = ofType(objectsOf(attackedIncidents), 'indicator').map(({ pattern }) => pattern)
    expect(patterns).toEqual([
      "[network-traffic:protocols[*] = 'synphasor' AND network-traffic:dst_port = 4713 AND network-traffic:src_ref.value IN ('10.20.3.2', '10.20.3.6')]",
      "[network-traffic:protocols[*] = 'iec104' AND network-traffic:dst_port = 2404 AND network-traffic:src_ref.value IN ('10.20.9.66')]",
      "[network-traffic:protocols[*] = 'dnp3' AND network-traffic:dst_port = 20000 AND network-traffic:src_ref.value IN ('10.20.9.67')]",
      "[network-traffic:protocols[*] = 'goose' AND network-traffic:src_ref.value IN ('02:66:66:66:66:66')]",
    ])
  })

  it('carries the frame as an artifact while it is retained', () => {
    const frame = (frameNo: number) => (frameNo === 2 ? Uint8Array.of(5, 100) : undefined)
    const [artifact] = ofType(objectsOf(attackedIncidents.slice(0, 1), { frame }), 'artifact')
    expect(artifact?.payload_bin).toBe('BWQ=')
  })

  it('gives the same bytes for the same incidents, and the same ids for those that stay', () => {
    expect(textOf(attackedIncidents)).toBe(textOf(attackedIncidents))
    const before = new Set(objectsOf(attackedIncidents).map(({ id }) => id))
    const after = objectsOf([...attackedIncidents, incidentAt(9, { status: 'attacked', attack_type: 'SCALE' })])
    expect([...before].filter((id) => !after.some((object) => object.id === id))).toEqual([])
  })

  it('is a bundle even when nothing was attacked', () => {
    expect(objectsOf([incidentAt(1)]).map(({ type }) => type)).toEqual(['identity', 'extension-definition', 'campaign'])
  })
})

describe('encodeIncidentStix()', () => {
  const [attacked = incidentAt(0), ...others] = attackedIncidents
  const bundleOf = (incident: Incident): readonly Json[] =>
    JSON.parse(decodeUtf8(concatBytes(...encodeIncidentStix(incident, session)))).objects

  it('observes the incident and nothing else, with the ids that it has in the bundle of the session', () => {
    const ids = new Set(objectsOf([attacked, ...others]).map(({ id }) => id))
    const objects = bundleOf(attacked)
    expect(ofType(objects, 'observed-data')).toHaveLength(1)
    expect(ofType(objects, 'attack-pattern')).toHaveLength(1)
    expect(objects.filter(({ id }) => !ids.has(id))).toEqual([])
  })

  it('observes a message that was dropped too, and nothing of a clean one', () => {
    const dropped = { ...attacked, status: 'dropped', attack_type: 'DROP' } as const
    expect(ofType(bundleOf(dropped), 'observed-data')).toHaveLength(1)
    expect(ofType(bundleOf(incidentAt(1)), 'observed-data')).toEqual([])
  })
})
