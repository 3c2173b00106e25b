import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import { chiSquareLimit } from '#grid/estimation/bad-data.ts'
import { evaluateMeasurements, type Measurement, nameMeasurement } from '#grid/estimation/measurements.ts'
import { type Estimate, estimateState } from '#grid/estimation/state-estimation.ts'
import { caseNames, findCase } from '#grid/network/cases/catalogue.ts'
import { type Network, openBranches } from '#grid/network/network.ts'
import { solvePowerFlow } from '#grid/power-flow/power-flow.ts'
import type { VoltageProfile } from '#grid/power-flow/voltage-profile.ts'
import { fullMeasurementSet } from '../../support/grid-measurements.ts'
import { sweep } from '../../support/sweep.ts'
import { twoBusNetwork } from '../../support/two-bus-network.ts'
import vectors from '../../vectors/grid-state-estimation.json' with { type: 'json' }

const network = findCase('case14')
const points = fullMeasurementSet(network)
const degrees = 180 / Math.PI
const golden: readonly Measurement[] = points.map((point, index) => ({
  ...point,
  value: vectors.measurements[index]?.z ?? Number.NaN,
}))

function measure(grid: Network, profile: VoltageProfile, noise?: ReturnType<typeof createRandom>): Measurement[] {
  const set = fullMeasurementSet(grid)
  const exact = evaluateMeasurements(grid, set, profile)
  return set.map((point, index) => ({ ...point, value: (exact[index] ?? 0) + (noise?.normal(0, point.sigma) ?? 0) }))
}

/** Estimates a state; undefined where the meters do not determine it. */
function tryEstimate(grid: Network, scan: readonly Measurement[], removals: number): Estimate | undefined {
  try {
    return estimateState(grid, scan, { removals })
  } catch (error) {
    expect(error).toMatchObject({ code: 'not_observable' })
    return undefined
  }
}

const expectState = (estimate: Estimate, expected: { vm: number[]; va_deg: number[] }): void => {
  expected.vm.forEach((vm, bus) => {
    expect(estimate.vmPu[bus]).toBeCloseTo(vm, 6)
    expect((estimate.vaRad[bus] ?? 0) * degrees).toBeCloseTo(expected.va_deg[bus] ?? 0, 4)
  })
}

describe('estimateState() of the golden case14 scan', () => {
  it('has the order, names and sigmas of the reference set', () => {
    expect(points).toHaveLength(vectors.m)
    points.forEach((point, index) => {
      const { name, sigma } = vectors.measurements[index] ?? {}
      expect([nameMeasurement(network, point), point.sigma]).toEqual([name, sigma])
    })
  })

  it('fits noise with the reference J, state and largest normalised residual', () => {
    const estimate = estimateState(network, golden)
    const { J, max_normalised_residual, max_normalised_residual_name } = vectors.noise_only
    expect(estimate.objective).toBeCloseTo(J, 5)
    expect(estimate.largest?.normalizedResidual).toBeCloseTo(max_normalised_residual, 5)
    expect(estimate.largest?.name).toBe(max_normalised_residual_name)
    expect(estimate).toMatchObject({ degreesOfFreedom: 55, detected: false, removed: [], converged: true })
    expectState(estimate, vectors.noise_only)
  })

  it('finds the wrong meter, removes it and is content with the rest', () => {
    const { gross_error: wrong, gross_error_after_removal: after } = vectors
    const bad = golden.map((m, index) => (index === wrong.bad_index ? { ...m, value: m.value + wrong.added_pu } : m))
    const detected = estimateState(network, bad, { removals: 0 })
    expect(detected.objective).toBeCloseTo(wrong.J, 4)
    expect(detected.detected).toBe(true)
    expectState(detected, wrong)
    const cleaned = estimateState(network, bad)
    expect(cleaned.firstObjective).toBeCloseTo(wrong.J, 4)
    expect(cleaned.removed.map(({ name }) => name)).toEqual([wrong.bad_name])
    expect(cleaned.removed[0]?.normalizedResidual).toBeCloseTo(wrong.max_normalised_residual, 4)
    expect(cleaned.objective).toBeCloseTo(after.J, 5)
    expect(cleaned.degreesOfFreedom).toBe(after.dof)
    expect(cleaned.largest?.name).toBe(after.name)
    expect(cleaned.largest?.normalizedResidual).toBeCloseTo(after.max_normalised_residual, 5)
  })
})

describe('chiSquareLimit()', () => {
  it.each(Object.entries(vectors.chi_square_095_099))('of %s degrees is near the exact value', (dof, exact) => {
    const near = Number(dof) >= 20 ? 0.03 : 0.1
    expect(Math.abs(chiSquareLimit(Number(dof), 0.95) - (exact[0] ?? 0))).toBeLessThan(near)
    expect(Math.abs(chiSquareLimit(Number(dof), 0.99) - (exact[1] ?? 0))).toBeLessThan(near)
  })

  it.each(caseNames)('and the dimensions of %s are those of the reference', (name) => {
    const grid = findCase(name)
    const [m, n, dof, limit95 = 0, limit99 = 0] = vectors.dimensions[name]
    const estimate = estimateState(grid, measure(grid, solvePowerFlow(grid)))
    expect(fullMeasurementSet(grid)).toHaveLength(m ?? 0)
    expect(2 * grid.buses.length - 1).toBe(n)
    expect(estimate.degreesOfFreedom).toBe(dof)
    expect(Math.abs(estimate.chiSquareLimit - limit95)).toBeLessThan(0.04)
    expect(Math.abs(chiSquareLimit(dof ?? 0, 0.99) - limit99)).toBeLessThan(0.04)
  })
})

describe('estimateState()', () => {
  it.each(caseNames)('recovers the true state of %s from exact measurements', (name) => {
    const grid = findCase(name)
    const truth = solvePowerFlow(grid)
    const estimate = estimateState(grid, measure(grid, truth))
    expect(estimate.objective).toBeLessThan(1e-8)
    truth.vmPu.forEach((vm, bus) => {
      expect(estimate.vmPu[bus]).toBeCloseTo(vm, 7)
      expect(estimate.vaRad[bus]).toBeCloseTo(truth.vaRad[bus] ?? 0, 7)
    })
  })

  it('recovers both halves of a split grid and leaves dead buses at zero', () => {
    const split = openBranches(findCase('case39'), new Set([20, 42, 43, 44, 45, 34]))
    const truth = solvePowerFlow(split)
    expect(truth.islands.length).toBeGreaterThan(1)
    const estimate = estimateState(split, measure(split, truth))
    truth.vmPu.forEach((vm, bus) => {
      expect(estimate.vmPu[bus]).toBeCloseTo(vm, 7)
    })
  })

  it('has a mean J of its degrees of freedom and the false alarms that 95 % promises', () => {
    const truth = solvePowerFlow(network)
    const random = createRandom(1, 'meters')
    let sum = 0
    let alarms = 0
    const count = sweep(400, 200)
    for (let scan = 0; scan < count; scan++) {
      const estimate = estimateState(network, measure(network, truth, random), { start: truth, removals: 0 })
      sum += estimate.objective
      if (estimate.objective > estimate.chiSquareLimit) alarms += 1
    }
    expect(Math.abs(sum / count - 55)).toBeLessThan(2)
    expect(alarms / count).toBeGreaterThan(0.02)
    expect(alarms / count).toBeLessThan(0.09)
  })

  it.each([
    ['case9', sweep(400, 100)],
    ['case14', sweep(400, 100)],
    ['case30', sweep(100)],
    ['case39', sweep(100)],
    ['case118', sweep(40, 10)],
  ] as const)('takes a meter out of at most one clean scan of %s in a hundred', (name, scans) => {
    const grid = findCase(name)
    const truth = solvePowerFlow(grid)
    const random = createRandom(5, name)
    let scansWithRemovals = 0
    for (let scan = 0; scan < scans; scan++) {
      const { removed } = estimateState(grid, measure(grid, truth, random), { start: truth })
      if (removed.length > 0) scansWithRemovals += 1
    }
    expect(scansWithRemovals / scans).toBeLessThanOrEqual(0.01)
  })

  it.each(['case9', 'case14', 'case30', 'case39', 'case118'] as const)(
    'finds one meter of %s that is wrong by twenty deviations, and takes out that one only',
    (name) => {
      const grid = findCase(name)
      const truth = solvePowerFlow(grid)
      const random = createRandom(6, name)
      const scans = name === 'case118' ? sweep(20, 5) : sweep(60)
      let right = 0
      for (let scan = 0; scan < scans; scan++) {
        const good = measure(grid, truth, random)
        const at = random.integer(0, good.length - 1)
        const bad = good.map((m, index) => (index === at ? { ...m, value: m.value + 20 * m.sigma } : m))
        const { removed } = estimateState(grid, bad, { start: truth })
        if (removed.length === 1 && removed[0]?.index === at) right += 1
      }
      expect(right / scans).toBeGreaterThanOrEqual(0.95)
    },
  )

  it('finds a meter of case118 whose error leaves J within its limit', () => {
    const grid = findCase('case118')
    const truth = solvePowerFlow(grid)
    const exact = measure(grid, truth)
    const at = exact.findIndex((m) => nameMeasurement(grid, m) === 'Pflow_8-5')
    const bad = exact.map((m, index) => (index === at ? { ...m, value: m.value + 12 * m.sigma } : m))
    const estimate = estimateState(grid, bad, { start: truth })
    expect(estimate.firstObjective).toBeLessThan(chiSquareLimit(491))
    expect(estimate.detected).toBe(true)
    expect(estimate.removed.map(({ index }) => index)).toEqual([at])
  })

  it('agrees with residual variances found one by one: a normalised residual is that of a perturbed fit', () => {
    // Omega_ii / R_ii is the sensitivity of a residual to its own measurement.
    const base = estimateState(network, golden, { removals: 0 })
    for (const index of [3, 20, 35, 44, 70]) {
      const step = 1e-5
      const moved = golden.map((m, at) => (at === index ? { ...m, value: m.value + step } : m))
      const after = estimateState(network, moved, { removals: 0, start: base })
      const residual = (estimate: Estimate, set: readonly Measurement[]): number =>
        (set[index]?.value ?? 0) - (estimate.estimated[index] ?? 0)
      const sensitivity = (residual(after, moved) - residual(base, golden)) / step
      const expected = Math.abs(residual(base, golden)) / ((golden[index]?.sigma ?? 0) * Math.sqrt(sensitivity))
      // The gain matrix of Gauss and Newton leaves curvature out, which a perturbation sees.
      expect((base.normalizedResiduals[index] ?? 0) / expected).toBeCloseTo(1, 1)
    }
  })

  it('uses angles of PMUs and flows at the far side', () => {
    const truth = solvePowerFlow(network)
    const set = [
      ...fullMeasurementSet(network),
      { kind: 'angle', bus: 9, sigma: 0.001 } as const,
      { kind: 'p_flow', branch: 9, side: 'to', sigma: 0.008 } as const,
    ]
    const exact = evaluateMeasurements(network, set, truth)
    expect(exact.at(-1)).toBeCloseTo((truth.branches[8]?.toMw ?? 0) / 100, 9)
    expect(nameMeasurement(network, set[83] ?? set[0] ?? { kind: 'v', bus: 1, sigma: 1 })).toBe('Pflow_9-4')
    const estimate = estimateState(
      network,
      set.map((point, index) => ({ ...point, value: exact[index] ?? 0 })),
    )
    expect(estimate.objective).toBeLessThan(1e-8)
  })

  it('refuses a grid without enough meters as not observable', () => {
    const exact = measure(network, solvePowerFlow(network))
    const few = exact.filter((m) => m.kind === 'v')
    expect(() => estimateState(network, few)).toThrow(expect.objectContaining({ code: 'not_observable' }))
    const withoutBus8 = exact.filter((m) => ('branch' in m ? m.branch !== 14 : m.bus !== 8 && m.bus !== 7))
    expect(() => estimateState(network, withoutBus8)).toThrow(expect.objectContaining({ code: 'not_observable' }))
    expect(() => estimateState(network, [])).toThrow(expect.objectContaining({ code: 'not_observable' }))
  })

  it('keeps the fit of before a removal where the rest has none: false data cannot silence it', () => {
    const grid = findCase('case9')
    const exact = measure(grid, solvePowerFlow(grid))
    let stopped = 0
    for (let seed = 1; seed <= sweep(400, 40); seed++) {
      const random = createRandom(seed, 'false data')
      const some = exact.filter(() => random.uniform() < 0.7)
      const lies = new Set(Array.from({ length: 3 }, () => random.integer(0, some.length - 1)))
      const scan = some.map((m, at) => (lies.has(at) ? { ...m, value: m.value + random.normal(0, 10) } : m))
      const fits = tryEstimate(grid, scan, 0)
      if (fits?.converged !== true) continue
      const estimate = tryEstimate(grid, scan, 5)
      expect([estimate?.converged, estimate?.detected], `seed ${seed}`).toEqual([true, true])
      if (estimate !== undefined && estimate.removed.length < 5) stopped += 1
    }
    expect(stopped).toBeGreaterThan(0)
  })

  it.each([
    // 10 pu more at Qflow_7-8 fit by least squares, with 0.57 pu at the bus behind it: the meters there are blamed.
    [10, 81],
    [-10, 82],
    [100, 82],
    [-100, 82],
    [1e3, 82],
    [-1e6, 82],
    [3e38, 82],
    [-3e38, 82],
  ])('detects whichever meter of case14 is wrong by %d pu, and takes it out for %d of 82', (error, expected) => {
    const truth = solvePowerFlow(network)
    const found = golden.filter((_, at) => {
      const bad = golden.map((m, index) => (index === at ? { ...m, value: m.value + error } : m))
      const estimate = estimateState(network, bad, at % 2 === 0 ? { start: truth } : {})
      expect([estimate.converged, estimate.detected], `meter ${at}`).toEqual([true, true])
      return estimate.removed.some(({ index }) => index === at)
    })
    expect(found).toHaveLength(expected)
  })

  it('gives the fit of least squares without the absurd meters', () => {
    const wrong = new Set([4, 20, 47, 60, 81])
    const scan = golden.map((m, index) => (wrong.has(index) ? { ...m, value: (index - 50) * 1e5 } : m))
    const estimate = estimateState(network, scan)
    expect(new Set(estimate.removed.map(({ index }) => index))).toEqual(wrong)
    const rest = estimateState(
      network,
      golden.filter((_, index) => !wrong.has(index)),
    )
    expect(estimate.objective).toBeCloseTo(rest.objective, 9)
    expect(estimate.firstObjective).toBeGreaterThan(1e12)
    expectState(estimate, { vm: [...rest.vmPu], va_deg: rest.vaRad.map((va) => va * degrees) })
  })

  it('gives the robust fit where more meters are absurd than it may take out', () => {
    const truth = solvePowerFlow(network)
    const scan = measure(network, truth).map((m, index) => (index % 14 === 3 ? { ...m, value: 1e6 } : m))
    const estimate = estimateState(network, scan)
    expect([estimate.converged, estimate.detected, estimate.removed.length]).toEqual([true, true, 5])
    truth.vmPu.forEach((vm, bus) => {
      expect(Math.abs((estimate.vmPu[bus] ?? 0) - vm)).toBeLessThan(0.02)
    })
  })

  it('names the meter that is farthest from the start, and holds the start, where nothing fits', () => {
    const truth = solvePowerFlow(network)
    const scan = measure(network, truth).map((m, index) => ({ ...m, value: index === 33 ? 1e9 : 1e6 * (index - 40) }))
    const estimate = estimateState(network, scan, { start: truth })
    expect(estimate).toMatchObject({ converged: false, detected: true, removed: [], largest: { index: 33 } })
    expect(estimate.vmPu).toEqual(truth.vmPu)
    expect(estimate.firstObjective).toBeGreaterThan(estimate.chiSquareLimit)
  })

  it('detects an absurd value of a critical meter, and names it', () => {
    const critical: readonly Measurement[] = [
      { kind: 'v', bus: 1, sigma: 0.01, value: 1 },
      { kind: 'v', bus: 2, sigma: 0.01, value: 1 },
      { kind: 'p_flow', branch: 1, side: 'from', sigma: 0.01, value: 1e6 },
    ]
    const estimate = estimateState(twoBusNetwork, critical)
    expect(estimate).toMatchObject({ converged: false, detected: true, removed: [], largest: { name: 'Pflow_1-2' } })
    expect(estimate.vmPu).toEqual([1, 1])
  })

  it('does not take the meters for too few where the iteration goes astray', () => {
    const grid = findCase('case9')
    const scan = measure(grid, solvePowerFlow(grid)).map((m, at) => (at === 17 ? { ...m, value: m.value + 100 } : m))
    expect(estimateState(grid, scan).removed.map(({ name }) => name)).toEqual(['Pinj_9'])
  })

  it('does not take the meters for too few where the start is absurd', () => {
    const truth = solvePowerFlow(network)
    const start = { vmPu: truth.vmPu.with(7, 1e9), vaRad: truth.vaRad }
    const estimate = estimateState(network, measure(network, truth), { start })
    expect([estimate.converged, estimate.detected]).toEqual([true, false])
    expectState(estimate, { vm: [...truth.vmPu], va_deg: truth.vaRad.map((va) => va * degrees) })
  })

  it('never returns NaN, for any values of the meters', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 82, maxLength: 82 }),
        (values) => {
          const wild = golden.map((m, index) => ({ ...m, value: values[index] ?? 0 }))
          let estimate: Estimate
          try {
            estimate = estimateState(network, wild)
          } catch (error) {
            expect(error).toMatchObject({ code: 'not_observable' })
            return
          }
          for (const value of [...estimate.vmPu, ...estimate.vaRad, estimate.objective]) {
            expect(Number.isFinite(value)).toBe(true)
          }
        },
      ),
      { seed: 2, numRuns: 30 },
    )
  })

  it.each([
    ['a value that is not a number', { value: Number.NaN, sigma: 0.01 }, 'invalid_request'],
    ['an infinite value', { value: Infinity, sigma: 0.01 }, 'invalid_request'],
    ['a sigma of zero', { value: 1, sigma: 0 }, 'invalid_request'],
  ])('refuses %s', (_, change, code) => {
    const bad = golden.map((m, index) => (index === 5 ? { ...m, ...change } : m))
    expect(() => estimateState(network, bad)).toThrow(expect.objectContaining({ code }))
  })

  it('refuses points that do not exist', () => {
    expect(() => estimateState(network, [{ kind: 'v', bus: 99, value: 1, sigma: 1 }])).toThrow(
      expect.objectContaining({ code: 'invalid_case' }),
    )
    expect(() => estimateState(network, [{ kind: 'p_flow', branch: 99, side: 'from', value: 1, sigma: 1 }])).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    )
  })
})
