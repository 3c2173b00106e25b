/** Returns of leases: what a holder that has fallen silent gives back. */

import { expect, it } from 'vitest'
import { admitHits, askForHits, createHeldLeases, takeAnswer } from '#ratelimit/lease/held-leases.ts'
import { readQuestion } from '#ratelimit/lease/lease.ts'
import { findSurplus, giveBack } from '#ratelimit/lease/returns.ts'
import { units } from '#ratelimit/window.ts'

const hit = { key: 'a', unit: 'HOUR', addend: 1, limit: 1_000 } as const

/** Leases with 100 hits of counter `a` from lease 7, asked for at 0. */
function heldOf100() {
  const held = createHeldLeases(10)
  for (let at = 0; at < 50; at++) askForHits(held, hit, 0)
  const draw = { after: 100, windowStart: 1_700_000_400, millisecondsUntilReset: 1_000_000, granted: 100 }
  const answered = { id: 7, limit: 1_000, sentMs: 0, nowMs: 0 }
  takeAnswer(
    held,
    ['a', units.indexOf('HOUR'), 0, 1_000, 100, 0, []],
    { ...draw, outstanding: 100, faults: 0 },
    answered,
  )
  return held
}

it('findSurplus() is what a silent holder has, which giveBack() returns once', () => {
  const held = heldOf100()
  admitHits(held, { ...hit, addend: 60 }, 1_000)
  expect(findSurplus(held, 2_000)).toEqual([])
  const [surplus] = findSurplus(held, 30_000)
  if (surplus === undefined) expect.fail('there is no surplus')
  expect(surplus).toEqual({ key: 'a', unit: 'HOUR', limit: 1_000 })
  const question = giveBack(held, surplus, 30_000) ?? expect.fail('nothing was returned')
  const name = { key: 'a', unit: 'HOUR' }
  expect(readQuestion(question)).toEqual({
    name,
    addend: 0,
    limit: 1_000,
    wanted: 0,
    takesAll: false,
    returned: [7, 40],
  })
  expect(findSurplus(held, 30_000)).toEqual([])
  expect(giveBack(held, surplus, 30_000)).toBeNull()
})
