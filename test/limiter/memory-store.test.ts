import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '#limiter/memory-store.ts'
import type { CounterHit } from '#ratelimit/ports.ts'

const hit = (key: string, addend = 1, unit: CounterHit['unit'] = 'MINUTE'): CounterHit => ({ key, unit, addend })

describe('createMemoryStore()', () => {
  it('counts by key and unit, and from 0 in the next window', async () => {
    let now = 120
    const store = createMemoryStore(() => now * 1000)
    expect(await store.hit([hit('a'), hit('a'), hit('a', 1, 'HOUR')])).toEqual([
      { after: 1, secondsUntilReset: 60 },
      { after: 2, secondsUntilReset: 60 },
      { after: 1, secondsUntilReset: 3_480 },
    ])
    now = 180
    expect(await store.peek([hit('a'), hit('a', 1, 'HOUR')])).toMatchObject([{ after: 0 }, { after: 1 }])
  })

  it('gives hits back, never below 0, and makes no counter for it', async () => {
    const store = createMemoryStore(() => 0)
    expect(await store.hit([{ ...hit('a', 5), isRefund: true }])).toMatchObject([{ after: 0 }])
    await store.hit([hit('a', 3)])
    expect(await store.hit([{ ...hit('a', 5), isRefund: true }])).toMatchObject([{ after: 0 }])
  })

  it('keeps a bounded number of counters: those that have ended go first, then the oldest', async () => {
    let now = 0
    const store = createMemoryStore(() => now * 1000, 3)
    await store.hit([hit('day', 1, 'DAY'), hit('minute')])
    now = 60
    await store.hit([hit('b', 1, 'DAY'), hit('c', 1, 'DAY')])
    const keys = ['day', 'b', 'c', 'd'].map((key) => hit(key, 0, 'DAY'))
    expect((await store.peek(keys)).map(({ after }) => after)).toEqual([1, 1, 1, 0])
    await store.hit([hit('d', 1, 'DAY')])
    expect((await store.peek(keys)).map(({ after }) => after)).toEqual([0, 1, 1, 1])
  })

  it('keeps a second for the sliding window behind it when others make room', async () => {
    let now = 59
    const store = createMemoryStore(() => now * 1000, 2)
    const sliding = { ...hit('a_\nsliding 1', 3, 'SECOND'), limit: 5 }
    await store.hit([hit('minute'), sliding])
    now = 60
    await store.hit([hit('b')])
    expect(await store.peek([sliding])).toMatchObject([{ after: 3 }])
  })
})
