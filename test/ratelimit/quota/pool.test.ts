/** Assignments in a model: Envoys, a counter that others hit and lease from, late messages, lost answers, restarts. */

import { describe, expect, test } from 'vitest'
import { addHits, type Window } from '#ratelimit/counter.ts'
import { drawFrom } from '#ratelimit/quota/draw.ts'
import type { Usage } from '#ratelimit/quota/holding.ts'
import { createLeaseBook } from '#ratelimit/quota/lease.ts'
import { createPool, lagOf } from '#ratelimit/quota/pool.ts'
import { createQuotaEnvoy } from '../../support/quota-envoy.ts'
import { sweep } from '../../support/sweep.ts'

const unit = 'MINUTE'
const lag = lagOf(unit)
const stepMs = 100

/** Random numbers of a seed, 0 to 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

interface Scenario {
  readonly seed: number
  readonly limit: number
  /** Hits a second that each Envoy is asked for, from a moment on in seconds. */
  readonly demands: readonly ((second: number) => number)[]
  readonly seconds: number
  readonly lifeSeconds?: number
  readonly reportMs?: number
  /** Chance that an answer of the counter is lost, and that the object restarts or an Envoy's stream breaks, a step. */
  readonly lossy?: number
  readonly breaking?: number
  /** Hits a second on the counter that no Envoy makes. */
  readonly direct?: number
  /** Chance that an isolate leases, in a step. */
  readonly leasing?: number
  /** What the first Envoy reports of its use: nothing at all, or that every hit was refused. */
  readonly hides?: 'all' | 'as refused'
}

interface Outcome {
  /** Admitted hits by window, over all Envoys, direct hits and leases. */
  readonly admitted: ReadonlyMap<number, number>
  /** Hits by window that passed the first Envoy, all of them hidden where it hides. */
  readonly byFirst: ReadonlyMap<number, number>
  /** Hits that passed each Envoy, by second. */
  readonly bySecond: readonly (readonly number[])[]
  readonly sent: number
}

/** Messages on their way, delivered in order, each late by up to the lag. */
interface Mail {
  readonly atMs: number
  readonly deliver: () => void
}

function simulate(scenario: Scenario): Outcome {
  const {
    seed,
    limit,
    demands,
    seconds,
    lifeSeconds = 30,
    reportMs = 5_000,
    lossy = 0,
    breaking = 0,
  } = scenario
  const random = randomOf(seed)
  const hide = (at: number, { allowed, denied }: Usage): Usage => {
    if (at > 0 || scenario.hides === undefined) return { allowed, denied }
    return { allowed: 0, denied: scenario.hides === 'all' ? 0 : allowed + denied }
  }
  const book = createLeaseBook()
  let window: Window | undefined
  const admitted = new Map<number, number>()
  const byFirst = new Map<number, number>()
  const admit = (hits: number, nowMs: number, into = admitted) => {
    const start = Math.floor(nowMs / 60_000)
    into.set(start, (into.get(start) ?? 0) + hits)
  }
  const counter = () => ({ name: 'k', unit, window, isBlocked: false }) as const
  let pool = createPool({ limit, unit, lifeSeconds })
  const envoys = demands.map((demand) => ({
    demand,
    envoy: createQuotaEnvoy(),
    owed: 0,
    nextReportMs: 0,
    name: 0,
  }))
  const mail: Mail[] = []
  let [ids, sent] = [0, 0]
  const bySecond = envoys.map(() => new Array<number>(seconds).fill(0))
  const startMs = 60_000 * (10 + Math.floor(random() * 5)) + Math.floor(random() * 600) * 100
  // The last moment of delivery to and from each Envoy, so that messages stay in order.
  const lastMail = envoys.map(() => ({ up: 0, down: 0 }))
  const late = (nowMs: number, at: number, way: 'up' | 'down') => {
    const line = lastMail[at] ?? { up: 0, down: 0 }
    line[way] = Math.max(line[way], nowMs + Math.floor(random() * (lag / stepMs)) * stepMs)
    return line[way]
  }
  for (let nowMs = startMs; nowMs < startMs + seconds * 1000; nowMs += stepMs) {
    const due = mail.filter(({ atMs }) => atMs <= nowMs)
    mail.splice(0, mail.length, ...mail.filter(({ atMs }) => atMs > nowMs))
    for (const { deliver } of due) deliver()
    const second = Math.floor((nowMs - startMs) / 1000)
    for (const [at, one] of envoys.entries()) {
      one.owed += (one.demand(second) * stepMs) / 1000
      const hits = Math.floor(one.owed)
      one.owed -= hits
      const passed = one.envoy.ask(hits, nowMs)
      if (passed > 0) admit(passed, nowMs)
      if (passed > 0 && at === 0) admit(passed, nowMs, byFirst)
      const seen = bySecond[at]
      if (seen !== undefined) seen[second] = (seen[second] ?? 0) + passed
      if (random() < breaking) {
        pool.leave(`${at}:${one.name}`)
        one.name += 1
      }
      if (nowMs >= one.nextReportMs) {
        one.nextReportMs = nowMs + reportMs
        const [usage, name] = [hide(at, one.envoy.usage()), one.name]
        const reported = () => {
          if (name === one.name) pool.report(`${at}:${name}`, usage, nowOf())
        }
        mail.push({ atMs: late(nowMs, at, 'up'), deliver: reported })
      }
    }
    const nowOf = () => nowMs
    if (random() * 1000 < (scenario.direct ?? 0) * stepMs) {
      const after = addHits(window, unit, 1, Math.floor(nowMs / 1000))
      // A hit that does not fit is refused and, beside open leases, not counted.
      if (after.hits.after <= limit) {
        window = after.window
        admit(1, nowMs)
      }
    }
    if (random() < (scenario.leasing ?? 0)) {
      const wire = ['k', 1, 0, limit, 5, 0, []] as const
      const drawn = drawFrom(book, counter(), wire, { id: -nowMs, holder: 2, nowMs })
      window = drawn.window
      // Everything that is granted is used, somewhere in the rest of the window.
      admit(drawn.draw.granted, nowMs)
    }
    if (random() < breaking) pool = createPool({ limit, unit, lifeSeconds })
    for (const silent of pool.silent(nowMs)) pool.leave(silent)
    if ((nowMs / stepMs) % 5 !== 0) continue
    const plan = pool.plan(nowMs)
    if (plan === null) continue
    const id = ++ids
    const returned = plan.lease === null ? [] : [plan.lease, plan.unused]
    const wire = ['k', 1, plan.addend, limit, plan.wanted, 1, returned] as const
    const isAskLost = random() < lossy
    if (isAskLost) {
      pool.fail()
      continue
    }
    const drawn = drawFrom(book, counter(), wire, { id, holder: 1, nowMs })
    window = drawn.window
    if (random() < lossy) {
      pool.fail()
      continue
    }
    for (const message of pool.settle(drawn.draw, id, nowMs)) {
      const [at = 0, name = 0] = message.holder.split(':').map(Number)
      const one = envoys[at]
      sent += 1
      if (one === undefined || one.name !== name) continue
      const deliver = () => one.envoy.receive(message, nowOf2())
      const nowOf2 = () => deliveredMs
      const deliveredMs = late(nowMs, at, 'down')
      mail.push({ atMs: deliveredMs, deliver })
    }
  }
  return { admitted, byFirst, bySecond, sent }
}

const steady = (rate: number) => () => rate
const between = (bySecond: readonly (readonly number[])[], at: number, from: number, to: number) =>
  (bySecond[at] ?? []).slice(from, to).reduce((sum, hits) => sum + hits, 0)

describe('a pool', () => {
  test('admits the limit and no more under overload, within 5 %, and shares it by demand', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { admitted } = simulate({ seed, limit: 1_200, demands: [steady(200), steady(30)], seconds: 300 })
      const whole = [...admitted.values()].slice(1, -1)
      for (const hits of whole) {
        expect(hits).toBeLessThanOrEqual(1_200)
        expect(hits).toBeGreaterThanOrEqual(1_140)
      }
    }
  })

  test('gives a small demand what it asks for and the rest to the large one', () => {
    const { bySecond } = simulate({ seed: 3, limit: 6_000, demands: [steady(300), steady(10)], seconds: 240 })
    const [large, small] = [between(bySecond, 0, 60, 240), between(bySecond, 1, 60, 240)]
    expect(small).toBeGreaterThanOrEqual(0.9 * 10 * 180)
    expect(large + small).toBeGreaterThanOrEqual(0.93 * 100 * 180)
  })

  test('follows a demand that moves to another Envoy', () => {
    const first = (second: number) => (second < 90 ? 200 : 1)
    const other = (second: number) => (second < 90 ? 1 : 200)
    const { bySecond } = simulate({ seed: 5, limit: 6_000, demands: [first, other], seconds: 240 })
    expect(between(bySecond, 1, 120, 240)).toBeGreaterThanOrEqual(0.85 * 100 * 120)
  })

  test('hands a limit smaller than the number of Envoys out hit by hit', () => {
    const demands = Array.from({ length: 8 }, () => steady(5))
    const { admitted } = simulate({ seed: 7, limit: 3, demands, seconds: 240 })
    const whole = [...admitted.values()].slice(1, -1)
    expect(Math.max(...whole)).toBeLessThanOrEqual(3)
    expect(Math.min(...whole)).toBeGreaterThanOrEqual(1)
  })

  test('sends an Envoy with a steady demand an assignment now and then, not at every report', () => {
    const { sent } = simulate({ seed: 9, limit: 6_000, demands: [steady(20)], seconds: 300 })
    expect(sent).toBeLessThan(60)
  })

  test('an Envoy that claims an endless demand gets no more than its equal part beside one with a real demand', () => {
    const pool = createPool({ limit: 6_000, unit, lifeSeconds: 30 })
    const start = 600_000
    for (let nowMs = start; nowMs <= start + 10_000; nowMs += 5_000) {
      pool.report('honest', { allowed: 0, denied: 500 }, nowMs)
      pool.report('liar', { allowed: 0, denied: Number.MAX_SAFE_INTEGER }, nowMs)
    }
    const plan = pool.plan(start + 10_000)
    const draw = { after: plan?.wanted ?? 0, windowStart: 600, millisecondsUntilReset: 50_000, faults: 0 }
    const sent = pool.settle({ ...draw, granted: plan?.wanted ?? 0, outstanding: 0 }, 1, start + 10_000)
    const [one, other] = sent.map(({ bucket }) => bucket?.tokensPerFill ?? 0)
    expect(Math.abs((one ?? 0) - (other ?? 0))).toBeLessThanOrEqual((one ?? 0) / 100)
  })

  test.each([
    { hides: 'all', others: [], most: 3 },
    { hides: 'as refused', others: [], most: 3 },
    { hides: 'as refused', others: [steady(100)], most: 2 },
  ] as const)('an Envoy that hides its hits ($hides) exceeds the limit by no more than it hid', (row) => {
    const demands = [steady(200), ...row.others]
    const lives = Array.from({ length: 20 }, (_, seed) =>
      simulate({ seed: seed + 1, limit: 1_200, lifeSeconds: 5, demands, seconds: 300, hides: row.hides }),
    )
    for (const { admitted, byFirst } of lives) {
      for (const [window, hits] of admitted) {
        expect(hits).toBeLessThanOrEqual(1_200 + (byFirst.get(window) ?? 0))
      }
    }
    const worst = Math.max(...lives.flatMap(({ admitted }) => [...admitted.values()])) / 1_200
    expect(worst).toBeGreaterThan(1)
    expect(worst).toBeLessThan(row.most)
  })

  test('an Envoy that claims endless hits takes no more than the limit from the counter', () => {
    const pool = createPool({ limit: 100, unit, lifeSeconds: 30 })
    pool.report('liar', { allowed: Number.MAX_SAFE_INTEGER, denied: 0 }, 600_000)
    expect(pool.plan(600_000)?.addend).toBe(101)
  })

  test('lets a silent holder go, and charges what it had left', () => {
    const pool = createPool({ limit: 100, unit, lifeSeconds: 30 })
    pool.report('gone', { allowed: 0, denied: 5 }, 600_000)
    expect(pool.silent(610_000)).toEqual([])
    expect(pool.silent(616_000)).toEqual(['gone'])
    pool.leave('gone')
    expect(pool.size).toBe(0)
  })
})

/** A scenario drawn from a seed: rates from idle to overload, late and lost messages, restarts, other hits. */
function scenarioOf(seed: number, others: Pick<Scenario, 'direct' | 'leasing'>): Scenario {
  const random = randomOf(seed * 7_919)
  const limit = 1 + Math.floor(random() ** 3 * 3_000)
  const count = 1 + Math.floor(random() * 3)
  const demands = Array.from({ length: count }, () => {
    const rate = random() * (limit / 20)
    const [from, to] = [random() * 90, random() * 90]
    return (second: number) => (second >= from && second < to ? rate * 4 : rate)
  })
  const chance = random() < 0.5 ? 0.01 : 0
  return {
    seed,
    limit,
    demands,
    seconds: 90,
    lifeSeconds: 5 + Math.floor(random() * 40),
    reportMs: 1_000 + Math.floor(random() * 40) * 100,
    lossy: chance * 10,
    breaking: chance / 4,
    ...others,
  }
}

describe('random lives', () => {
  test.each([
    { of: 'assignments', others: {}, seeds: sweep(5_000, 200), from: 1 },
    {
      of: 'assignments, direct hits and leases',
      others: { direct: 2, leasing: 0.02 },
      seeds: sweep(5_000, 200),
      from: 5_001,
    },
  ])('of $of never admit a hit above the limit', ({ others, seeds, from }) => {
    for (let seed = from; seed < from + seeds; seed++) {
      const scenario = scenarioOf(seed, others)
      for (const [window, hits] of simulate(scenario).admitted) {
        if (hits > scenario.limit) {
          throw new Error(`seed ${seed}, window ${window}: ${hits} of ${scenario.limit} were admitted`)
        }
      }
    }
  })
})
