/** Assessments of a scan: which fit is taken, and which measurement is worst. */

import { describe, expect, it } from 'vitest'
import { assessLeastSquares, assessRobustly, ifObservable } from '#grid/estimation/assess-fit.ts'
import { prepareFit } from '#grid/estimation/fit-problem.ts'
import { evaluateMeasurements } from '#grid/estimation/measurements.ts'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { solvePowerFlow } from '#grid/power-flow/power-flow.ts'
import { fullMeasurementSet } from '../../support/grid-measurements.ts'

const network = findCase('case14')
const truth = solvePowerFlow(network)
const points = fullMeasurementSet(network)
const exact = evaluateMeasurements(network, points, truth)

/** A scan of exact values, but for one meter. */
function scanWith(at: number, error: number, count = points.length) {
  const measurements = points
    .slice(0, count)
    .map((point, index) => ({ ...point, value: (exact[index] ?? 0) + (index === at ? error : 0) }))
  return { problem: prepareFit(network, measurements), measurements }
}

const suspect = { index: 30, name: 'Qinj_3', normalizedResidual: 1e5 }

describe('assessLeastSquares()', () => {
  it('ranks the residuals of the fit', () => {
    const assessment = assessLeastSquares(scanWith(30, 0.5), [], truth)
    expect(assessment).toMatchObject({
      fit: { converged: true },
      used: 82,
      degreesOfFreedom: 55,
      largest: { index: 30 },
    })
  })

  it('is undefined for a value that nothing fits, until that is out', () => {
    expect(assessLeastSquares(scanWith(30, 1e6), [], truth)).toBeUndefined()
    const without = assessLeastSquares(scanWith(30, 1e6), [suspect], truth)
    expect(without?.fit.objective).toBeLessThan(1e-9)
    expect(without).toMatchObject({ used: 81, removed: [suspect] })
  })

  it('is undefined for too few meters', () => {
    expect(assessLeastSquares(scanWith(0, 0, 14), [])).toBeUndefined()
  })
})

describe('assessRobustly()', () => {
  it.each([truth, undefined])('finds the meter whose value nothing fits', (start) => {
    const { fit, largest } = assessRobustly(scanWith(30, 1e6), [], start)
    expect([fit.converged, largest?.index, largest?.name]).toEqual([true, 30, 'Qinj_3'])
  })

  it('refuses too few meters', () => {
    const few = scanWith(0, 0, 14)
    expect(() => assessRobustly(few, [])).toThrow(expect.objectContaining({ code: 'not_observable' }))
    expect(ifObservable(() => assessRobustly(few, []))).toBeUndefined()
  })
})

describe('ifObservable()', () => {
  it('lets every other error pass', () => {
    expect(() =>
      ifObservable(() => {
        throw new RangeError('other')
      }),
    ).toThrow('other')
  })
})
