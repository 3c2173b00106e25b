/** Studies of a running session: what they answer, and that they leave the session as it was. */

import { describe, expect, it } from 'vitest'
import { doAtOnce } from '#base/slices.ts'
import { step, type World } from '#grid/engine.ts'
import { runStudy } from '#grid/interface/studies.ts'
import { parseStudy, type StudyRequest } from '#grid/interface/study-requests.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import { calmStretch, runSteps, startWorld } from '../../support/grid-session.ts'

/** A session of case14 after two scans, its loads at rest. */
function settled(): World {
  const { world } = calmStretch(41, { load_speed: 0 })
  return world
}

const world = settled()

/** The answer of a study is under test. */
// biome-ignore lint/suspicious/noExplicitAny: its shape is checked by the test
type Body = any

function study(text: string, on: World = world): Body {
  const [kind = '', query = ''] = text.split('?')
  const parameters = new URLSearchParams(query)
  const request = parseStudy(kind as StudyRequest['kind'], (name) => parameters.get(name) ?? undefined)
  return doAtOnce(runStudy(on, request))
}

describe('runStudy()', () => {
  it.each(['contingency', 'contingency?method=dc', 'cascade?open=CB-2-3', 'fast-decoupled', 'dc-estimation'])(
    '%s leaves the session as it was and answers finite JSON',
    (text) => {
      const before = JSON.stringify(world)
      const answer = study(text)
      expect(JSON.stringify(world)).toBe(before)
      expect(JSON.stringify(answer).replace(/"(worst|lowest)":null/g, '')).not.toContain('null')
      expect(answer).toMatchObject({ study: text.split('?')[0], case: 'case14', open_breakers: [] })
    },
  )

  it('contingency solves every outage, the worst first', () => {
    const { method, count, total, outages } = study('contingency?limit=500')
    expect([method, count, total]).toEqual(['ac', 20, 20])
    // Branch 7-8 is the only way to bus 8: its outage cuts the bus off.
    expect(outages[0]).toMatchObject({ breaker: 'CB-7-8', outcome: 'island', separated: [8], worst: null })
    const loadings = outages.slice(1).map(({ worst }: Body) => worst.loading_percent)
    expect(loadings).toEqual(loadings.toSorted((one: number, other: number) => other - one))
    expect(study('contingency?limit=3').outages).toEqual(outages.slice(0, 3))
  })

  it('contingency by the DC factors finds the same outage first that has no voltages to be wrong about', () => {
    const screened = study('contingency?method=dc&limit=500')
    expect(screened.total).toBe(20)
    const worst = screened.outages[0]
    const solved = study('contingency?limit=500').outages.find(({ breaker }: Body) => breaker === worst.breaker)
    expect(solved.worst.breaker).toBe(worst.worst.breaker)
    expect(Math.abs(solved.worst.loading_percent - worst.worst.loading_percent)).toBeLessThan(15)
  })

  it('cascade follows the overloads of two lines until nothing trips any more', () => {
    const { trips, served_mw, lost_mw, load_mw } = study('cascade?open=CB-2-3,CB-2-4')
    expect(trips[0]).toMatchObject({ breaker: expect.stringMatching(/^CB-/) })
    expect(trips.map(({ at_s }: Body) => at_s)).toEqual(
      trips.map(({ at_s }: Body) => at_s).toSorted((one: number, other: number) => one - other),
    )
    expect(served_mw + lost_mw).toBeCloseTo(load_mw, 2)
    expect(study('cascade?open=CB-2-3').trips).toEqual([])
  })

  it('cascade names the nearest breaker where one does not exist', () => {
    expect(() => study('cascade?open=CB-2-33')).toThrow(
      expect.objectContaining({ code: 'invalid_request', hint: expect.stringContaining('"CB-2-3"') }),
    )
  })

  it.each(['XB', 'BX'])('fast-decoupled with %s reaches the voltages of Newton in more iterations', (scheme) => {
    const { converged, iterations, newton, largest_difference_pu, vm_pu } = study(`fast-decoupled?scheme=${scheme}`)
    expect([converged, newton.converged, vm_pu.length]).toEqual([true, true, 14])
    expect(iterations).toBeGreaterThan(newton.iterations)
    expect(largest_difference_pu).toBeLessThan(1e-6)
  })

  it('dc-estimation gives angles near the true ones, and a J beyond its limit: DC ignores losses', () => {
    const { angles, degrees_of_freedom } = study('dc-estimation')
    expect(angles).toHaveLength(14)
    expect(degrees_of_freedom).toBeGreaterThan(20)
    for (const { dc_deg, true_deg } of angles) expect(Math.abs(dc_deg - true_deg)).toBeLessThan(3)
  })

  it.each([
    ['case14', 'CB-7-8'],
    ['case39', 'CB-16-19'],
    ['case118', 'CB-8-9'],
  ] as const)('dc-estimation goes on where a breaker divides %s, and its angles compare', (name, breaker) => {
    const { world: divided } = calmStretch(41, { case: name, load_speed: 0, agc_gain: 0 })
    applyCommand(divided, { kind: 'switch', step: divided.step, breaker, closed: false })
    runSteps(divided, 41)
    const { angles } = study('dc-estimation', divided)
    const { vmPu } = divided.plant.solution
    // The generators of case118 behind CB-8-9 have no load and trip: a dead bus has no angle to compare.
    const live = angles.filter((_: Body, position: number) => (vmPu[position] ?? 0) > 0)
    expect(live.length).toBeGreaterThan(angles.length - 3)
    for (const { dc_deg, true_deg } of live) expect(Math.abs(dc_deg - true_deg)).toBeLessThan(10)
  })

  it('dc-estimation waits for a scan', () => {
    const fresh = startWorld()
    expect(() => study('dc-estimation', fresh)).toThrow(expect.objectContaining({ code: 'out_of_order' }))
    step(fresh)
    expect(() => study('dc-estimation', fresh)).toThrow(expect.objectContaining({ code: 'out_of_order' }))
  })

  it('uses the breakers that are open and the loads of the moment', () => {
    const switched = settled()
    const { step: at } = switched
    applyCommand(switched, { kind: 'switch', step: at, breaker: 'CB-2-3', closed: false })
    applyCommand(switched, { kind: 'load', step: at, scale: 0.5 })
    runSteps(switched, 21)
    const { open_breakers, load_mw, total } = study('contingency', switched)
    expect([open_breakers, total]).toEqual([['CB-2-3'], 19])
    expect(load_mw).toBeCloseTo(129.5, 1)
    expect(study('contingency?method=dc', switched).total).toBe(19)
  })
})

describe('runStudy() of a large grid', () => {
  it.each([
    ['contingency', 5],
    ['cascade', 2],
  ] as const)('gives the thread away during a %s', (kind, least) => {
    const large = startWorld({ case: 'case118' })
    const query = (name: string) => (name === 'open' ? 'CB-8-9,CB-9-10,CB-4-5,CB-26-30,CB-38-65' : undefined)
    const study = runStudy(large, parseStudy(kind, query))
    for (let slice = 0; slice < least; slice++) expect(study.next().done).toBe(false)
  })
})
