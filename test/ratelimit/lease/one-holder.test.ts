/** One holder and no other: none of its hits is refused for a lease that the counter has just granted to it. */

import { expect, it } from 'vitest'
import { createRandom, type Random } from '#base/random.ts'
import type { Window } from '#ratelimit/counter.ts'
import { drawFrom } from '#ratelimit/lease/draw.ts'
import { createLeaseHolder } from '#ratelimit/lease/holder.ts'
import { createLeaseBook } from '#ratelimit/lease/lease-book.ts'
import { type DrawCall, leaseSource } from '#ratelimit/lease/source.ts'
import { leaseStore } from '#ratelimit/lease/store.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { sweep } from '../../support/sweep.ts'

const limit = 20

/** Time that passes only while `run` waits for something. */
function createTime(startMs: number) {
  const sleepers: { readonly atMs: number; readonly wake: () => void }[] = []
  const time = {
    nowMs: startMs,
    sleep: (milliseconds: number) =>
      new Promise<void>((wake) => sleepers.push({ atMs: time.nowMs + milliseconds, wake })),
    async run<T>(work: Promise<T>): Promise<T> {
      let isRunning = true
      const end = () => {
        isRunning = false
      }
      work.then(end, end)
      for (;;) {
        await new Promise(setImmediate)
        if (!isRunning) return work
        const next = sleepers.toSorted((one, other) => one.atMs - other.atMs)[0]
        if (next === undefined) throw new Error('Cannot go on: nothing is waited for')
        sleepers.splice(sleepers.indexOf(next), 1)
        time.nowMs = next.atMs
        next.wake()
      }
    },
  }
  return time
}

/** A store whose holder is the only one, before a counter that answers late and in turn. */
function createStore(random: Random, mostBackMs: number) {
  const time = createTime(1_700_000_000_000)
  const book = createLeaseBook()
  let kept: Window | undefined
  let turn = Promise.resolve()

  async function draw({ id, holder, draws }: DrawCall) {
    turn = turn.then(() => time.sleep(random.uniform() * 50))
    await turn
    const answers = draws.map((wire) => {
      const counter = { name: 'a', unit: 'MONTH', window: kept, isBlocked: false } as const
      const drawn = drawFrom(book, counter, wire, { id, holder, nowMs: time.nowMs })
      kept = drawn.window
      return drawn.draw
    })
    if (mostBackMs > 0) await time.sleep(random.uniform() * mostBackMs)
    return answers
  }

  const now = () => time.nowMs
  const source = leaseSource(readSettings({}), draw, () => Math.floor(time.nowMs / 1000))
  const world = { now, wait: time.sleep, drawId: () => random.uint32() }
  const holder = createLeaseHolder({ most: 100, source, world })
  const unasked = () => Promise.reject(new Error('Cannot count: every hit is leased'))
  const call = {
    now,
    later: (work: Promise<void>) => void work,
    within: <T>(work: Promise<T>) => work,
    stats: { record: () => {} },
  }
  return { time, store: leaseStore({ hit: unasked, peek: unasked }, holder, call) }
}

/**
 * Makes requests of one or two hits, one after the other, until the limit is reached.
 *
 * @param mostBackMs - the longest way of an answer; with 0 answers arrive in the order in which they were given.
 * @returns the counter after each hit, as the answers tell it.
 */
async function play(seed: number, mostBackMs: number): Promise<readonly number[]> {
  const random = createRandom(seed, 'one-holder')
  const { time, store } = createStore(random, mostBackMs)
  const told: number[] = []
  while (told.length < limit) {
    const hits = Array.from({ length: Math.min(limit - told.length, random.integer(1, 2)) }, () => 1)
    const answers = await time.run(
      store.hit(hits.map((addend) => ({ key: 'a', unit: 'MONTH', addend, limit, isLeased: true }))),
    )
    told.push(...answers.map(({ after }) => after))
    await time.run(time.sleep(random.uniform() * 300))
  }
  return told
}

it('leaseStore() admits each hit of a single holder up to the limit', async () => {
  for (let seed = 0; seed < sweep(5_000, 60); seed++) {
    const told = await play(seed, 200)
    expect({ seed, refused: told.filter((after) => after > limit) }).toEqual({ seed, refused: [] })
  }
})

it('leaseStore() tells a single holder the exact number of its hits while answers arrive in order', async () => {
  const exact = Array.from({ length: limit }, (_, at) => at + 1)
  for (let seed = 0; seed < sweep(5_000, 60); seed++) {
    expect({ seed, told: await play(seed, 0) }).toEqual({ seed, told: exact })
  }
})
