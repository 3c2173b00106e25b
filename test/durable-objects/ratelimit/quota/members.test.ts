/** Members of a quota object: which bucket draws from which pool, and what goes when a stream goes. */

import { describe, expect, it } from 'vitest'
import { createMembers, holderName } from '#objects/ratelimit/quota/members.ts'
import type { Bucket } from '#ratelimit/quota/bucket.ts'
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
const start = (mostBuckets = 100, total = { buckets: 1_000, characters: 1_000 }) =>
  createMembers({ keyPrefix: '', lifeSeconds: 30, mostBuckets, total })

/** Plays one report and one round of a bucket whose counter grants what is wanted; gives what is sent. */
function playRound(pool: Pool, holder: string, nowMs: number) {
  pool.report(holder, { allowed: 0, denied: 5 }, nowMs)
  const granted = pool.plan(nowMs)?.wanted ?? 0
  const start = windowStart('HOUR', Math.floor(nowMs / 1000))
  const millisecondsUntilReset = (start + 3_600) * 1_000 - nowMs
  const draw = {
    after: granted,
    windowStart: start,
    millisecondsUntilReset,
    granted,
    outstanding: granted,
    faults: 0,
  }
  return pool.settle(draw, 1, nowMs)
}

const work = beginWork(1_000_000)

describe('createMembers()', () => {
  it('shares one pool among the buckets of one counter, and has another one for another value', () => {
    const members = start()
    const one = members.take('a', bucket('hour'), domain, 0, work)
    const same = members.take('b', bucket('hour'), domain, 0, work)
    const other = members.take('a', bucket('hour', 'w'), domain, 0, work)
    expect(one?.counter).toMatchObject({ key: 'gate_hour_v_', unit: 'HOUR', limit: 10 })
    expect(same?.counter).toBe(one?.counter)
    expect(other?.counter).not.toBe(one?.counter)
    expect([...members.pools()]).toHaveLength(2)
  })

  it.each([
    ['hour', 'assigned'],
    ['second', 'refused'],
    ['trial', 'allowed'],
    ['none', 'allowed'],
    ['unknown', 'allowed'],
  ])('treats a bucket of the rule "%s" as %s', (key, kind) => {
    const member = start().take('a', bucket(key), domain, 0, work)
    expect(member?.kind).toBe(kind)
    expect(member?.counter === null).toBe(kind !== 'assigned')
  })

  it('lets every bucket pass that is of a domain without rules', () => {
    expect(start().take('a', bucket('hour'), null, 0, work)).toMatchObject({ kind: 'allowed', limit: null })
  })

  it('knows a bucket again by its stream, and notes when it was reported', () => {
    const members = start()
    const first = members.take('a', bucket('hour'), domain, 1, work)
    expect(members.take('a', bucket('hour'), domain, 2, work)).toBe(first)
    expect(first?.lastReportMs).toBe(2)
    expect(members.find(holderName('a', bucket('hour')))).toBe(first)
    expect(members.size).toBe(1)
  })

  it('refuses the buckets of a stream beyond its bound, and takes one more when one has gone', () => {
    const members = start(2)
    for (const value of ['1', '2'])
      expect(members.take('a', bucket('none', value), domain, 0, work)).not.toBeNull()
    expect(members.take('a', bucket('none', '3'), domain, 0, work)).toBeNull()
    expect(members.take('b', bucket('none', '3'), domain, 0, work)).not.toBeNull()
    members.drop(holderName('a', bucket('none', '1')))
    expect(members.take('a', bucket('none', '3'), domain, 0, work)).not.toBeNull()
  })

  it('refuses buckets beyond what all streams may have together, and takes one more when a stream has gone', () => {
    const members = start(100, { buckets: 3, characters: 1_000 })
    const take = (stream: string) => members.take(stream, bucket('none', stream), domain, 0, work)
    for (const stream of ['a', 'b', 'c']) expect(take(stream)).not.toBeNull()
    expect(take('d')).toBeNull()
    expect(take('a')).not.toBeNull()
    members.dropStream('b')
    expect(take('d')).not.toBeNull()
    expect(take('e')).toBeNull()
    members.clear()
    expect(take('e')).not.toBeNull()
  })

  it('refuses buckets beyond the characters that all streams may have together', () => {
    const members = start(100, { buckets: 100, characters: 100 })
    const long = bucket('none', 'x'.repeat(90))
    expect(members.take('a', long, domain, 0, work)).not.toBeNull()
    expect(members.take('b', long, domain, 0, work)).toBeNull()
    expect(members.take('b', bucket('none', 'y'), domain, 0, work)).not.toBeNull()
    members.drop(holderName('a', long))
    members.drop(holderName('a', long))
    expect(members.take('b', long, domain, 0, work)).not.toBeNull()
  })

  it('lets the buckets of a stream go, and keeps those of others', () => {
    const members = start()
    const kept = members.take('a', bucket('hour'), domain, 0, work)
    members.take('b', bucket('hour'), domain, 0, work)
    kept?.counter?.pool.report(holderName('a', bucket('hour')), { allowed: 0, denied: 1 }, 0)
    members.dropStream('b')
    expect([...members.all()].map(([holder]) => holder)).toEqual([holderName('a', bucket('hour'))])
    for (const pool of members.pools()) members.dropPool(pool)
    expect([...members.pools()]).toHaveLength(1)
    members.dropStream('a')
    for (const pool of members.pools()) members.dropPool(pool)
    expect([[...members.pools()].length, members.size]).toEqual([0, 0])
  })

  it('assigns again after a clock that leapt ahead and came back, and keeps all after a small step back', () => {
    const members = start()
    const holder = holderName('a', bucket('hour'))
    const roundAt = (nowMs: number) => {
      const pool = members.take('a', bucket('hour'), domain, nowMs, work)?.counter?.pool
      return pool === undefined ? null : { pool, sent: playRound(pool, holder, nowMs) }
    }
    const nowMs = 1_000_000_000_000
    const ahead = roundAt(nowMs + 86_400_000)
    expect(ahead?.sent).toHaveLength(1)
    const back = roundAt(nowMs)
    expect(back?.sent).toEqual([expect.objectContaining({ holder, bucket: expect.anything() })])
    expect(back?.pool).not.toBe(ahead?.pool)
    expect(members.size).toBe(1)
    expect(roundAt(nowMs - 60_000)?.pool).toBe(back?.pool)
    members.noteTime(nowMs - 120_001)
    expect([members.size, [...members.pools()].length]).toEqual([0, 0])
  })

  it('begins a new pool when a limit has changed, and with nothing after a change of rules', () => {
    const members = start()
    const before = members.take('a', bucket('hour'), domain, 0, work)?.counter
    const changed = compileRules([{ key: 'gate.yaml', text: text.replace('10}', '20}') }]).domains.get('gate')
    const after = members.take('b', bucket('hour'), changed ?? null, 0, work)?.counter
    expect([before?.limit, after?.limit]).toEqual([10, 20])
    members.clear()
    expect([[...members.pools()].length, members.size]).toEqual([0, 0])
  })
})
