/** The alarm matrix of the documentation: every attack is seen, and a clean day with pauses is quiet. */

import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { detectors } from '../../src/grid/detection.ts'
import { formatMatrix, matrixSeconds, measureMatrix, runClean } from '../support/alarm-matrix.ts'

const page = new URL('../../docs/grid.md', import.meta.url)
const scanTests = ['chi_square', 'largest_residual']
const [begin, end] = ['<!-- alarm matrix -->', '<!-- /alarm matrix -->']

describe('the detectors', () => {
  // Simulates 17 times four minutes; half a minute on a quiet machine.
  it('see every attack in its default form, as docs/grid.md says', { timeout: 600_000 }, () => {
    const rows = measureMatrix()
    expect(rows.filter(([, found]) => Object.keys(found).length === 0).map(([type]) => type)).toEqual([])
    const text = readFileSync(page, 'utf8')
    const table = `${begin}\n\n${formatMatrix(rows)}\n\n${end}`
    const written = text.slice(text.indexOf(begin), text.indexOf(end) + end.length)
    if (process.env.UPDATE_MATRIX === '1')
      writeFileSync(
        page,
        text.replace(written, () => table),
      )
    else expect(written, 'write it anew with UPDATE_MATRIX=1').toBe(table)
    expect(text).toContain(`after ${matrixSeconds.before} s without one, ${matrixSeconds.attacked} s of each`)
  })

  it('are each explained in docs/grid.md', () => {
    const text = readFileSync(page, 'utf8')
    for (const [name, what] of Object.entries(detectors)) expect(text).toContain(`| \`${name}\` | ${what} |`)
  })

  // 36,000 steps: a day's load in an hour. The whole day is a soak (`npm run soak -- clean-day`).
  it('are silent through the load of a day in an hour, with three pauses, but for what G-D2 states', {
    timeout: 600_000,
  }, () => {
    const alarms = runClean(36_000, 24, 1)
    const ofScans = alarms.filter(({ detector }) => scanTests.includes(detector))
    expect(alarms.filter(({ detector }) => !scanTests.includes(detector))).toEqual([])
    // 1,800 scans and two tests: more than one false alarm comes once in 1,500 hours.
    expect(ofScans.length).toBeLessThanOrEqual(1)
  })
})
