import { describe, expect, it } from 'vitest'
import type { ServingStatus } from '#proto-json/index.ts'
import { type Time, watchHealth } from '#workers/ratelimit/health-watch.ts'

/** A clock that only the waits move. */
function clock(onWait: () => void = () => {}) {
  let now = 1_000_000
  const time: Time = {
    now: () => now,
    async wait(milliseconds) {
      onWait()
      now += milliseconds
    },
  }
  return { time, now: () => now - 1_000_000 }
}

const never = new AbortController().signal

describe('watchHealth()', () => {
  it('reports the state at once and at every change, and nothing in between', async () => {
    const states: ServingStatus[] = ['NOT_SERVING', 'NOT_SERVING', 'SERVING', 'SERVING', 'NOT_SERVING']
    const look = async () => states.shift() ?? 'SERVING'
    const { time, now } = clock()
    const told: unknown[] = []
    for await (const state of watchHealth(look, never, time)) {
      told.push([now(), state])
      if (told.length === 4) break
    }
    expect(told).toEqual([
      [0, 'NOT_SERVING'],
      [4_000, 'SERVING'],
      [8_000, 'NOT_SERVING'],
      [10_000, 'SERVING'],
    ])
  })

  it('reports an unchanged state again after half a minute, and ends after ten minutes', async () => {
    const { time, now } = clock()
    const told: number[] = []
    for await (const _ of watchHealth(async () => 'SERVING', never, time)) told.push(now())
    expect(told.slice(0, 3)).toEqual([0, 30_000, 60_000])
    expect([told.length, now()]).toEqual([20, 600_000])
  })

  it('ends when the client has gone', async () => {
    const client = new AbortController()
    const { time } = clock(() => client.abort())
    const told: unknown[] = []
    for await (const state of watchHealth(async () => null, client.signal, time)) told.push(state)
    expect(told).toEqual([null])
  })

  it('throws what the look throws', async () => {
    const failure = new Error('cannot look')
    const states = watchHealth(() => Promise.reject(failure), never, clock().time)
    await expect(states.next()).rejects.toBe(failure)
  })
})
