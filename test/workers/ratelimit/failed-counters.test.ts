/** Counter objects that could not be asked, and whether readiness still counts them. */

import { describe, expect, it } from 'vitest'
import type { CounterNamespace } from '#objects/ratelimit/back-end/counter-at.ts'
import { assertCounters, maxFailedCounters, noteFailed } from '#objects/ratelimit/back-end/failed-counters.ts'

/** An environment whose counter objects fail by name, and who was asked. */
function environment() {
  const broken = new Set<string>()
  const asked: string[] = []
  const getByName = (name: string) => ({
    async hit() {
      asked.push(name)
      if (broken.has(name)) throw new Error(`${name} is broken`)
      return []
    },
  })
  const COUNTER: CounterNamespace<ReturnType<typeof getByName>> = { getByName, jurisdiction: () => COUNTER }
  return { broken, asked, env: { COUNTER } }
}
const fail = (name: string) => noteFailed(name, Promise.reject(new Error('no answer'))).catch(() => undefined)

describe('assertCounters()', () => {
  it('asks no object while every call has had an answer', async () => {
    const { asked, env } = environment()
    expect(await noteFailed('shard:1/64', Promise.resolve(7))).toBe(7)
    await assertCounters(env)
    expect(asked).toEqual([])
  })

  it('fails while an object fails again, and forgets it once it answers', async () => {
    const { asked, broken, env } = environment()
    broken.add('shard:1/64')
    await fail('shard:1/64')
    await expect(assertCounters(env)).rejects.toThrow('shard:1/64 is broken')
    await expect(assertCounters(env)).rejects.toThrow('shard:1/64 is broken')
    broken.clear()
    await assertCounters(env)
    await assertCounters(env)
    expect(asked).toEqual(['shard:1/64', 'shard:1/64', 'shard:1/64'])
  })

  it('keeps 16 names at most, however many objects fail', async () => {
    const { asked, env } = environment()
    for (let at = 0; at < 100; at++) await fail(`key:${at}`)
    await assertCounters(env)
    expect(asked).toHaveLength(maxFailedCounters)
  })
})
