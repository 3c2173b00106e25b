import { describe, expect, it } from 'vitest'
import type { Measurement } from '#grid/estimation/measurements.ts'
import { estimateState } from '#grid/estimation/state-estimation.ts'
import { designStealth, type FalseDatum, type StealthTarget } from '#grid/estimation/stealth.ts'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { solvePowerFlow } from '#grid/power-flow/power-flow.ts'
import { estimateDcState } from '#grid/studies/dc-state-estimation.ts'
import { fullMeasurementSet } from '../../support/grid-measurements.ts'
import vectors from '../../vectors/grid-state-estimation.json' with { type: 'json' }

const network = findCase('case14')
const points = fullMeasurementSet(network)
const golden: readonly Measurement[] = points.map((point, index) => ({
  ...point,
  value: vectors.measurements[index]?.z ?? Number.NaN,
}))
const clean = estimateState(network, golden)
const truth = solvePowerFlow(network)
const degrees = 180 / Math.PI
const target: StealthTarget = { bus: 14, angleShiftDeg: -5, vmShiftPu: -0.03, model: 'ac' }

function inject(measurements: readonly Measurement[], data: readonly FalseDatum[]): Measurement[] {
  const offsets = new Map(data.map(({ index, offset }) => [index, offset]))
  return measurements.map((m, index) => ({ ...m, value: m.value + (offsets.get(index) ?? 0) }))
}

describe('designStealth() with the AC model', () => {
  const data = designStealth(network, points, clean, target)

  it('changes the eleven meters of the reference by its amounts', () => {
    const { attack } = vectors.stealth_ac
    expect(data.map(({ index, name }) => [index, name])).toEqual(attack.map(({ index, name }) => [index, name]))
    attack.forEach(({ a }, at) => {
      expect(data[at]?.offset).toBeCloseTo(a, 7)
    })
  })

  it('moves the estimate and leaves J and the largest residual as they were', () => {
    const { J, max_normalised_residual, estimated_shift_va_deg, estimated_shift_vm } = vectors.stealth_ac
    const estimate = estimateState(network, inject(golden, data))
    expect(estimate.objective).toBeCloseTo(J, 5)
    expect(estimate.largest?.normalizedResidual).toBeCloseTo(max_normalised_residual, 5)
    expect(estimate.detected).toBe(false)
    expect(Math.abs(estimate.objective - clean.objective)).toBeLessThan(0.1)
    expect(((estimate.vaRad[13] ?? 0) - (clean.vaRad[13] ?? 0)) * degrees).toBeCloseTo(estimated_shift_va_deg, 4)
    expect((estimate.vmPu[13] ?? 0) - (clean.vmPu[13] ?? 0)).toBeCloseTo(estimated_shift_vm, 6)
  })

  it('is found at the one meter that the attacker missed', () => {
    const missing = vectors.stealth_ac_missing_Pflow_9_14
    const partial = inject(
      golden,
      data.filter(({ name }) => name !== 'Pflow_9-14'),
    )
    const estimate = estimateState(network, partial, { removals: 0 })
    expect(estimate.objective).toBeCloseTo(missing.J, 2)
    expect(estimate.largest?.name).toBe(missing.max_normalised_residual_name)
    expect(estimate.largest?.normalizedResidual).toBeCloseTo(missing.max_normalised_residual, 3)
    expect(estimate.detected).toBe(true)
  })

  it('controls fewer meters with less coverage, which gives it away', () => {
    const some = designStealth(network, points, clean, { ...target, coverage: 0.5 })
    expect(some).toHaveLength(6)
    expect(estimateState(network, inject(golden, some)).detected).toBe(true)
    expect(designStealth(network, points, clean, { ...target, coverage: 0 })).toEqual([])
  })

  it('controls no meter more where the product of share and number is rounded up', () => {
    // 0.28 of 25 is 7.000000000000001 as doubles.
    const needed = designStealth(network, points, clean, target).flatMap(({ index }) => points[index] ?? [])
    const many = [...needed, ...needed, ...needed].slice(0, 25)
    expect(designStealth(network, many, clean, { ...target, coverage: 0.28 })).toHaveLength(7)
    expect(designStealth(network, many, clean, { ...target, coverage: 0.281 })).toHaveLength(8)
  })

  it('fools the estimator at every bus but the reference', () => {
    for (const { id } of network.buses.slice(1)) {
      const moved = designStealth(network, points, clean, { ...target, bus: id, angleShiftDeg: -2 })
      const estimate = estimateState(network, inject(golden, moved), { removals: 0 })
      expect(Math.abs(estimate.objective - clean.objective)).toBeLessThan(0.1)
    }
  })

  it.each([
    [{ angleShiftDeg: Number.NaN }, 'invalid_attack_params'],
    [{ coverage: 1.5 }, 'invalid_attack_params'],
    [{ bus: 15 }, 'invalid_case'],
  ])('refuses %o with %s', (change, code) => {
    expect(() => designStealth(network, points, truth, { ...target, ...change })).toThrow(
      expect.objectContaining({ code }),
    )
  })
})

describe('designStealth() with the DC model', () => {
  it.each(vectors.dc_designed_against_ac_estimator)('of $c14_rad rad gives J $J', (vector) => {
    const data = designStealth(network, points, truth, {
      ...target,
      angleShiftDeg: vector.c14_rad * degrees,
      model: 'dc',
    })
    const estimate = estimateState(network, inject(golden, data), { removals: 0 })
    expect(estimate.objective).toBeCloseTo(vector.J, 3)
    expect(estimate.largest?.normalizedResidual).toBeCloseTo(vector.max_normalised_residual, 3)
    expect(estimate.largest?.name).toBe(vector.name)
    const shift = ((estimate.vaRad[13] ?? 0) - (clean.vaRad[13] ?? 0)) * degrees
    expect(shift).toBeCloseTo(vector.shift_va_deg, 3)
  })
})

describe('estimateDcState()', () => {
  const { dc_classic: classic } = vectors
  const dcPoints = points.filter(({ kind }) => kind === 'p_injection' || kind === 'p_flow')
  const scan = dcPoints.map((point, index) => ({ ...point, value: classic.z[index] ?? Number.NaN }))

  it('fits the classic scan with its angles and J', () => {
    const estimate = estimateDcState(network, scan)
    expect(estimate.objective).toBeCloseTo(classic.J, 3)
    expect(estimate.degreesOfFreedom).toBe(21)
    classic.theta_hat_rad.forEach((theta, index) => {
      expect(estimate.vaRad[index + 1]).toBeCloseTo(theta, 5)
    })
  })

  it('does not detect a = H c: the same J, another angle', () => {
    const data = designStealth(network, dcPoints, truth, {
      ...target,
      angleShiftDeg: classic.c_rad['14'] * degrees,
      model: 'dc',
    })
    const offsets = new Map(data.map(({ index, offset }) => [index, offset]))
    classic.a.forEach((a, index) => {
      expect(offsets.get(index) ?? 0).toBeCloseTo(a, 7)
    })
    const before = estimateDcState(network, scan)
    const after = estimateDcState(network, inject(scan, data))
    expect(after.objective).toBeCloseTo(before.objective, 9)
    expect(after.vaRad[13]).toBeCloseTo(classic.theta14_after, 5)
  })

  it('refuses a grid without enough meters as not observable', () => {
    expect(() => estimateDcState(network, scan.slice(0, 5))).toThrow(
      expect.objectContaining({ code: 'not_observable' }),
    )
  })
})
