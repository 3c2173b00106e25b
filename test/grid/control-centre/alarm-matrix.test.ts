/** The alarm matrix of the documentation: every attack is seen, and a clean day with pauses is quiet. */

import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { detectors } from '#grid/control-centre/detection.ts'
import { residualLimit } from '#grid/estimation/bad-data.ts'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { meterPoints } from '#grid/telecontrol/meters.ts'
import { planTelecontrol } from '#grid/telecontrol/telecontrol.ts'
import { formatMatrix, matrixSeconds, measureMatrix, runClean } from '../../support/alarm-matrix.ts'

const page = new URL('../../../docs/grid.md', import.meta.url)
const meters = meterPoints(planTelecontrol(findCase('case14'))).length
const scanTests = ['chi_square', 'largest_residual']
const [begin, end] = ['<!-- alarm matrix -->', '<!-- /alarm matrix -->']

describe('the detectors', () => {
  // Simulates a minute, and from there a minute and a half for each attack.
  it('see every attack in its default form, as docs/grid.md says', { timeout: 900_000 }, () => {
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

  // 18,000 steps: a day's load in half an hour. The whole day is a soak (`npm run soak -- clean-day`).
  it('are silent through the load of a day in half an hour, with three pauses, but for what G-D2 states', {
    timeout: 900_000,
  }, () => {
    const { alarms, scans } = runClean(18_000, 48, 1)
    const ofScans = alarms.filter(({ detector }) => scanTests.includes(detector))
    expect(alarms.filter(({ detector }) => !scanTests.includes(detector))).toEqual([])
    // 900 scans and two tests: more than one false alarm comes once in 6,000 such sessions.
    expect(ofScans.length).toBeLessThanOrEqual(1)
    // False alarms are too rare to count, so the whole distribution is tested: a skew between the meters, or noise
    // that they do not state, would move the mean of J by more than four of its standard errors.
    expect(scans).toHaveLength(899)
    const degrees = scans[0]?.degreesOfFreedom ?? 0
    const mean = scans.reduce((sum, { objective }) => sum + objective, 0) / scans.length
    expect(Math.abs(mean - degrees)).toBeLessThan(4 * Math.sqrt((2 * degrees) / scans.length))
    // One scan in a hundred passes the limit of 99 %, and the spread of such a count is its root.
    const limit = residualLimit(meters, 0.99)
    const expected = scans.length / 100
    const beyond = scans.filter(({ residual }) => residual > limit).length
    expect(Math.abs(beyond - expected)).toBeLessThan(4 * Math.sqrt(expected))
  })
})
