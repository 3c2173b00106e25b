/** The member `grid` of a topology: a plan that can be drawn, or none. */

import { describe, expect, it } from 'vitest'
import { layOut } from '#console/grid/diagram/single-line.ts'
import { readPlan } from '#console/grid/plan.ts'
import { describeTopology } from '#grid/interface/topology.ts'
import { startWorld } from '#test/support/grid-session.ts'

const bus = { id: 1, x: 0, y: 0 }
const branch = { number: 1, name: '1-1', from: 1, to: 1, rate_mva: 0 }
const plan = { case: 'c', buses: [bus], branches: [branch], generators: [{ bus: 1 }], loads: [{ bus: 1 }] }

describe('readPlan()', () => {
  it('reads the grid of the engine, and a grid of one bus', () => {
    const { grid } = describeTopology(startWorld())
    expect(readPlan(grid)?.buses).toHaveLength(14)
    expect(readPlan(plan)).toEqual(plan)
    expect(layOut(plan).branches).toHaveLength(1)
  })

  it.each([
    ['absent', undefined],
    ['null', null],
    ['a text', 'grid'],
    ['a list', [plan]],
    ['another object', { title: 'x' }],
    ['a plan without a case', { ...plan, case: undefined }],
    ['a plan without buses', { ...plan, buses: [], branches: [], generators: [], loads: [] }],
    ['buses by name', { ...plan, buses: { a: bus } }],
    ['a bus that is null', { ...plan, buses: [bus, null] }],
    ['a bus without a place', { ...plan, buses: [{ id: 1 }] }],
    ['a bus as far as the drawing cannot show', { ...plan, buses: [{ ...bus, x: 1e300 }] }],
    ['a bus whose id is a text', { ...plan, buses: [{ ...bus, id: '1' }] }],
    ['a bus twice', { ...plan, buses: [bus, bus] }],
    ['a branch twice', { ...plan, branches: [branch, branch] }],
    ['a branch to nowhere', { ...plan, branches: [{ ...branch, to: 2 }] }],
    ['a branch whose name is an object', { ...plan, branches: [{ ...branch, name: {} }] }],
    ['a branch whose tap is an object', { ...plan, branches: [{ ...branch, tap: {} }] }],
    ['a branch without a rating', { ...plan, branches: [{ ...branch, rate_mva: null }] }],
    ['a plan without loads', { ...plan, loads: undefined }],
    ['a generator at no bus', { ...plan, generators: [{ bus: 7 }] }],
  ])('takes %s for no plan', (_, grid) => {
    expect(readPlan(grid)).toBeUndefined()
  })
})
