/** `sluice ratelimit tail`: which statistics have changed between two looks. */

import { expect, test } from 'vitest'
import { changesBetween, parseFigures } from '#bin/ratelimit/figures.ts'

const prefix = 'ratelimit.service.rate_limit'

test('parseFigures() reads counts, leaves timers out, and keeps to a domain', () => {
  const text = `${prefix}.shop.login.total_hits: 7\n${prefix}.shopping.a.total_hits: 1\nratelimit.response_time: P0(1,2)\n`
  expect([...parseFigures(text)]).toHaveLength(2)
  expect([...parseFigures(text, 'shop')]).toEqual([[`${prefix}.shop.login.total_hits`, 7]])
})

test('changesBetween() lists what has grown, what is new, and all of a counter that began anew', () => {
  const before = new Map(Object.entries({ same: 1, grown: 2, restarted: 9 }))
  const now = new Map(Object.entries({ restarted: 3, grown: 5, same: 1, fresh: 4 }))
  expect(changesBetween(before, now)).toEqual([
    { name: 'fresh', value: 4, added: 4 },
    { name: 'grown', value: 5, added: 3 },
    { name: 'restarted', value: 3, added: 3 },
  ])
})
