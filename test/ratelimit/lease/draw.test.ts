/** Draws: what comes back, what is counted, and how much is handed out. */

import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import type { Algorithm } from '#ratelimit/algorithm/algorithm.ts'
import { leasedWindows } from '#ratelimit/algorithm/count-hit.ts'
import type { Window } from '#ratelimit/counter.ts'
import { drawFrom, isHeldBack } from '#ratelimit/lease/draw.ts'
import type { WireDraw } from '#ratelimit/lease/lease.ts'
import { createLeaseBook } from '#ratelimit/lease/lease-book.ts'
import type { Windows } from '#ratelimit/window.ts'
import { sweep } from '../../support/sweep.ts'

const day = 4
const nowMs = 1_700_000_000_250

/** A counter of a day with a limit of 100, and the draws from it. */
function counterOf100(unit: Windows = 'DAY', atMs: () => number = () => nowMs) {
  const book = createLeaseBook()
  let window: Window | undefined
  let id = 0
  return {
    draw({ addend = 0, wanted = 0, all = 0 as 0 | 1, returned = [] as readonly number[], isBlocked = false }) {
      id += 1
      const counter = { name: 'a', unit, window, isBlocked } as const
      const wire = ['a', day, addend, 100, wanted, all, returned] as const
      const drawn = drawFrom(book, counter, wire, { id, holder: 1, nowMs: atMs() })
      window = drawn.window
      return { id, hits: window.hits, ...drawn.draw }
    },
  }
}

describe('isHeldBack()', () => {
  it('is a refusal that only open leases cause', () => {
    expect(isHeldBack(101, 100, 5)).toBe(true)
    expect(isHeldBack(106, 100, 5)).toBe(false)
    expect(isHeldBack(101, 100, 0)).toBe(false)
    expect(isHeldBack(100, 100, 5)).toBe(false)
  })
})

describe('drawFrom()', () => {
  it.each<Algorithm>([
    { kind: 'fixed', seconds: 86_400, charge: 'all' },
    { kind: 'calendar', seconds: 86_400, period: 'day', zone: 'UTC', charge: 'all' },
  ])('draws from windows of %j as from those of the unit, through random lives', (algorithm) => {
    for (let seed = 0; seed < sweep(5_000, 60); seed++) {
      const random = createRandom(seed, 'leased windows')
      let at = nowMs
      const [plain, other] = [counterOf100('DAY', () => at), counterOf100(leasedWindows(algorithm), () => at)]
      const returns: number[] = []
      for (let turn = 0; turn < 40; turn++) {
        at += random.integer(0, random.uniform() < 0.1 ? 90_000_000 : 60_000)
        const returned = random.uniform() < 0.3 ? returns.splice(0, 2) : []
        const asked = { addend: random.integer(0, 9), wanted: random.integer(0, 9) * random.integer(0, 1), returned }
        const drawn = plain.draw(asked)
        expect(other.draw(asked)).toEqual(drawn)
        if (drawn.granted > 0) returns.push(drawn.id, random.integer(0, drawn.granted))
      }
    }
  })

  it('counts the addend, then grants half of what is left at most, all of it counted', () => {
    const { draw } = counterOf100()
    expect(draw({ addend: 20, wanted: 10 })).toMatchObject({ hits: 30, after: 30, granted: 10, outstanding: 10 })
    expect(draw({ wanted: 90 })).toMatchObject({ hits: 65, granted: 35, outstanding: 45 })
    expect(draw({ wanted: 90, all: 1 })).toMatchObject({ hits: 100, granted: 35, outstanding: 80 })
    expect(draw({ wanted: 90, all: 1 })).toMatchObject({ hits: 100, granted: 0 })
  })

  it('takes back what comes back before it counts and grants', () => {
    const { draw } = counterOf100()
    const { id } = draw({ wanted: 100, all: 1 })
    const next = draw({ addend: 30, wanted: 100, all: 1, returned: [id, 40] })
    expect(next).toMatchObject({ hits: 100, granted: 10, outstanding: 10, faults: 0 })
  })

  it('does not count a refusal that only open leases cause, and counts every other', () => {
    const { draw } = counterOf100()
    const { id } = draw({ addend: 60, wanted: 40, all: 1 })
    expect(draw({ addend: 1 })).toMatchObject({ hits: 100, after: 101 })
    expect(draw({ addend: 5, returned: [id, 30] })).toMatchObject({ hits: 75, after: 75 })
    expect(draw({ addend: 50 })).toMatchObject({ hits: 125, after: 125 })
  })

  it('grants nothing with a hit that is refused, nor while the key is blocked', () => {
    const { draw } = counterOf100()
    expect(draw({ addend: 101, wanted: 5 })).toMatchObject({ hits: 101, granted: 0 })
    expect(counterOf100().draw({ addend: 1, wanted: 5, isBlocked: true })).toMatchObject({ granted: 0 })
  })

  it('says how long the window lasts, to the millisecond', () => {
    const { windowStart, millisecondsUntilReset } = counterOf100().draw({ wanted: 1 })
    expect(windowStart * 1000 + 86_400_000).toBe(nowMs + millisecondsUntilReset)
  })

  it('takes back a lease of all that was left after a restart, and none that left something to others', () => {
    const question: WireDraw = ['a', day, 0, 100, 40, 1, []]
    const { window } = afterRestart(undefined, question)
    expect(window).toMatchObject({ hits: 40, leases: [[5, 40]] })
    const returning: WireDraw = ['a', day, 0, 100, 0, 0, [5, 30]]
    const back = afterRestart(window, returning)
    expect(back).toMatchObject({ window: { hits: 10, leases: [] }, draw: { faults: 0 } })
    expect(afterRestart(back.window, returning).draw.faults).toBe(1)
    const shared = afterRestart(undefined, ['a', day, 0, 100, 40, 0, []])
    expect(shared.window.leases).toBeUndefined()
  })
})

/** Draws by call 5 from a window that another instance of the object has kept. */
function afterRestart(window: Window | undefined, wire: WireDraw) {
  const counter = { name: 'a', unit: 'DAY', window, isBlocked: false } as const
  return drawFrom(createLeaseBook(), counter, wire, { id: 5, holder: 1, nowMs })
}
