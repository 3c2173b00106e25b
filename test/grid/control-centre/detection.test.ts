/** The reference detectors: silent for honest meters, loud with evidence for the rest. */

import { describe, expect, it } from 'vitest'
import type { EstimateView } from '#grid/contract/grid.ts'
import {
  reportMisfit,
  testAngles,
  testEstimate,
  testFrequencies,
  testNominal,
  testPhasors,
} from '#grid/control-centre/detection.ts'
import type { PhasorView } from '#grid/control-centre/view.ts'
import { estimateView, phasorView } from '../../support/phasor-view.ts'

const intervalUs = 200_000

const next = (change: Partial<PhasorView> = {}) =>
  phasorView({ measuredUs: 1_200_000, arrivedUs: 1_202_000, fingerprint: 'bb', ...change })

const kinds = (findings: readonly { readonly detector: string }[]) => findings.map(({ detector }) => detector)

describe('testPhasors()', () => {
  it('finds nothing in two honest frames, nor in the first one', () => {
    expect(testPhasors('PMU-1', phasorView(), next(), { intervalUs })).toEqual([])
    expect(testPhasors('PMU-1', undefined, phasorView(), { intervalUs })).toEqual([])
  })

  it.each([
    ['late', { arrivedUs: 1_300_000 }],
    ['missing', { measuredUs: 1_600_000, arrivedUs: 1_602_000 }],
    ['sequence', { measuredUs: 900_000, arrivedUs: 902_000 }],
    ['stale', { fingerprint: 'aa' }],
    ['step', { phasors: [{ magnitudePu: 1.03, angleRad: 0 }] }],
  ])('finds %s', (detector, change) => {
    const findings = testPhasors('PMU-1', phasorView(), next(change), { intervalUs })
    expect(kinds(findings)).toEqual([detector])
    expect(Object.keys(findings[0]?.evidence ?? {}).length).toBeGreaterThan(0)
  })

  it('counts the frames that are missing', () => {
    const [finding] = testPhasors('PMU-1', phasorView(), next({ measuredUs: 2_000_000, arrivedUs: 2_002_000 }), {
      intervalUs,
    })
    expect(finding?.evidence).toMatchObject({ missing: 4 })
  })
})

describe('testFrequencies()', () => {
  it('points at the unit that disagrees with the median, and at none where two cannot decide', () => {
    const liar = phasorView({ frequencyHz: 59.9 })
    expect(testFrequencies({ a: phasorView(), b: phasorView(), c: liar }).map(({ where }) => where)).toEqual(['c'])
    expect(testFrequencies({ a: phasorView(), b: liar })).toEqual([])
  })

  it('leaves dead buses out', () => {
    const dead = phasorView({ frequencyHz: 0.002, phasors: [{ magnitudePu: 0.003, angleRad: 1 }] })
    expect(testFrequencies({ a: phasorView(), b: phasorView(), c: phasorView(), d: dead })).toEqual([])
  })
})

describe('testNominal()', () => {
  it('finds a frequency beyond half a hertz of nominal, and none at a dead bus', () => {
    expect(testNominal('a', phasorView({ frequencyHz: 60.5 }), 60)).toEqual([])
    expect(kinds(testNominal('a', phasorView({ frequencyHz: 60.51 }), 60))).toEqual(['off_nominal'])
    expect(kinds(testNominal('a', phasorView({ frequencyHz: 59.4 }), 60))).toEqual(['off_nominal'])
    const dead = phasorView({ frequencyHz: 0.002, phasors: [{ magnitudePu: 0.003, angleRad: 1 }] })
    expect(testNominal('a', dead, 60)).toEqual([])
    expect(testNominal('a', phasorView({ frequencyHz: 50.4 }), 50)).toEqual([])
  })
})

describe('testAngles()', () => {
  const unit = (name: string, measured: number, estimated = 0) => ({ unit: name, measured, estimated })

  it('takes the rotation that all units share for nothing, across the wrap too', () => {
    const turned = Math.PI - 0.001
    expect(testAngles([unit('a', turned), unit('b', turned), unit('c', -Math.PI + 0.001)])).toEqual([])
  })

  it('points at the unit that is off', () => {
    const findings = testAngles([unit('a', 0.5), unit('b', 0.5), unit('c', 0.6), unit('d', 0.5)])
    expect(findings.map(({ where }) => where)).toEqual(['c'])
    expect(findings[0]?.evidence.off_deg).toBeCloseTo(5.7296, 3)
  })
})

describe('testEstimate()', () => {
  const estimate: EstimateView = {
    timestamp: 0,
    objective: 200,
    threshold: 80,
    degreesOfFreedom: 59,
    suspicious: true,
    largest: { name: 'V_9', residual: 12 },
    removed: ['V_9'],
    vmPu: [],
    vaRad: [],
  }

  it('reports J with its limit, and the meter that was removed', () => {
    const findings = testEstimate(estimate)
    expect(kinds(findings)).toEqual(['chi_square', 'largest_residual'])
    expect(findings[0]?.text).toBe('J is 200.0 for 59 degrees of freedom, limit 80.0')
    expect(findings[1]?.where).toBe('V_9')
  })

  it('is silent below the limit', () => {
    expect(testEstimate({ ...estimate, suspicious: false, removed: [] })).toEqual([])
  })
})

describe('reportMisfit()', () => {
  it('reports J where the fit began, and the meter that is farthest off', () => {
    const largest = { name: 'Qinj_5', residual: 2.5e5 }
    const state = { objective: 123_456_789, threshold: 117.45, degreesOfFreedom: 59, suspicious: true, largest }
    expect(reportMisfit(estimateView(state))).toEqual({
      detector: 'chi_square',
      where: 'state estimation',
      text: 'no state fits the meters: where the fit begins J is 1.235e+8, limit 117.5, and Qinj_5 is farthest off',
      evidence: { j: 123_457_000, limit: 117.45, degrees_of_freedom: 59, meter: 'Qinj_5', residual: 250_000 },
    })
  })
})
