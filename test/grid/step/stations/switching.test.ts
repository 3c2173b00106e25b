/** A breaker that moves: what it says to the record, to listeners and to its outstation, and silence where it does not. */

import { describe, expect, it } from 'vitest'
import { isClosed, operate } from '#grid/step/stations/switching.ts'
import { contextOf } from '#test/support/grid-context.ts'

describe('operate()', () => {
  it('opens a breaker once, with the same effect, event and report', () => {
    const context = contextOf()
    const timeUs = context.startUs + 5
    const breaker = context.plan.breakerNames.get(3)
    const opening = { branch: 3, closed: false, cause: 'operator', timeUs }
    expect(operate(context, opening)).toBe(true)
    expect(operate(context, opening)).toBe(false)
    expect(isClosed(context, 3)).toBe(false)
    expect(context.effects).toEqual([{ breaker, state: 'open', cause: 'operator' }])
    expect(context.switched).toEqual([{ branch: 3, closed: false, timeUs }])
    expect(context.events).toEqual([
      { topic: 'grid', data: { timestamp: timeUs / 1e6, event: 'breaker', breaker, state: 'open', cause: 'operator' } },
    ])
  })

  it('closes an open breaker, and reports nothing for a closed one', () => {
    const context = contextOf()
    const closing = { branch: 3, closed: true, cause: 'operator', timeUs: 0 }
    expect(operate(context, closing)).toBe(false)
    expect([context.effects, context.events, context.switched]).toEqual([[], [], []])
    operate(context, { ...closing, closed: false })
    expect(operate(context, closing)).toBe(true)
    expect(isClosed(context, 3)).toBe(true)
    expect(context.effects.at(-1)).toMatchObject({ state: 'closed' })
  })
})
