/** Reports of decisions: one request carries those of many, the object may ask for a pause, and a lost one is left out. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import type { UsageSink } from '#ratelimit/ports.ts'
import type { UsageReport } from '#ratelimit/usage/types.ts'

let adapters: typeof import('#workers/ratelimit/adapters/usage-sink.ts')
let nowMs = 0
/** The waits of requests behind their answers, ended by a test. */
let waits: { readonly milliseconds: number; readonly end: () => void }[] = []

beforeEach(async () => {
  // An isolate keeps its tally for its life; each test has a new one.
  vi.resetModules()
  nowMs = 1_000_000
  waits = []
  vi.spyOn(Date, 'now').mockImplementation(() => nowMs)
  vi.stubGlobal('scheduler', {
    wait: (milliseconds: number) => new Promise<void>((end) => waits.push({ milliseconds, end })),
  })
  adapters = await import('#workers/ratelimit/adapters/usage-sink.ts')
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

type Decided = Parameters<UsageSink['add']>[0]
const decided = (domain: string): Decided => ({
  request: { domain, descriptors: [], hitsAddend: 1 },
  response: { overallCode: 'OK', statuses: [], responseHeadersToAdd: [] },
  decided: [],
  isKnownDomain: true,
  isShadowed: false,
  nowMs,
})

/** An object that records reports and asks for a pause. */
function setUp() {
  const reports: { readonly report: UsageReport; readonly recorded: number }[] = []
  const state = { pauseMs: 0, isAway: false }
  const report = async (one: UsageReport, recorded: number) => {
    reports.push({ report: one, recorded })
    if (state.isAway) throw new Error('the object is away')
    return state.pauseMs
  }
  // Nothing else of the environment is read, but for a logger that writes nothing.
  const env = { STATS: { getByName: () => ({ report }) }, LOG_LEVEL: 'fatal' } as unknown as RatelimitEnv
  const works: Promise<unknown>[] = []
  // Nothing else of the context is used.
  const ctx = { waitUntil: (work: Promise<unknown>) => void works.push(work) } as unknown as ExecutionContext
  const sink = adapters.usageSink(env, ctx, 7, (body) => body())
  const admitted = () =>
    reports.map(({ report: { counts } }) => counts.map(({ domain, admitted: hits }) => `${domain} ${hits}`))
  return { env, sink, works, state, reports, admitted }
}

describe('usageSink()', () => {
  it('reports the decisions of a second at once, carried by the first request', async () => {
    const { sink, works, reports, admitted } = setUp()
    for (const domain of ['a', 'b', 'a']) sink.add(decided(domain))
    expect([works.length, waits.map(({ milliseconds }) => milliseconds)]).toEqual([1, [1_000]])
    waits[0]?.end()
    await Promise.all(works)
    expect([admitted(), reports[0]?.recorded]).toEqual([[['a 2', 'b 1']], 7])
    sink.add(decided('c'))
    expect(works.length).toBe(2)
  })

  it('waits as long as the object asks for, and never less than a second', async () => {
    const { sink, works, state } = setUp()
    for (const pauseMs of [9_000, 10, 0]) {
      state.pauseMs = pauseMs
      sink.add(decided('a'))
      waits.at(-1)?.end()
      await Promise.all(works)
    }
    expect(waits.map(({ milliseconds }) => milliseconds)).toEqual([1_000, 9_000, 1_000])
  })

  it('has another request report when the first one was lost, after five seconds', () => {
    const { sink, works } = setUp()
    sink.add(decided('a'))
    nowMs += 1_000 + 4_999
    sink.add(decided('a'))
    expect(works.length).toBe(1)
    nowMs += 1
    sink.add(decided('a'))
    expect(works.length).toBe(2)
  })

  it('has one report under way after a late one that counted as lost', async () => {
    const { sink, works } = setUp()
    sink.add(decided('a'))
    nowMs += 1_000 + 5_000
    sink.add(decided('a'))
    waits[0]?.end()
    await works[0]
    sink.add(decided('a'))
    expect(works.length).toBe(2)
    waits[1]?.end()
    await works[1]
    sink.add(decided('a'))
    expect(works.length).toBe(3)
  })

  it('reports in a second from a reading on, though the object had asked for a long pause', async () => {
    const { env, sink, works, state, admitted } = setUp()
    state.pauseMs = 20_000
    sink.add(decided('a'))
    waits[0]?.end()
    await works[0]
    sink.add(decided('b'))
    await adapters.reportToReader(env, 0)
    sink.add(decided('c'))
    sink.add(decided('d'))
    expect(waits.map(({ milliseconds }) => milliseconds)).toEqual([1_000, 20_000, 1_000])
    waits[2]?.end()
    await works[2]
    expect(admitted()).toEqual([['a 1'], ['b 1'], ['c 1', 'd 1']])
  })

  it('leaves a report out that the object did not take, and reports what comes after it', async () => {
    const { env, sink, state, admitted } = setUp()
    sink.add(decided('lost'))
    state.isAway = true
    await adapters.reportToReader(env, 0)
    state.isAway = false
    sink.add(decided('next'))
    await adapters.reportToReader(env, 0)
    await adapters.reportToReader(env, 0)
    expect(admitted()).toEqual([['lost 1'], ['next 1']])
  })
})
