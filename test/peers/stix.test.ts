/** Exported bundles, given to the OASIS validator. */

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { concatBytes } from '#base/bytes.ts'
import { encodeIncidentStix, encodeStix } from '#grid/export/stix.ts'
import type { Incident } from '#grid/types.ts'
import { makeFolder } from '../support/folder.ts'
import { attackedIncidents, incidentAt } from '../support/grid-incidents.ts'
import vectors from '../vectors/grid-stix.json' with { type: 'json' }

/** The validator by its command, or by the one that STIX2_VALIDATOR names. */
const validator = process.env.STIX2_VALIDATOR ?? 'stix2_validator'
const isThere = spawnSync(validator, ['--help']).status === 0
const reason = isThere
  ? ''
  : ' (skipped: stix2_validator is not installed; pip install stix2-validator==3.2.0: the 3.3.1 wheel lacks the schemas)'

const session = { id: '0f1e2d3c-0000-4000-8000-000000000001', startedUs: 1_795_190_400_000_000 }

/** Runs the validator on a file; its exit status is 0 for valid, 2 for invalid. */
function validate(bytes: Uint8Array | string): { readonly status: number | null; readonly output: string } {
  const folder = makeFolder(onTestFinished)
  const path = join(folder, 'bundle.json')
  writeFileSync(path, bytes)
  const { status, stdout, stderr } = spawnSync(validator, ['--version', '2.1', '--enforce-refs', path], {
    encoding: 'utf8',
  })
  return { status, output: stdout + stderr }
}

/**
 * Recommendations that we do not follow, by the validator's number: random ids (ours are the same at every export),
 * IANA names of protocols (it has none for GOOSE or synchrophasors), ports (Ethernet has none), hashes of web pages.
 */
const declined = ['103', '272', '301', '302']

function warningsIn(output: string): string[] {
  return [...output.matchAll(/\[!\] .*?\{(\d+)\}.*/g)]
    .filter(([, number = '']) => !declined.includes(number))
    .map(([line]) => line)
}

describe.skipIf(!isThere)(`the OASIS STIX validator${reason}`, () => {
  const frame = (frameNo: number) => new Uint8Array(60).fill(frameNo)
  it.each<[string, readonly Incident[]]>([
    ['attacked incidents of every shape', attackedIncidents],
    ['a session without attacks', [incidentAt(1)]],
    ['more than twenty incidents', Array.from({ length: 3 }, () => attackedIncidents).flat()],
  ])('accepts %s', (_, incidents) => {
    const { status, output } = validate(concatBytes(...encodeStix(incidents, { ...session, frame })))
    expect(output).not.toMatch(/\[X\]/)
    expect(warningsIn(output)).toEqual([])
    expect(status).toBe(0)
  })

  it.each(['attacked', 'dropped'] as const)('accepts one incident that was %s', (status) => {
    const incident = { ...attackedIncidents[0], ...incidentAt(1), status, attack_type: 'DROP' }
    const validated = validate(concatBytes(...encodeIncidentStix(incident, { ...session, frame })))
    expect(validated.output).not.toMatch(/\[X\]/)
    expect(warningsIn(validated.output)).toEqual([])
    expect(validated.status).toBe(0)
  })

  it('accepts the sample bundle and refuses it with a time that does not end in Z', () => {
    const sample = JSON.stringify(vectors.sample_bundle)
    expect(validate(sample).status).toBe(0)
    expect(validate(sample.replace('.123Z', '.123+00:00')).status).not.toBe(0)
  })
})
