/** Members of a quota object: which bucket draws from which pool, and what goes when a stream goes. */

import { describe, expect, it } from 'vitest'
import {
  clearMembers,
  closeStream,
  createMembers,
  dropMember,
  type MemberStream,
  type Members,
  noteTime,
  openStream,
} from '#objects/ratelimit/quota/member-table.ts'
import { rematchMembers, takeMember } from '#objects/ratelimit/quota/members.ts'
import { dropPool, savePool } from '#objects/ratelimit/quota/saved-pools.ts'
import type { SavedPool, SavedPools } from '#objects/ratelimit/storage/pools.ts'
import { type Bucket, bucketName } from '#ratelimit/quota/bucket.ts'
import type { Pool } from '#ratelimit/quota/pool.ts'
import { windowStart } from '#ratelimit/window.ts'
import { beginWork } from '#ratelimit/work.ts'
import { compileRules } from '#test/support/compile-rules.ts'

const text = `domain: gate
descriptors:
  - {key: hour, rate_limit: {unit: hour, requests_per_unit: 10}}
  - {key: second, rate_limit: {unit: second, requests_per_unit: 10}}
  - {key: trial, shadow_mode: true, rate_limit: {unit: hour, requests_per_unit: 10}}
  - {key: none, rate_limit: {unlimited: true}}
`
const domain = compileRules([{ key: 'gate.yaml', text }]).domains.get('gate') ?? null
const bucket = (key: string, value = 'v'): Bucket => [{ key, value }]

/** Pools that are saved in memory, and so outlive their members. */
function savedInMemory(): SavedPools & { readonly rows: ReadonlyMap<string, SavedPool> } {
  const rows = new Map<string, SavedPool>()
  return {
    rows,
    find: (name) => rows.get(name),
    save: (name, pool) => void rows.set(name, JSON.parse(JSON.stringify(pool))),
    forget: (name) => void rows.delete(name),
    expire: async () => {},
  }
}

const start = (mostBuckets = 100, total = { buckets: 1_000, characters: 1_000 }, saved = savedInMemory()) =>
  createMembers({ keyPrefix: '', lifeSeconds: 30, mostBuckets, total, saved })

/** Takes a bucket of a stream whose front does not say who opened it, or of a stream with a client. */
function take(members: Members, of: string | MemberStream, reported: Bucket, nowMs = 0, rules = domain) {
  const stream = typeof of === 'string' ? { id: of, domain: 'gate', client: null } : of
  const usage = { bucket: reported, allowed: 1, denied: 0, elapsed: 5 }
  return takeMember(members, stream, usage, { domain: rules, nowMs, work }) ?? null
}

/** Plays one report and one round of a bucket whose counter grants what is wanted; gives what is sent. */
function playRound(pool: Pool, holder: string, nowMs: number) {
  pool.report(holder, { allowed: 0, denied: 5, elapsed: 0 }, nowMs)
  const granted = pool.plan(nowMs)?.wanted ?? 0
  const start = windowStart('HOUR', Math.floor(nowMs / 1000))
  const millisecondsUntilReset = (start + 3_600) * 1_000 - nowMs
  const draw = { after: granted, windowStart: start, millisecondsUntilReset, granted, outstanding: granted, faults: 0 }
  return pool.settle(draw, 1, nowMs)
}

const holderOf = (stream: string, of: Bucket) => `${stream} ${bucketName(of)}`
const work = beginWork(1_000_000)

describe('createMembers()', () => {
  it('shares one pool among the buckets of one counter, and has another one for another value', () => {
    const members = start()
    const one = take(members, 'a', bucket('hour'))?.member
    const same = take(members, 'b', bucket('hour'))?.member
    const other = take(members, 'a', bucket('hour', 'w'))?.member
    expect(one?.counter).toMatchObject({ key: 'gate_hour_v_', unit: 'HOUR', limit: 10 })
    expect(same?.counter).toBe(one?.counter)
    expect(other?.counter).not.toBe(one?.counter)
    expect([...members.pools.values()]).toHaveLength(2)
  })

  it.each([
    ['hour', 'assigned'],
    ['second', 'refused'],
    ['trial', 'allowed'],
    ['none', 'allowed'],
    ['unknown', 'allowed'],
  ])('treats a bucket of the rule "%s" as %s', (key, kind) => {
    const member = take(start(), 'a', bucket(key))?.member
    expect(member?.kind).toBe(kind)
    expect(member?.counter === null).toBe(kind !== 'assigned')
  })

  it('allows every bucket of a domain without rules', () => {
    expect(take(start(), 'a', bucket('hour'), 0, null)?.member).toMatchObject({ kind: 'allowed', limit: null })
  })

  it('finds a bucket again by its stream, and notes when it was reported', () => {
    const members = start()
    const first = take(members, 'a', bucket('hour'), 1)
    expect(first?.origin).toBe('new')
    expect(take(members, 'a', bucket('hour'), 2)).toEqual({ member: first?.member, origin: 'known' })
    expect(first?.member.lastReportMs).toBe(2)
    expect(members.byHolder.get(holderOf('a', bucket('hour')))).toBe(first?.member)
    expect(members.byHolder.size).toBe(1)
  })

  it('refuses the buckets of a stream beyond its bound, and takes one more when one has gone', () => {
    const members = start(2)
    for (const value of ['1', '2']) expect(take(members, 'a', bucket('none', value), 0)).not.toBeNull()
    expect(take(members, 'a', bucket('none', '3'), 0)).toBeNull()
    expect(take(members, 'b', bucket('none', '3'), 0)).not.toBeNull()
    dropMember(members, holderOf('a', bucket('none', '1')))
    expect(take(members, 'a', bucket('none', '3'), 0)).not.toBeNull()
  })

  it('refuses buckets beyond what all streams may have together, and takes one more when a stream has gone', () => {
    const members = start(100, { buckets: 3, characters: 1_000 })
    const report = (stream: string) => take(members, stream, bucket('none', stream))
    openStream(members, { id: 'b', domain: 'gate', client: null })
    for (const stream of ['a', 'b', 'c']) expect(report(stream)).not.toBeNull()
    expect(report('d')).toBeNull()
    expect(report('a')).not.toBeNull()
    closeStream(members, { id: 'b', domain: 'gate', client: null })
    expect(report('d')).not.toBeNull()
    expect(report('e')).toBeNull()
    clearMembers(members)
    expect(report('e')).not.toBeNull()
  })

  it('refuses buckets beyond the characters that all streams may have together', () => {
    const members = start(100, { buckets: 100, characters: 100 })
    const long = bucket('none', 'x'.repeat(90))
    expect(take(members, 'a', long, 0)).not.toBeNull()
    expect(take(members, 'b', long, 0)).toBeNull()
    expect(take(members, 'b', bucket('none', 'y'), 0)).not.toBeNull()
    dropMember(members, holderOf('a', long))
    dropMember(members, holderOf('a', long))
    expect(take(members, 'b', long, 0)).not.toBeNull()
  })

  it('drops the buckets of a stream that has ended, and keeps those of others', () => {
    const members = start()
    for (const id of ['a', 'b']) openStream(members, { id, domain: 'gate', client: null })
    const kept = take(members, 'a', bucket('hour'))?.member
    take(members, 'b', bucket('hour'), 0)
    kept?.counter?.pool.report(holderOf('a', bucket('hour')), { allowed: 0, denied: 1, elapsed: 0 }, 0)
    closeStream(members, { id: 'b', domain: 'gate', client: null })
    expect([...members.byHolder].map(([holder]) => holder)).toEqual([holderOf('a', bucket('hour'))])
    for (const pool of members.pools.values()) dropPool(members, pool)
    expect([...members.pools.values()]).toHaveLength(1)
    closeStream(members, { id: 'a', domain: 'gate', client: null })
    for (const pool of members.pools.values()) dropPool(members, pool)
    expect([[...members.pools.values()].length, members.byHolder.size]).toEqual([0, 0])
  })

  it('assigns again after a clock that leapt ahead and came back, and keeps all after a small step back', () => {
    const members = start()
    const holder = holderOf('a', bucket('hour'))
    const roundAt = (nowMs: number) => {
      const pool = take(members, 'a', bucket('hour'), nowMs)?.member.counter?.pool
      return pool === undefined ? null : { pool, sent: playRound(pool, holder, nowMs) }
    }
    const nowMs = 1_000_000_000_000
    const ahead = roundAt(nowMs + 86_400_000)
    expect(ahead?.sent).toHaveLength(1)
    const back = roundAt(nowMs)
    expect(back?.sent).toEqual([expect.objectContaining({ holder, bucket: expect.anything() })])
    expect(back?.pool).not.toBe(ahead?.pool)
    expect(members.byHolder.size).toBe(1)
    expect(roundAt(nowMs - 60_000)?.pool).toBe(back?.pool)
    noteTime(members, nowMs - 120_001)
    expect([members.byHolder.size, [...members.pools.values()].length]).toEqual([0, 0])
  })

  it('begins a new pool when a limit has changed, and with nothing after a change of rules', () => {
    const members = start()
    const before = take(members, 'a', bucket('hour'), 0)?.member.counter
    const changed = compileRules([{ key: 'gate.yaml', text: text.replace('10}', '20}') }]).domains.get('gate')
    const after = take(members, 'b', bucket('hour'), 0, changed ?? null)?.member.counter
    expect([before?.limit, after?.limit]).toEqual([10, 20])
    clearMembers(members)
    expect([[...members.pools.values()].length, members.byHolder.size]).toEqual([0, 0])
  })

  it.each(['{algorithm: sliding}', '{limits: [{unit: day, requests_per_unit: 50, name: more}]}'])(
    'takes no member along to a limit of the same unit and number that cannot be assigned: %s',
    (sluice) => {
      const members = start()
      take(members, 'a', bucket('hour'))
      const changed = text.replace('requests_per_unit: 10}', `requests_per_unit: 10, name: one, sluice: ${sluice}}`)
      const rules = compileRules([{ key: 'gate.yaml', text: changed }]).domains
      rematchMembers(members, (name) => rules.get(name) ?? null, beginWork(1_000_000))
      expect(members.byHolder.size).toBe(0)
    },
  )

  describe('with clients', () => {
    const client = { id: 'name edge-1', isNamed: true }
    const [first, second] = [
      { id: 'first', domain: 'gate', client },
      { id: 'second', domain: 'gate', client },
    ]
    const text = 'domain: gate\ndescriptors: [{key: minute, rate_limit: {unit: minute, requests_per_unit: 6000}}]\n'
    const rules = compileRules([{ key: 'gate.yaml', text }]).domains.get('gate') ?? null
    const minuteMs = 60_000
    const startMs = 20 * minuteMs

    /** A bucket that its first stream has an assignment for. */
    function assigned(saved = savedInMemory(), total = { buckets: 1_000, characters: 1_000 }) {
      const members = start(100, total, saved)
      openStream(members, first)
      const member = take(members, first, bucket('minute'), startMs, rules)?.member
      const pool = member?.counter?.pool
      if (member === undefined || pool === undefined) throw new Error('no pool')
      pool.report(member.holder, { allowed: 0, denied: 500, elapsed: 0 }, startMs)
      const granted = pool.plan(startMs)?.wanted ?? 0
      const draw = { after: granted, windowStart: startMs / 1000, millisecondsUntilReset: minuteMs, granted }
      const sent = pool.settle({ ...draw, outstanding: granted, faults: 0 }, 1, startMs)
      expect(sent).toHaveLength(1)
      for (const counter of members.pools.values()) savePool(members, counter)
      return { members, member, pool, saved }
    }

    it('goes on with the member of a stream that has ended, on the next one of its client', () => {
      const { members, member, pool } = assigned()
      closeStream(members, first)
      expect([members.byHolder.size, pool.size]).toEqual([1, 1])
      openStream(members, second)
      expect(take(members, second, bucket('minute'), startMs + 5_000, rules)).toEqual({ member, origin: 'reclaimed' })
      expect(member.stream).toBe(second)
      expect(take(members, second, bucket('minute'), startMs + 6_000, rules)?.origin).toBe('known')
      closeStream(members, first)
      expect(take(members, second, bucket('minute'), startMs + 7_000, rules)?.origin).toBe('known')
    })

    it('goes on after a restart, on a new stream of the client or on one that is open still', () => {
      const { member, saved } = assigned()
      for (const stream of [second, first]) {
        const members = start(100, undefined, saved)
        openStream(members, stream)
        const taken = take(members, stream, bucket('minute'), startMs + 5_000, rules)
        expect([taken?.origin, taken?.member.holder, members.byHolder.size]).toEqual(['reclaimed', member.holder, 1])
      }
    })

    it('starts without holders after a restart with another limit', () => {
      const { saved } = assigned()
      const members = start(100, undefined, saved)
      const changed = compileRules([{ key: 'gate.yaml', text: text.replace('6000', '600') }]).domains.get('gate')
      expect(take(members, second, bucket('minute'), startMs + 5_000, changed ?? null)?.origin).toBe('new')
    })

    it('keeps nothing of longer windows, of Envoys that it cannot tell apart, and of a pool that has gone', () => {
      const { members, saved, member } = assigned()
      expect([...saved.rows.keys()]).toEqual(['MINUTE gate_minute_v_'])
      openStream(members, second)
      for (const counter of members.pools.values()) savePool(members, counter)
      expect(saved.rows.size).toBe(0)
      const other = assigned(saved)
      expect(saved.rows.size).toBe(1)
      dropMember(other.members, member.holder)
      for (const counter of other.members.pools.values()) dropPool(other.members, counter)
      expect(saved.rows.size).toBe(0)
      take(members, first, bucket('hour'), startMs)
      for (const counter of members.pools.values()) savePool(members, counter)
      expect(saved.rows.size).toBe(0)
    })

    it('goes on after a change of rules with members of the same limit, with a stream and without', () => {
      const { members, member, pool } = assigned()
      take(members, first, bucket('minute', 'w'), startMs, rules)
      take(members, first, bucket('none'), startMs)
      const changed = (more: string) =>
        compileRules([{ key: 'gate.yaml', text: text.replace(']', `${more}]`) }]).domains
      const other = changed(', {key: minute, value: w, rate_limit: {unit: minute, requests_per_unit: 5}}')
      rematchMembers(members, (name) => other.get(name) ?? null, beginWork(1_000_000))
      expect([...members.byHolder].map(([, found]) => found)).toEqual([member])
      expect([pool.size, member.limit?.stats.totalHits]).toEqual([1, expect.stringContaining('gate.minute.')])
      closeStream(members, first)
      rematchMembers(members, (name) => rules ?? other.get(name) ?? null, beginWork(1_000_000))
      openStream(members, second)
      expect(take(members, second, bucket('minute'), startMs + 5_000, rules)?.origin).toBe('reclaimed')
      rematchMembers(members, (name) => rules ?? other.get(name) ?? null, beginWork(1))
      expect([members.byHolder.size, pool.size]).toEqual([0, 0])
    })

    it('drops members without a stream when a reported bucket needs the room', () => {
      const { members, pool } = assigned(undefined, { buckets: 1, characters: 1_000 })
      expect(take(members, 'other', bucket('none'), startMs)).toBeNull()
      closeStream(members, first)
      expect(take(members, 'other', bucket('none'), startMs)?.origin).toBe('new')
      expect([members.byHolder.size, pool.size]).toEqual([1, 0])
    })
  })
})
