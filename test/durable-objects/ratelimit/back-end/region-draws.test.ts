/** Draws through a region: what it does not answer is asked of the counter, without a lease. */

import { describe, expect, it, vi } from 'vitest'
import { regionDraws } from '#objects/ratelimit/back-end/region-draws.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import type { Draw, WireDraw } from '#ratelimit/lease/lease.ts'
import type { DrawCall } from '#ratelimit/lease/source.ts'

const drawOf = (after: number, granted = 0): Draw => ({
  after,
  windowStart: 60,
  millisecondsUntilReset: 1_000,
  granted,
  outstanding: 0,
  faults: 0,
})
const wire = (key: string): WireDraw => [key, 1, 1, 100, 10, 0, [7, 3]]
const call = (object = 'key:a') => ({ object, id: 1, holder: 2, draws: [wire('a'), wire('b')] })

/** A region that answers as `answer` does, and the calls of the counters. */
function setUp(answer: () => Promise<readonly (Draw | null)[]>) {
  const asked: string[] = []
  const home: DrawCall[] = []
  const getByName = (name: string, { locationHint }: { locationHint: string }) => {
    asked.push(`${locationHint}: ${name}`)
    return { lease: answer }
  }
  const env = { LEASE_REGION: { getByName } } as unknown as RatelimitEnv // The only binding that is used.
  const draw = regionDraws(
    env,
    async (one) => {
      home.push(one)
      return one.draws.map((_, at) => drawOf(50 + at))
    },
    () => 'weur',
    200,
  )
  return { asked, home, draw }
}

describe('regionDraws()', () => {
  it('asks the object of the region, and the counter for what it could not answer', async () => {
    const { asked, home, draw } = setUp(async () => [null, drawOf(9, 4)])
    expect(await draw(call())).toEqual([drawOf(50), drawOf(9, 4)])
    expect(asked).toEqual(['weur: weur key:a'])
    expect(home.map(({ draws }) => draws)).toEqual([[['a', 1, 1, 100, 0, 0, []]]])
  })

  it('does not ask a region that failed for ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    let isAway = true
    const { asked, home, draw } = setUp(async () => {
      if (isAway) throw new Error('away')
      return [drawOf(1), drawOf(2)]
    })
    expect(await draw(call())).toEqual([drawOf(50), drawOf(51)])
    isAway = false
    await draw(call())
    expect([asked.length, home.length]).toEqual([1, 2])
    vi.setSystemTime(Date.now() + 10_000)
    expect(await draw(call())).toEqual([drawOf(1), drawOf(2)])
    vi.useRealTimers()
  })

  it('asks the counter when the region does not answer in time', async () => {
    const { home, draw } = setUp(() => new Promise(() => {}))
    expect(await draw(call())).toEqual([drawOf(50), drawOf(51)])
    expect(home).toHaveLength(1)
  })

  it('asks counters in a jurisdiction directly', async () => {
    const { asked, home, draw } = setUp(async () => [])
    await draw(call('in:eu+ key:a'))
    expect([asked.length, home.length]).toEqual([0, 1])
    expect(home[0]?.draws).toEqual([wire('a'), wire('b')])
  })
})
