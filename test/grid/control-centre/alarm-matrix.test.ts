/** The alarm matrix of the documentation: every attack is seen, and a clean day with pauses is quiet. */

import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { attacks } from '#grid/attacks/catalogue.ts'
import { detectors } from '#grid/control-centre/detection.ts'
import { residualLimit } from '#grid/estimation/bad-data.ts'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { meterPoints } from '#grid/telecontrol/meters.ts'
import { planTelecontrol } from '#grid/telecontrol/plan-telecontrol.ts'
import { formatMatrix, matrixSeconds, measureMatrix } from '../../support/alarm-matrix.ts'
import { runClean } from '../../support/clean-session.ts'
import { sweep } from '../../support/sweep.ts'

const page = new URL('../../../docs/grid.md', import.meta.url)
const meters = meterPoints(planTelecontrol(findCase('case14'))).length
const scanTests = ['chi_square', 'largest_residual']
const [begin, end] = ['<!-- alarm matrix -->', '<!-- /alarm matrix -->']

describe('the detectors', () => {
  // Simulates a minute, and from there a minute and a half for each attack.
  it('see every attack in its default form, as docs/grid.md lists', { timeout: 900_000 }, () => {
    const isWritten = process.env.UPDATE_MATRIX === '1'
    // The gate measures one attack of twelve, the soak all of them.
    const rows = measureMatrix(isWritten || sweep(12, 1) > 1 ? 1 : 12)
    expect(rows.filter(([, found]) => Object.keys(found).length === 0).map(([type]) => type)).toEqual([])
    const text = readFileSync(page, 'utf8')
    const written = text.slice(text.indexOf(begin), text.indexOf(end) + end.length)
    const table = formatMatrix(rows)
    if (isWritten)
      writeFileSync(
        page,
        text.replace(written, () => `${begin}\n\n${table}\n\n${end}`),
      )
    expect(written.split('\n'), 'write it anew with UPDATE_MATRIX=1').toEqual(
      isWritten ? expect.anything() : expect.arrayContaining(table.split('\n')),
    )
    expect(attacks.filter(({ type }) => !written.includes(`| ${type} |`)).map(({ type }) => type)).toEqual([])
    expect(text).toContain(`after ${matrixSeconds.before} s without one, ${matrixSeconds.attacked} s of each`)
  })

  it('are each explained in docs/grid.md', () => {
    const text = readFileSync(page, 'utf8')
    for (const [name, what] of Object.entries(detectors)) expect(text).toContain(`| \`${name}\` | ${what} |`)
  })

  // The gate runs a sixth of it. The whole day, as slow as it is, is a soak (`npm run soak -- clean-day`).
  it('are silent through the load of a day in half an hour, with three pauses, but for what G-D2 states', {
    timeout: 900_000,
  }, () => {
    const steps = sweep(18_000, 3_000)
    const { alarms, scans } = runClean(steps, 48, 1)
    const ofScans = alarms.filter(({ detector }) => scanTests.includes(detector))
    expect(alarms.filter(({ detector }) => !scanTests.includes(detector))).toEqual([])
    // 900 scans of the whole and two tests: more than one false alarm comes once in 6,000 such sessions.
    expect(ofScans.length).toBeLessThanOrEqual(1)
    // False alarms are too rare to count, so the whole distribution is tested: a skew between the meters, or noise
    // that they do not state, would move the mean of J by more than four of its standard errors.
    expect(scans).toHaveLength(steps / 20 - 1)
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
