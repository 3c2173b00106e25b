/** Requests that the mode and the run state of a session allow. */

import { describe, expect, it } from 'vitest'
import { type Configuration, defaultConfiguration } from '#grid/configuration.ts'
import { findTelecontrol } from '#grid/engine.ts'
import { GridError } from '#grid/errors.ts'
import {
  expectEmbedded,
  expectExternal,
  expectStopped,
  isExternal,
  type RunState,
  requireBreaker,
  type SessionFacts,
} from '#grid/interface/session-view.ts'
import { startWorld } from '../../support/grid-session.ts'
import { refusalText } from '../../support/refusal.ts'

const embedded: Configuration = { ...defaultConfiguration, mode: 'embedded' }
const external: Configuration = { ...defaultConfiguration, mode: 'external' }

function session(run: RunState, configuration = embedded): SessionFacts {
  return { sessionId: 's', createdMs: 0, configuration, run, anchorMs: 0, anchorStep: 0, speed: 1 }
}

/** Code and message of the error that a check throws; undefined when it passes. */
const mistake = (check: () => void) => refusalText(GridError, check)

describe('isExternal()', () => {
  it.each([
    [embedded, false],
    [external, true],
  ])('follows the mode %#', (configuration, expected) => {
    expect(isExternal(configuration)).toBe(expected)
  })
})

describe('expectEmbedded()', () => {
  it('lets the engine drive its own session', () => {
    expect(mistake(() => expectEmbedded(embedded, 'start'))).toBeUndefined()
  })

  it('refuses with out_of_order, and names the action, while an outside simulator drives the session', () => {
    expect(mistake(() => expectEmbedded(external, 'switch a breaker'))).toBe(
      'out_of_order: Cannot switch a breaker: an outside simulator drives this session',
    )
  })
})

describe('expectExternal()', () => {
  it('takes what an outside simulator sends to a session that it feeds', () => {
    expect(mistake(() => expectExternal(external, 'ingest packets'))).toBeUndefined()
  })

  it('refuses it with out_of_order while the engine drives the session', () => {
    expect(mistake(() => expectExternal(embedded, 'ingest packets'))).toBe(
      'out_of_order: Cannot ingest packets: the embedded engine drives this session',
    )
  })
})

describe('expectStopped()', () => {
  it.each([
    ['new', undefined],
    ['paused', undefined],
    ['stopped', undefined],
    ['running', 'out_of_order: Cannot step: the simulation runs by the clock'],
  ] as const)('of a session that is %s gives %s', (run, expected) => {
    expect(mistake(() => expectStopped(session(run)))).toBe(expected)
  })

  it('refuses steps of an outside simulator in any run state', () => {
    expect(mistake(() => expectStopped(session('stopped', external)))).toBe(
      'out_of_order: Cannot step: an outside simulator drives this session',
    )
  })
})

describe('requireBreaker()', () => {
  const plan = findTelecontrol(startWorld())

  it('takes every breaker of the network', () => {
    expect(plan.branchByBreaker.size).toBe(20)
    for (const name of plan.branchByBreaker.keys()) {
      expect(mistake(() => requireBreaker(plan, name))).toBeUndefined()
    }
  })

  it.each(['CB-1-3', 'cb-1-2', '', 'constructor'])('refuses "%s" with invalid_request', (name) => {
    expect(mistake(() => requireBreaker(plan, name))).toBe(
      `invalid_request: Cannot switch "${name}": no breaker has this id`,
    )
  })

  it.each([
    ['cb-1-2', 'Did you mean "CB-1-2"? GET /api/v1/topology lists grid.breakers'],
    ['constructor', 'GET /api/v1/topology lists grid.breakers'],
  ])('hints at the nearest breaker where there is one: "%s"', (name, hint) => {
    expect(() => requireBreaker(plan, name)).toThrow(expect.objectContaining({ hint }))
  })
})
