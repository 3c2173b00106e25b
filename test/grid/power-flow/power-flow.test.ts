import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caseNames, findCase } from '#grid/network/cases/catalogue.ts'
import { busPosition, type Network, openBranches } from '#grid/network/network.ts'
import { solvePowerFlow } from '#grid/power-flow/power-flow.ts'
import type { PowerFlowResult } from '#grid/power-flow/result.ts'
import { scaleLoads } from '../../support/scale-loads.ts'
import { sweep } from '../../support/sweep.ts'
import vectors from '../../vectors/grid-power-flow.json' with { type: 'json' }

const degrees = 180 / Math.PI
const { tolerances } = vectors

/** The largest imbalance of any bus in MW or MVAr: machines minus loads minus shunts minus branches. */
function largestImbalance(network: Network, result: PowerFlowResult): number {
  const p = network.buses.map(() => 0)
  const q = network.buses.map(() => 0)
  const add = (bus: number, mw: number, mvar: number): void => {
    const at = busPosition(network, bus)
    p[at] = (p[at] ?? 0) + mw
    q[at] = (q[at] ?? 0) + mvar
  }
  const energized = new Set(result.islands.filter((island) => island.energized).flatMap(({ buses }) => buses))
  for (const { bus, pMw, qMvar } of network.loads) if (energized.has(bus)) add(bus, -pMw, -qMvar)
  result.generators.forEach(({ pMw, qMvar }, index) => {
    add(network.generators[index]?.bus ?? 0, pMw, qMvar)
  })
  for (const { bus, gMw, bMvar } of network.shunts) {
    const square = (result.vmPu[busPosition(network, bus)] ?? 0) ** 2
    add(bus, -gMw * square, bMvar * square)
  }
  result.branches.forEach(({ fromMw, fromMvar, toMw, toMvar }, index) => {
    add(network.branches[index]?.from ?? 0, -fromMw, -fromMvar)
    add(network.branches[index]?.to ?? 0, -toMw, -toMvar)
  })
  return Math.max(...[...p, ...q].map(Math.abs))
}

function expectNear(actual: number | undefined, expected: number, tolerance: number, what: string): void {
  expect(Math.abs((actual ?? Number.NaN) - expected), `${what}: ${actual} for ${expected}`).toBeLessThanOrEqual(
    tolerance,
  )
}

describe.each(caseNames)('solvePowerFlow() of %s', (name) => {
  const network = findCase(name)
  const vector = vectors.cases[name]
  const result = solvePowerFlow(network)

  it('converges from flat in as many iterations as the reference, with its losses and slack', () => {
    expect(result.converged).toBe(true)
    // The reference counted its iterations to a mismatch of 1e-10.
    const counted = solvePowerFlow(network, { tolerancePu: 1e-10 })
    expect(counted.iterations).toBe(vector.newton_iterations_flat_start)
    expectNear(result.lossesMw, vector.losses_mw, tolerances.flow_mw, 'losses')
    const slack = network.generators.findIndex(({ bus }) => bus === vector.slack_bus)
    if (vector.slack_mw !== null) expectNear(result.generators[slack]?.pMw, vector.slack_mw, 1e-3, 'slack')
    expect(result.vaRad[busPosition(network, vector.slack_bus)]).toBeCloseTo(network.slackAngleDeg / degrees, 12)
  })

  it('gives the voltages, flows and outputs of the reference', () => {
    if (!('reference' in vector)) {
      network.generators.forEach(({ bus, vSetpointPu }) => {
        expect(result.vmPu[busPosition(network, bus)]).toBe(vSetpointPu)
      })
      // The archive's own solution of case118 holds reactive limits, so only that of case39 is comparable.
      if (name !== 'case39') return
      vector.archive_bus.forEach(([bus, vm = 0, va = 0], position) => {
        expectNear(result.vmPu[position], vm, tolerances.vm_pu, `V of bus ${bus}`)
        expectNear((result.vaRad[position] ?? 0) * degrees, va, tolerances.va_deg, `angle of bus ${bus}`)
      })
      return
    }
    const { reference } = vector
    reference.ac_bus.forEach(([bus = 0, vm = 0, va = 0]) => {
      const position = busPosition(network, bus)
      expectNear(result.vmPu[position], vm, tolerances.vm_pu, `V of bus ${bus}`)
      expectNear((result.vaRad[position] ?? 0) * degrees, va, tolerances.va_deg, `angle of bus ${bus}`)
    })
    reference.ac_gen.forEach(([bus, p = 0, q = 0], index) => {
      expectNear(result.generators[index]?.pMw, p, tolerances.flow_mw, `P of the unit at ${bus}`)
      expectNear(result.generators[index]?.qMvar, q, tolerances.flow_mw, `Q of the unit at ${bus}`)
    })
    reference.ac_branch.forEach(([from, to, pf = 0, qf = 0, pt = 0, qt = 0], index) => {
      const flow = result.branches[index]
      expectNear(flow?.fromMw, pf, tolerances.flow_mw, `Pf of ${from}-${to}`)
      expectNear(flow?.fromMvar, qf, tolerances.flow_mw, `Qf of ${from}-${to}`)
      expectNear(flow?.toMw, pt, tolerances.flow_mw, `Pt of ${from}-${to}`)
      expectNear(flow?.toMvar, qt, tolerances.flow_mw, `Qt of ${from}-${to}`)
    })
  })

  it('balances at every bus', () => {
    expect(largestImbalance(network, result)).toBeLessThan(1e-5)
  })

  it('needs no iteration from its own solution and two after a small change of load', () => {
    expect(solvePowerFlow(network, { start: result }).iterations).toBe(0)
    const warm = solvePowerFlow(scaleLoads(network, 1.003), { start: result })
    expect(warm).toMatchObject({ converged: true, startedFrom: 'profile' })
    expect(warm.iterations).toBeLessThanOrEqual(2)
  })

  it('agrees with the dense solver', () => {
    const dense = solvePowerFlow(network, { solver: 'dense' })
    result.vmPu.forEach((vm, position) => {
      expectNear(dense.vmPu[position], vm, 1e-10, `bus ${position}`)
    })
    expect(dense.iterations).toBe(result.iterations)
  })
})

describe('solvePowerFlow()', () => {
  const network = findCase('case14')

  it('balances at every bus for any loading and any open breakers', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.3, max: 1.3, noNaN: true }),
        fc.uniqueArray(fc.integer({ min: 1, max: 20 }), { maxLength: 6 }),
        (factor, opened) => {
          const changed = scaleLoads(openBranches(network, new Set(opened)), factor)
          const result = solvePowerFlow(changed)
          if (result.converged) expect(largestImbalance(changed, result)).toBeLessThan(1e-5)
          else expect(result.solvedShare).toBeLessThan(1)
          for (const value of [...result.vmPu, ...result.vaRad]) expect(Number.isFinite(value)).toBe(true)
        },
      ),
      { seed: 14, numRuns: sweep(200) },
    )
  })

  it('leaves an island without a generator dead and solves the rest', () => {
    // Branches 17 and 20 are all that feeds bus 14.
    const result = solvePowerFlow(openBranches(network, new Set([17, 20])))
    expect(result.converged).toBe(true)
    expect(result.islands.map(({ buses, energized }) => [buses.length, energized])).toEqual([
      [13, true],
      [1, false],
    ])
    expect(result.vmPu[13]).toBe(0)
    expect(result.branches[16]?.loadingMva).toBe(0)
    expect(result.lossesMw).toBeGreaterThan(5)
  })

  it('finds its way back from a start far away through the ladder', () => {
    const start = { vmPu: network.buses.map(() => 0.4), vaRad: network.buses.map((_, bus) => bus) }
    const result = solvePowerFlow(network, { start })
    expect(result.converged).toBe(true)
    expect(result.vmPu[13]).toBeCloseTo(1.03553, 5)
  })

  it('reports how much of an impossible load can be solved', () => {
    const result = solvePowerFlow(scaleLoads(network, 12))
    expect(result.converged).toBe(false)
    expect(result.startedFrom).toBe('homotopy')
    expect(result.solvedShare).toBeGreaterThan(0.1)
    expect(result.solvedShare).toBeLessThan(0.9)
  })

  it.each([
    ['a load that is not a number', { loads: [{ bus: 4, pMw: Number.NaN, qMvar: 0 }] }],
    ['a load at an unknown bus', { loads: [{ bus: 99, pMw: 1, qMvar: 0 }] }],
    ['an infinite shunt', { shunts: [{ bus: 9, gMw: 0, bMvar: Infinity }] }],
    ['a branch without impedance', { branches: network.branches.map((b) => ({ ...b, r: 0, x: 0 })) }],
    ['a branch to itself', { branches: network.branches.map((b) => ({ ...b, to: b.from })) }],
    ['a base of zero', { baseMva: 0 }],
    ['an unknown slack', { slackBus: 15 }],
    ['a set point of zero', { generators: network.generators.map((g) => ({ ...g, vSetpointPu: 0 })) }],
  ])('refuses %s with the code invalid_case', (_, change) => {
    expect(() => solvePowerFlow({ ...network, ...change })).toThrow(expect.objectContaining({ code: 'invalid_case' }))
  })

  it('refuses a start for another grid with the code invalid_request', () => {
    expect(() => solvePowerFlow(network, { start: { vmPu: [1], vaRad: [0] } })).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    )
  })
})

describe('solvePowerFlow() with phase shifters', () => {
  // Branch 1 of case9 is the only way to its machine: a shift there turns the rest of the grid and changes nothing else.
  it.each([30, 60, 90, 150, -150])('solves case9 behind a shift of %d degrees', (shiftDeg) => {
    const network = findCase('case9')
    const branches = network.branches.map((branch) => (branch.number === 1 ? { ...branch, shiftDeg } : branch))
    const [plain, turned] = [solvePowerFlow(network), solvePowerFlow({ ...network, branches })]
    expect(turned.converged).toBe(true)
    plain.vmPu.forEach((vm, bus) => {
      expect(turned.vmPu[bus]).toBeCloseTo(vm, 7)
    })
    const behind = ((plain.vaRad[4] ?? 0) - (turned.vaRad[4] ?? 0)) * degrees
    expect(Math.cos((behind - shiftDeg) / degrees)).toBeCloseTo(1, 9)
  })
})
