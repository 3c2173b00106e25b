import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { branchAdmittance, planGrid, sumAdmittance } from '../../src/grid/admittance.ts'
import { caseNames, findCase } from '../../src/grid/cases/catalogue.ts'
import { findIslands } from '../../src/grid/islands.ts'
import { factorDense, solveDense } from '../../src/grid/linear-algebra/dense-lu.ts'
import {
  expandPattern,
  factorSparse,
  invertInPattern,
  planElimination,
  solveSparse,
  toDense,
  toPattern,
} from '../../src/grid/linear-algebra/sparse-lu.ts'
import { maxMagnitude } from '../../src/grid/linear-algebra/vector.ts'
import { openBranches } from '../../src/grid/network.ts'

/** A random graph with its matrix: dominant on the diagonal, so that it can be factored without pivoting. */
const matrices = fc
  .record({
    size: fc.integer({ min: 1, max: 14 }),
    width: fc.constantFrom(1, 2),
    edges: fc.array(fc.tuple(fc.nat(13), fc.nat(13)), { maxLength: 30 }),
    values: fc.infiniteStream(fc.double({ min: -1, max: 1, noNaN: true })),
  })
  .map(({ size, width, edges, values }) => {
    const neighbours = Array.from({ length: size }, () => new Set<number>())
    for (const [left, right] of edges) {
      if (left >= size || right >= size || left === right) continue
      neighbours[left]?.add(right)
      neighbours[right]?.add(left)
    }
    const blocks = toPattern(neighbours)
    const pattern = expandPattern(blocks, width)
    const slots = Float64Array.from(pattern.columns, () => values.next().value ?? 0)
    for (let row = 0; row < pattern.size; row++) {
      for (let slot = pattern.rowStart[row] ?? 0; slot < (pattern.rowStart[row + 1] ?? 0); slot++) {
        if (pattern.columns[slot] === row) slots[slot] = 40 + (slots[slot] ?? 0)
      }
    }
    const right = Float64Array.from({ length: pattern.size }, () => values.next().value ?? 0)
    return { blocks, width, pattern, slots, right }
  })

describe('factorSparse() and solveSparse()', () => {
  it('solve what the dense method solves, for any pattern and block width', () => {
    fc.assert(
      fc.property(matrices, ({ blocks, width, pattern, slots, right }) => {
        const factors = factorSparse(planElimination(blocks, width), slots)
        const dense = factorDense(toDense(pattern, slots), pattern.size)
        if (factors === undefined || dense === undefined) throw new Error('neither matrix is singular')
        const difference = solveSparse(factors, right).map(
          (x, index) => x - (solveDense(dense, right)[index] ?? 0),
        )
        expect(maxMagnitude(difference)).toBeLessThan(1e-12)
      }),
      { seed: 1, numRuns: 300 },
    )
  })

  it('refuse a singular matrix and one with NaN', () => {
    const plan = planElimination(toPattern([new Set([1]), new Set([0])]), 1)
    expect(factorSparse(plan, Float64Array.of(1, 2, 2, 4))).toBeUndefined()
    expect(factorSparse(plan, Float64Array.of(1, 2, 2, Number.NaN))).toBeUndefined()
    expect(factorDense(Float64Array.of(1, 2, 2, 4), 2)).toBeUndefined()
    expect(factorDense(Float64Array.of(1, 2, 2, Number.NaN), 2)).toBeUndefined()
  })
})

describe('factorDense()', () => {
  it('exchanges rows where a pivot is zero, which the sparse method cannot', () => {
    const matrix = Float64Array.of(0, 1, 1, 0)
    const plan = planElimination(toPattern([new Set([1]), new Set([0])]), 1)
    expect(factorSparse(plan, matrix)).toBeUndefined()
    const factors = factorDense(matrix, 2)
    expect(factors && Array.from(solveDense(factors, Float64Array.of(3, 4)))).toEqual([4, 3])
  })
})

describe('invertInPattern()', () => {
  it('gives the elements of the inverse that the dense method gives', () => {
    fc.assert(
      fc.property(matrices, ({ blocks, width, pattern, slots }) => {
        const dense = toDense(pattern, slots)
        const symmetric = slots.slice()
        for (let row = 0; row < pattern.size; row++) {
          for (let slot = pattern.rowStart[row] ?? 0; slot < (pattern.rowStart[row + 1] ?? 0); slot++) {
            const column = pattern.columns[slot] ?? 0
            const mirrored = dense[column * pattern.size + row] ?? 0
            symmetric[slot] = ((slots[slot] ?? 0) + mirrored) / 2
          }
        }
        const factors = factorSparse(planElimination(blocks, width), symmetric)
        const full = factorDense(toDense(pattern, symmetric), pattern.size)
        if (factors === undefined || full === undefined) throw new Error('neither matrix is singular')
        const inverse = invertInPattern(factors)
        for (let column = 0; column < pattern.size; column++) {
          const unit = Float64Array.from({ length: pattern.size }, (_, row) => (row === column ? 1 : 0))
          const solved = solveDense(full, unit)
          for (let slot = pattern.rowStart[column] ?? 0; slot < (pattern.rowStart[column + 1] ?? 0); slot++) {
            const row = pattern.columns[slot] ?? 0
            expect(inverse(row, column)).toBeCloseTo(solved[row] ?? 0, 12)
          }
        }
      }),
      { seed: 2, numRuns: 200 },
    )
  })
})

describe('sumAdmittance()', () => {
  it.each(caseNames)('is symmetric for %s, which has no phase shifters', (name) => {
    const network = findCase(name)
    const plan = planGrid(network)
    const { conductance, susceptance } = sumAdmittance(network, plan, network.branches.map(branchAdmittance))
    const size = network.buses.length
    for (const values of [conductance, susceptance]) {
      const full = toDense(plan.pattern, values)
      for (let row = 0; row < size; row++) {
        for (let column = 0; column < row; column++) {
          expect(full[row * size + column]).toBeCloseTo(full[column * size + row] ?? 0, 12)
        }
      }
    }
  })

  it('keeps the plan while breakers and loads change and makes another for other branches', () => {
    const network = findCase('case30')
    const plan = planGrid(network)
    expect(planGrid(openBranches(network, new Set([1, 5])))).toBe(plan)
    expect(planGrid({ ...network, branches: network.branches.slice(1) })).not.toBe(plan)
  })
})

describe('branchAdmittance()', () => {
  it('turns a phase shifter against itself: Yft and Ytf are no longer equal', () => {
    const branch = findCase('case14').branches[7]
    if (branch === undefined) throw new Error('case14 has twenty branches')
    const port = branchAdmittance({ ...branch, r: 0, x: 0.2, b: 0, ratio: 1, shiftDeg: 90 })
    // y = -5j, a = j: Yft = -y / conj(a) = -5, Ytf = -y / a = 5.
    expect(port.ftG).toBeCloseTo(-5, 12)
    expect(port.tfG).toBeCloseTo(5, 12)
    expect(port.ftB).toBeCloseTo(0, 12)
    expect(port.tfB).toBeCloseTo(0, 12)
    expect(branchAdmittance({ ...branch, inService: false }).ttB).toBe(0)
  })
})

describe('findIslands()', () => {
  it('keeps the slack of the case where it stands and gives other islands their largest unit', () => {
    const network = findCase('case39')
    const split = openBranches(
      network,
      new Set(
        network.branches
          .filter(({ from, to }) => to === 29 && (from === 26 || from === 28))
          .map((b) => b.number),
      ),
    )
    expect(findIslands(split).map(({ buses, slackBus }) => [buses.length, slackBus])).toEqual([
      [37, 31],
      [2, 38],
    ])
    expect(findIslands(network, { largestUnitIsSlack: true })[0]?.slackBus).toBe(39)
  })

  it('calls an island that only a condenser feeds dead', () => {
    const islands = findIslands(openBranches(findCase('case14'), new Set([14])))
    expect(islands[1]).toEqual({ buses: [8], slackBus: null, energized: false })
  })
})
