/** A model of clocks that leap: no true window admits more than its limit while the clock is not ahead of it. */

import { expect, it } from 'vitest'
import { createRandom, type Random } from '#base/random.ts'
import { unitSeconds } from '#ratelimit/window.ts'
import { type LeapingCounter, leapingCounter } from '../../support/leaping-counter.ts'
import { sweep } from '../../support/sweep.ts'

const seeds = sweep(10_000, 60)
const limits = [1, 7, 50, 900]
const kinds = ['MINUTE', 'HOUR', 'HOUR', 'DAY'] as const

/** A few requests, with pauses from none to a part of a window. */
function traffic(counter: LeapingCounter, random: Random, { limit, length }: { limit: number; length: number }) {
  for (let burst = random.integer(1, 5); burst > 0; burst--) {
    for (let hits = random.integer(1, 12); hits > 0; hits--) {
      counter.hit(random.integer(1, Math.max(1, limit >> 3)))
      if (counter.isBeyond()) return
    }
    if (random.uniform() < 0.3) counter.giveBack()
    if (random.uniform() < 0.05) counter.crash()
    counter.pass(random.uniform() * length * (random.uniform() < 0.8 ? 0.02 : 0.3))
  }
}

const leap = (random: Random) => (random.uniform() < 0.5 ? -1 : 1) * random.integer(61, 12 * 3_600)

it(`addHits() admits no more than the limit of a true window beside clocks that leap by hours, by ${seeds} seeds`, () => {
  let [full, leaps] = [0, 0]
  for (let seed = 0; seed < seeds; seed++) {
    const random = createRandom(seed, 'clocks that leap')
    const limit = limits[random.integer(0, limits.length - 1)] ?? 1
    const unit = kinds[random.integer(0, kinds.length - 1)] ?? 'HOUR'
    const [hasLeases, hasCeilings] = [random.uniform() < 0.5, random.uniform() < 0.5]
    const counter = leapingCounter({ unit, limit, random, hasLeases, hasCeilings })
    const scale = { limit, length: unitSeconds[unit] }
    for (let step = 0; step < 40; step++) {
      traffic(counter, random, scale)
      if (counter.isBeyond())
        expect.fail(`seed ${seed}, step ${step}: ${unit} admitted ${counter.admitted()} of ${limit}`)
      if (counter.admitted() === limit) full += 1
      // At most two leaps before the clock is right again.
      const away = random.uniform() < 0.5 ? 0 : random.integer(1, 2)
      for (let leg = 0; leg < away && !counter.isBeyond(); leg++) {
        counter.setClock(leap(random))
        leaps += 1
        if (random.uniform() < 0.9) traffic(counter, random, scale)
      }
      if (counter.isBeyond())
        expect.fail(`seed ${seed}, step ${step}, away: ${unit} admitted ${counter.admitted()} of ${limit}`)
      counter.setClock(0)
    }
    // A clock that is right for some windows finds the whole limit again.
    for (let window = 0; window < 8; window++) {
      counter.pass(unitSeconds[unit])
      counter.hit(1)
    }
    counter.pass(unitSeconds[unit])
    for (let hit = 0; hit < limit; hit++) counter.hit(1)
    expect([seed, counter.admitted()]).toEqual([seed, limit])
  }
  // The model means something only while windows fill up and clocks leap.
  expect(full).toBeGreaterThan(seeds * 2)
  expect(leaps).toBeGreaterThan(seeds * 10)
})
