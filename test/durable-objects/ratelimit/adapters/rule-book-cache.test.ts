/** The rules of an isolate: how old they may be, who waits for a check, and what a failure leaves in force. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { parseFiles } from '#ratelimit/config/compile.ts'
import { readSettings } from '#ratelimit/settings.ts'

const settings = readSettings({ RULES_MAX_STALENESS: '1s' })
const defaults = readSettings({})

/** A rule book whose checks end when a test says so. */
function book() {
  const state = { revision: 0, asked: [] as number[], isAway: false, isTooLarge: false }
  const held: (() => void)[] = []
  let isHeld = false
  const files = () => [
    {
      key: 'config.shop',
      text: `domain: shop\ndescriptors: [{key: k, rate_limit: {unit: day, requests_per_unit: ${state.revision}}}]\n`,
    },
  ]
  const answer = async <T>(revision: number, made: () => T) => {
    state.asked.push(revision)
    if (isHeld) await new Promise<void>((resolve) => held.push(resolve))
    if (state.isAway) throw new Error('the object is away')
    return state.revision > revision ? { revision: state.revision, files: made() } : null
  }
  const object = {
    async readNewerThan(revision: number) {
      if (state.isTooLarge) throw new TypeError('there is no such method')
      return answer(revision, () => parseFiles(files()))
    },
    newerThan: (revision: number) => answer(revision, files),
  }
  // Nothing else of the environment is read, but for a logger that writes nothing.
  const env = { RULE_BOOK: { getByName: () => object }, LOG_LEVEL: 'fatal' } as unknown as RatelimitEnv
  return {
    env,
    state,
    hold: () => {
      isHeld = true
    },
    release() {
      isHeld = false
      for (const go of held.splice(0)) go()
    },
  }
}

function context() {
  const works: Promise<unknown>[] = []
  const ctx = { waitUntil: (work: Promise<unknown>) => void works.push(work) }
  // Nothing else of the context is used.
  return { ctx: ctx as unknown as ExecutionContext, works }
}

let cache: typeof import('#workers/ratelimit/adapters/rule-book-cache.ts')
let nowMs = 0
/** The waits of requests, ended by a test. */
let waits: { readonly milliseconds: number; readonly end: () => void }[] = []

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})
beforeEach(async () => {
  // An isolate keeps its rules for its life; each test has a new one.
  vi.resetModules()
  nowMs = 1_000_000
  waits = []
  vi.spyOn(Date, 'now').mockImplementation(() => nowMs)
  vi.stubGlobal('scheduler', {
    wait: (milliseconds: number) => new Promise<void>((end) => waits.push({ milliseconds, end })),
  })
  cache = await import('#workers/ratelimit/adapters/rule-book-cache.ts')
})

describe('currentRules()', () => {
  it('waits for the first rules, and decides by a copy that is younger than half of the bound', async () => {
    const { env, state } = book()
    const { ctx, works } = context()
    state.revision = 3
    expect(await cache.currentRules(env, ctx, settings)).toMatchObject({ revision: 3 })
    nowMs += 499
    expect((await cache.currentRules(env, ctx, settings)).rules?.domains.has('shop')).toBe(true)
    expect([state.asked, works.length]).toEqual([[0], 0])
  })

  it('checks in the background in the second half, once for all requests', async () => {
    const { env, state, hold, release } = book()
    const { ctx, works } = context()
    state.revision = 1
    await cache.currentRules(env, ctx, settings)
    state.revision = 2
    hold()
    nowMs += 500
    for (let at = 0; at < 3; at++) expect((await cache.currentRules(env, ctx, settings)).revision).toBe(1)
    expect([state.asked, works.length]).toEqual([[0, 1], 1])
    release()
    await Promise.all(works)
    expect((await cache.currentRules(env, ctx, settings)).revision).toBe(2)
  })

  it('counts a check without an answer for five seconds as lost', async () => {
    const { env, hold } = book()
    const { ctx, works } = context()
    const patient = readSettings({ RULES_MAX_STALENESS: '60s' })
    await cache.currentRules(env, ctx, patient)
    hold()
    nowMs += 40_000
    await cache.currentRules(env, ctx, patient)
    nowMs += 5_000
    await cache.currentRules(env, ctx, patient)
    expect(works.length).toBe(1)
    nowMs += 1
    await cache.currentRules(env, ctx, patient)
    expect(works.length).toBe(2)
  })

  it('waits for a check when the bound is reached, or when the clock was set back', async () => {
    const { env, state } = book()
    const { ctx, works } = context()
    state.revision = 1
    await cache.currentRules(env, ctx, settings)
    for (const step of [1_000, -60_000]) {
      nowMs += step
      state.revision += 1
      expect((await cache.currentRules(env, ctx, settings)).revision).toBe(state.revision)
    }
    expect([state.asked, works.length]).toEqual([[0, 1, 2], 0])
  })

  it('asks once for three decisions at one a second, and each half second where many share the question', async () => {
    const { env, state } = book()
    const { ctx, works } = context()
    const decide = async (times: number, everyMs: number) => {
      const asked = state.asked.length
      for (let at = 0; at < times; at++) {
        nowMs += everyMs
        if (cache.freshRules(defaults) === undefined) await cache.currentRules(env, ctx, defaults)
        await Promise.all(works)
      }
      return state.asked.length - asked
    }
    await cache.refreshRules(env, defaults)
    expect(await decide(30, 1_000)).toBe(10)
    expect(await decide(200, 50)).toBe(20)
  })

  it('decides by its copy again after the one check that follows a clock that was set back', async () => {
    const { env, state } = book()
    const { ctx } = context()
    await cache.currentRules(env, ctx, settings)
    nowMs -= 3_600_000
    for (let at = 0; at < 3; at++) await cache.currentRules(env, ctx, settings)
    expect(state.asked.length).toBe(2)
    expect([cache.freshRules(settings), cache.runningRules().ageMs]).toEqual([{ revision: 0, rules: null }, 0])
  })

  it('goes on with the copy when a check takes longer than two seconds', async () => {
    const { env, state, hold, release } = book()
    const { ctx } = context()
    state.revision = 1
    await cache.currentRules(env, ctx, settings)
    state.revision = 2
    hold()
    nowMs += 1_000
    const waiting = cache.currentRules(env, ctx, settings)
    waits.at(-1)?.end()
    expect([(await waiting).revision, waits.map(({ milliseconds }) => milliseconds)]).toEqual([1, [5_000, 2_000]])
    release()
  })

  it('keeps the copy while the object fails, and asks again after a second', async () => {
    const { env, state } = book()
    const { ctx } = context()
    state.revision = 1
    await cache.currentRules(env, ctx, settings)
    state.isAway = true
    nowMs += 1_000
    expect((await cache.currentRules(env, ctx, settings)).revision).toBe(1)
    const asked = state.asked.length
    nowMs += 999
    await cache.currentRules(env, ctx, settings)
    expect(state.asked.length).toBe(asked)
    state.isAway = false
    state.revision = 2
    nowMs += 1
    expect((await cache.currentRules(env, ctx, settings)).revision).toBe(2)
  })

  it('reads the files here when they are too many for one answer of the object', async () => {
    const { env, state } = book()
    state.revision = 1
    state.isTooLarge = true
    const { rules } = await cache.currentRules(env, context().ctx, settings)
    expect(rules?.domains.has('shop')).toBe(true)
  })
})

describe('freshRules() and refreshRules()', () => {
  it('gives a copy only while no check of it is due', async () => {
    const { env } = book()
    expect(cache.freshRules(settings)).toBeUndefined()
    await cache.refreshRules(env, settings)
    nowMs += 499
    expect(cache.freshRules(settings)).toEqual({ revision: 0, rules: null })
    nowMs += 1
    expect(cache.freshRules(settings)).toBeUndefined()
    expect(cache.runningRules().ageMs).toBe(500)
  })

  it('never goes back to an older revision when two checks overlap', async () => {
    const { env, state, hold, release } = book()
    state.revision = 1
    hold()
    const slow = cache.refreshRules(env, settings)
    const other = book()
    other.state.revision = 5
    await cache.refreshRules(other.env, settings)
    release()
    expect((await slow).revision).toBe(5)
  })
})
