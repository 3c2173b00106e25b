/** Envoys on a new stream: which of them go on with what they had, and that no window admits a hit above its limit. */

import { describe, expect, it } from 'vitest'
import { createPool, type Pool } from '#ratelimit/quota/pool.ts'
import { type Client, createReclaims } from '#ratelimit/quota/reclaim.ts'
import type { Usage } from '#ratelimit/quota/report.ts'
import { lifeWithKills } from '#test/support/quota-lives.ts'
import { type Part, simulate } from '#test/support/quota-world.ts'
import { sweep } from '#test/support/sweep.ts'

const named: Client = { id: 'name edge-1', isNamed: true }
const address: Client = { id: 'address 10.0.0.1', isNamed: false }
const detached = { bucket: 'b', holder: 'h' }

/** A pool that fits every report. */
const fitting = { fits: () => true } as unknown as Pool
const reportOf = (usage: Partial<Usage> = {}, pool = fitting) => {
  return { usage: { allowed: 3, denied: 0, elapsed: 5, ...usage }, pool, nowMs: 0 }
}

/** A client whose one stream has ended, and which has opened another. */
function reopened(client: Client) {
  const reclaims = createReclaims()
  reclaims.open(client)
  reclaims.keep(client, detached)
  reclaims.close(client)
  reclaims.open(client)
  return reclaims
}

describe('createReclaims()', () => {
  it.each([named, address])('finds the holder of a client ($id) and its bucket, and of no other', (client) => {
    const reclaims = reopened(client)
    expect(reclaims.find(client, 'b', reportOf())).toBe('h')
    expect(reclaims.find(client, 'other', reportOf())).toBeUndefined()
    expect(reclaims.find({ ...client, id: 'other' }, 'b', reportOf())).toBeUndefined()
    reclaims.forget(client, detached)
    expect(reclaims.find(client, 'b', reportOf())).toBeUndefined()
  })

  it('finds nothing for the first report of a bucket, which covers no time', () => {
    expect(reopened(named).find(named, 'b', reportOf({ elapsed: 0 }))).toBeUndefined()
  })

  it('finds nothing for an address of which no hit passed: it may be an Envoy that never had an assignment', () => {
    expect(reopened(address).find(address, 'b', reportOf({ allowed: 0 }))).toBeUndefined()
    expect(reopened(named).find(named, 'b', reportOf({ allowed: 0 }))).toBe('h')
  })

  it('finds nothing for a client with two streams at once, until it has neither a stream nor a holder', () => {
    const reclaims = reopened(named)
    reclaims.open(named)
    expect(reclaims.isUnique(named)).toBe(false)
    reclaims.close(named)
    expect(reclaims.find(named, 'b', reportOf())).toBeUndefined()
    reclaims.close(named)
    expect(reclaims.isUnique(named)).toBe(false)
    reclaims.forget(named, detached)
    expect(reclaims.isUnique(named)).toBe(true)
  })

  it('finds nothing where two holders of a client had the bucket', () => {
    const reclaims = reopened(named)
    reclaims.keep(named, { ...detached, holder: 'other' })
    expect(reclaims.find(named, 'b', reportOf())).toBeUndefined()
  })

  it('finds nothing for a report that does not fit: more hits than were left, or a longer time', () => {
    const pool = createPool({ limit: 600, unit: 'MINUTE', lifeSeconds: 30 })
    pool.report('h', { allowed: 0, denied: 50, elapsed: 0 }, 600_000)
    const wanted = pool.plan(600_000)?.wanted ?? 0
    const draw = { after: wanted, windowStart: 600, millisecondsUntilReset: 60_000, granted: wanted }
    pool.settle({ ...draw, outstanding: 0, faults: 0 }, 1, 600_000)
    const reclaims = reopened(address)
    const find = (usage: Partial<Usage>) => reclaims.find(address, 'b', { ...reportOf(usage, pool), nowMs: 605_000 })
    expect(find({})).toBeUndefined()
    pool.detach('h')
    expect(find({})).toBe('h')
    expect(find({ allowed: wanted + 1 })).toBeUndefined()
    expect(find({ elapsed: 7 })).toBeUndefined()
  })
})

/** The part of its limit that a minute admits under overload, in eight lives with a kill in its first half. */
function admittedWith(part: Part | null, isKnown: boolean): readonly number[] {
  return Array.from({ length: 8 }, (_, at) => {
    const kills = part === null ? [] : [{ atMs: 65_000 + at * 4_000, part, downMs: 2_000 }]
    const clientOf = (envoy: number) => (isKnown ? { id: `${envoy}`, isNamed: false } : null)
    const demands = [() => 200, () => 30]
    const life = { limit: 1_200, demands, seconds: 120, startMs: 540_000, kills, clientOf, isKept: true }
    return (simulate({ seed: at + 1, ...life }).admitted.get(10) ?? 0) / 1_200
  })
}

describe('a pool whose Envoys come back on a new stream', () => {
  const whole = admittedWith(null, true)

  it.each(['stream', 'front', 'object', 'counter'] as const)(
    'loses less than 3 %% of a minute to a kill of a part: %s',
    (part) => {
      for (const [at, admitted] of admittedWith(part, true).entries()) {
        expect(admitted).toBeLessThanOrEqual(1)
        expect(admitted).toBeGreaterThanOrEqual((whole[at] ?? 1) - 0.03)
      }
    },
  )

  it('loses a quarter of a minute and more where the front does not say who they are', () => {
    const admitted = admittedWith('front', false)
    expect(admitted.reduce((sum, part) => sum + part, 0) / admitted.length).toBeLessThan(0.75)
  })

  it('never admits a hit above the limit, in random lives with kills of every part', () => {
    for (let seed = 1; seed <= sweep(10_000, 80); seed++) expect(lifeWithKills(seed)).toEqual([])
  })
})
