/** The state of a window on disk, beside a model of a disk that fails, an object that dies and a clock that steps. */

import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { createRandom, type Random } from '#base/random.ts'
import type { Algorithm } from '#ratelimit/algorithm/algorithm.ts'
import { countHit } from '#ratelimit/algorithm/count-hit.ts'
import type { KeptLease, Window } from '#ratelimit/counter.ts'
import { lossBudget } from '#ratelimit/durability/ceiling.ts'
import {
  beginWrite,
  type CounterRow,
  type DiskRow,
  type DiskState,
  type Durability,
  endWrite,
  isOfRow,
  isUnsaved,
  isWorthKeeping,
  readWindow,
  rowToWrite,
  type StoredWindow,
  storeHit,
} from '#ratelimit/durability/stored-window.ts'
import { sweep } from '../../support/sweep.ts'

const place = { key: 'k', unit: 'MINUTE' } as const
const rowWith = (hits: number, start = 0, leases?: readonly KeptLease[]): CounterRow => ({
  ...place,
  window: { start, hits, leases },
})
const hit = (before: StoredWindow | null, row: CounterRow, nowMs = 0, limit: number | null = 100_000) =>
  storeHit(before, row, { limit, nowMs, durability: 'durable' })
const written = (stored: StoredWindow) => endWrite(beginWrite(stored), true)

/** A window whose ceiling of 66 is on disk; its count is 2. */
const ahead = () => written(hit(written(hit(null, rowWith(1))), rowWith(2)))

describe('storeHit()', () => {
  it('makes the first hit of a new, read or failed window pending', () => {
    const failed = endWrite(beginWrite(hit(null, rowWith(1))), false)
    const read = readWindow({ ...rowWith(1), spare: 0 })
    for (const before of [null, read, failed]) expect(hit(before, rowWith(2)).state).toBe('pending')
    expect(failed.state).toBe('failed')
  })

  it('writes nothing below the ceiling, and the ceiling with the last of its hits is exact', () => {
    expect(ahead()).toMatchObject({ state: 'ahead', ceiling: { hits: 66 } })
    expect(hit(ahead(), rowWith(3)).state).toBe('ahead')
    expect(hit(ahead(), rowWith(66)).state).toBe('exact')
    expect(hit(ahead(), rowWith(67)).state).toBe('pending')
  })

  it('keeps the state of a write that will cover the hit', () => {
    const pending = hit(written(hit(null, rowWith(1))), rowWith(2))
    expect(hit(pending, rowWith(3)).state).toBe('pending')
    expect(hit(beginWrite(pending), rowWith(3)).state).toBe('writing')
    expect(hit(beginWrite(pending), rowWith(67)).state).toBe('pending')
  })

  it('writes the count itself when hits are given back or every hit must be written', () => {
    const back = hit(ahead(), rowWith(1), 0, null)
    expect([back.state, rowToWrite(back).window.hits]).toEqual(['pending', 1])
    for (const durability of ['strict', 'relaxed'] as const) {
      const context = { limit: 100_000, nowMs: 0, durability }
      const next = storeHit(ahead(), rowWith(3), context)
      expect([next.state, rowToWrite(next).window.hits]).toEqual(['pending', 3])
    }
  })

  it('writes leases that have changed, with the ceiling that is on disk', () => {
    const leased = hit(ahead(), rowWith(10, 0, [[1, 8]]))
    expect(leased.state).toBe('pending')
    expect(rowToWrite(leased).window).toEqual({ start: 0, hits: 66, leases: [[1, 8]] })
  })

  it('goes on below a ceiling after any pause, and begins the next window with its step', () => {
    expect(hit(ahead(), rowWith(3), 50_000).state).toBe('ahead')
    expect(hit(ahead(), rowWith(1, 60), 60_000)).toMatchObject({ state: 'pending', ceiling: { start: 60, hits: 65 } })
  })

  it('takes what a crash added for hits that may not have been made, until the window ends', () => {
    const row = rowToWrite(ahead())
    expect(row).toMatchObject({ window: { hits: 66 }, spare: 64 })
    const next = hit(readWindow(row), rowWith(67), 1)
    expect(rowToWrite(next)).toMatchObject({ window: { hits: 67 }, spare: 64 })
    expect(rowToWrite(hit(next, rowWith(1, 60), 150_000)).spare).toBe(0)
  })
})

describe('storeHit() of a token bucket', () => {
  /** Plays a minute of hits with crashes in it; returns how many of them were written, and the parts that crashes cost. */
  function playMinute(
    stored: StoredWindow | null,
    beginMs: number,
  ): { stored: StoredWindow | null; writes: number; lost: number } {
    let [state, writes, lost] = [stored, 0, 0]
    for (let at = 0; at < 600; at++) {
      const nowMs = beginMs + at * 100
      const { window, most, scale } = countHit(bucket, state?.window, { addend: 1, limit: 600, nowMs })
      if (window === null) continue
      state = storeHit(
        state,
        { key: 'k', unit: 'MINUTE', window },
        { limit: most, scale, nowMs, durability: 'durable' },
      )
      if (state.state === 'pending') writes += 1
      state = written(state)
      if (at % 150 !== 140) continue
      const read = readWindow(rowToWrite(state))
      lost += read.window.hits - state.window.hits
      state = read
    }
    return { stored: state, writes, lost }
  }
  const bucket = { kind: 'token_bucket', seconds: 60, burst: 600, charge: 'all' } as const
  const partsOfHit = 60_000

  it('renews the budget of crashes with each period: every minute has ceilings ahead of its hits', () => {
    let stored: StoredWindow | null = null
    for (let minute = 0; minute < 10; minute++) {
      const played = playMinute(stored, minute * 60_000)
      stored = played.stored
      expect(played.lost).toBeGreaterThan(0)
      // 1 % of the burst, or up to 8 hits.
      expect(played.lost / partsOfHit).toBeLessThanOrEqual(8)
      expect(played.writes).toBeLessThan(500)
    }
  })
})

describe('storeHit() of each algorithm', () => {
  const day = 86_400
  const charge = 'all'
  const plans = [
    [4_000_000_000, 1, 20],
    [4_000_000_000, 110, 40],
    [1_000_000, 110, 40],
    [100_000, 1_000, 70],
    [5_000, 20_000, 70],
  ] as const

  it.each(plans)(
    'writes a counter of %i hits a day with a hit each %i ms at most %i times in 1,000',
    (limit, gapMs, most) => {
      const algorithms: readonly Algorithm[] = [
        { kind: 'fixed', seconds: day, charge },
        { kind: 'sliding', seconds: day, charge },
        { kind: 'token_bucket', seconds: day, charge, burst: limit },
      ]
      for (const algorithm of algorithms) {
        let [state, writes]: [StoredWindow | null, number] = [null, 0]
        for (let at = 1; at <= 5_000; at++) {
          const nowMs = 1_700_000_000_000 + at * gapMs
          const { window, most: ceiling, scale } = countHit(algorithm, state?.window, { addend: 1, limit, nowMs })
          if (window === null) continue
          state = storeHit(
            state,
            { key: 'k', unit: 'WEEK', window },
            { limit: ceiling, scale, nowMs, durability: 'durable' },
          )
          if (state.state === 'pending') writes += 1
          state = written(state)
        }
        expect(writes / 5, algorithm.kind).toBeLessThanOrEqual(most)
      }
    },
  )
})

describe('endWrite()', () => {
  it('leaves a window that is pending again to the next commit', () => {
    const again = hit(beginWrite(hit(null, rowWith(1))), rowWith(2))
    expect(endWrite(again, true)).toBe(again)
    expect(endWrite(again, false)).toBe(again)
  })
})

describe('isWorthKeeping()', () => {
  it('names a window ahead of its count, and one with a step for the next ceiling', () => {
    const exact = written(hit(null, rowWith(1)))
    expect([ahead(), hit(ahead(), rowWith(66))].map(isWorthKeeping)).toEqual([true, true])
    expect([exact, hit(ahead(), rowWith(67))].map(isWorthKeeping)).toEqual([false, false])
  })
})

test('isOfRow() tells whether a row is still the one that was written for the window', () => {
  const [row, other] = [rowToWrite(ahead()), rowToWrite(hit(ahead(), rowWith(67)))]
  expect([isOfRow(ahead(), row), isOfRow(ahead(), other), isOfRow(ahead(), rowWith(66, 60))]).toEqual([
    true,
    false,
    false,
  ])
})

/** Every change of state that the machine makes; `new` comes before the first state. */
const changes = new Set([
  ...['new', 'failed', 'pending', 'writing', 'exact', 'ahead'].map((from) => `${from} hit pending`),
  'writing hit writing',
  'exact hit exact',
  'ahead hit ahead',
  'ahead hit exact',
  'exact hit ahead',
  'pending begin writing',
  'writing end exact',
  'writing end ahead',
  'writing end failed',
])

/** One counter of an object with its disk. `answered` is the count of the last answer that left. */
class Model {
  readonly seen = new Set<string>()
  stored: StoredWindow | null = null
  disk: DiskRow | undefined
  committed: DiskRow | undefined
  /** The count when the commit began. */
  counted: Window = { start: 0, hits: 0 }
  answered: Window = { start: 0, hits: 0 }
  nowMs = 0
  readonly durability: Durability
  readonly limit: number

  constructor(durability: Durability, limit: number) {
    this.durability = durability
    this.limit = limit
  }

  become(event: string, next: StoredWindow): void {
    if (next !== this.stored) this.seen.add(`${this.stored?.state ?? 'new'} ${event} ${next.state}`)
    this.stored = next
  }

  /** @param limit - null for a refund. */
  hit(by: number, limit: number | null, leases: readonly KeptLease[] | undefined): void {
    const start = Math.floor(this.nowMs / 60_000) * 60
    const window = this.stored?.window
    const hits = Math.max(0, (window?.start === start ? window.hits : 0) + by)
    const context = { limit, nowMs: this.nowMs, durability: this.durability }
    this.become('hit', storeHit(this.stored, rowWith(hits, start, leases), context))
  }

  begin(): void {
    if (this.committed !== undefined || this.stored?.state !== 'pending') return
    this.committed = rowToWrite(this.stored)
    this.counted = this.stored.window
    this.become('begin', beginWrite(this.stored))
  }

  end(isWritten: boolean): void {
    if (this.committed === undefined) return
    if (isWritten) {
      this.disk = this.committed
      this.answered = this.counted
    }
    this.committed = undefined
    if (this.stored !== null) this.become('end', endWrite(this.stored, isWritten))
  }

  restart(): void {
    this.stored = this.disk === undefined ? null : readWindow(this.disk)
    this.committed = undefined
    this.answered = this.stored?.window ?? { start: 0, hits: 0 }
  }

  /** Compares the disk with what the state says of it. */
  check(): void {
    const { stored, disk } = this
    if (stored === null || stored.state === 'failed') return
    const { start, hits, leases } = stored.window
    if (stored.state === 'exact') expect(disk?.window).toMatchObject({ start, hits })
    if (stored.state === 'ahead') {
      expect(disk?.window.start).toBe(start)
      expect(disk?.window.hits).toBeGreaterThan(hits)
      expect((disk?.window.hits ?? 0) - hits).toBeLessThanOrEqual(lossBudget(this.limit))
    }
    if (stored.state !== 'exact' && stored.state !== 'ahead') return
    expect(disk?.window.leases).toEqual(leases)
    this.answered = stored.window
  }
}

function play(random: Random, durability: Durability): ReadonlySet<string> {
  const limit = random.uniform() < 0.5 ? 100 : 10_000
  const model = new Model(durability, limit)
  let leases: readonly KeptLease[] | undefined
  for (let step = 0; step < 120; step++) {
    const chance = random.uniform()
    model.nowMs = Math.max(0, model.nowMs + random.integer(-30, random.uniform() < 0.1 ? 20_000 : 200))
    if (random.uniform() < 0.02) {
      // A clock that leaps ahead and comes back.
      model.nowMs += 60_000
      model.hit(1, limit, leases)
      model.nowMs -= 60_000
    }
    if (random.uniform() < 0.05) leases = random.uniform() < 0.5 ? undefined : [[step, 1]]
    if (chance < 0.45) model.hit(random.integer(1, 9), limit, leases)
    else if (chance < 0.5) model.hit(-random.integer(1, 9), null, leases)
    else if (chance < 0.53) model.hit(-random.integer(0, 60), limit, leases)
    else if (chance < 0.7) model.begin()
    else if (chance < 0.9) model.end(random.uniform() < 0.9)
    else if (chance > 0.97) {
      // A crash forgets no hit whose answer has left.
      const { start, hits } = model.answered
      if (model.disk?.window.start === start) expect(model.disk.window.hits).toBeGreaterThanOrEqual(hits)
      model.restart()
    }
    model.check()
  }
  return model.seen
}

const runs = sweep(5_000, 150)

test(`the disk holds what the state says, in ${runs} random lives, and no other change of state occurs`, () => {
  const seen = new Set<string>()
  for (let run = 0; run < runs; run++) {
    const random = createRandom(run, 'stored windows')
    for (const change of play(random, run % 4 === 0 ? 'strict' : 'durable')) seen.add(change)
  }
  expect([...seen].filter((change) => !changes.has(change))).toEqual([])
  expect([...changes].filter((change) => !seen.has(change))).toEqual([])
})

test('isUnsaved() names the states whose loss would forget a hit', () => {
  const all: readonly DiskState[] = ['memory', 'failed', 'pending', 'writing', 'exact', 'ahead']
  const unsaved = all.filter((state) => isUnsaved({ ...ahead(), state }))
  expect(unsaved).toEqual(['pending', 'writing'])
})

test('rowToWrite() is never below the count (property)', () => {
  const counts = fc.array(fc.integer({ min: 1, max: 2_000 }), { maxLength: 50 })
  fc.assert(
    fc.property(counts, (addends) => {
      let [stored, hits]: [StoredWindow | null, number] = [null, 0]
      for (const addend of addends) {
        hits += addend
        stored = hit(stored, rowWith(hits), 0, 5_000)
        expect(rowToWrite(stored).window.hits).toBeGreaterThanOrEqual(hits)
        if (stored.state === 'pending') stored = written(stored)
      }
    }),
    { seed: 11 },
  )
})
