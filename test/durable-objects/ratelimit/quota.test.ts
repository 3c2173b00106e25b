/** QuotaObject: reports become assignments that sum to the limit, and callers who ask for too much get nothing. */

import { abortAllDurableObjects } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { type RatelimitEnv, statsName } from '#objects/ratelimit/env.ts'
import type { QuotaAction } from '#ratelimit/quota/messages.ts'
import { passable } from '#ratelimit/quota/token-bucket.ts'
import { quotaStats } from '#ratelimit/statistics/names.ts'

// The pool gives the bindings of wrangler.toml, which are these.
const { QUOTA, RULE_BOOK, COUNTER, STATS } = env as unknown as RatelimitEnv

const text = `domain: gate
descriptors:
  - {key: day, rate_limit: {unit: day, requests_per_unit: 8640000}}
  - {key: minute, rate_limit: {unit: minute, requests_per_unit: 6000}}
  - {key: one, rate_limit: {unit: hour, requests_per_unit: 3}}
  - {key: second, rate_limit: {unit: second, requests_per_unit: 3}}
  - {key: none, rate_limit: {unlimited: true}}
  - {key: zero, rate_limit: {unit: hour, requests_per_unit: 0}}
  - key: outer
    descriptors:
      - {key: inner, rate_limit: {unit: hour, requests_per_unit: 1000}}
`

beforeAll(async () => {
  const other = 'domain: other\ndescriptors: [{key: day, rate_limit: {unlimited: true}}]\n'
  const files = [
    { key: 'gate.yaml', text },
    { key: 'other.yaml', text: other },
  ]
  await RULE_BOOK.getByName('default').putAll(files, 'test')
})

interface Stream {
  report(...usages: readonly object[]): void
  send(text: string): void
  readonly actions: readonly QuotaAction[]
  readonly closed: { readonly code: number; readonly reason: string } | null
  close(): void
}

async function openStream(name: string, domain = 'gate', client = ''): Promise<Stream> {
  const url = `https://quota.invalid/?domain=${domain}${client}`
  const { webSocket } = await QUOTA.getByName(name).fetch(url, { headers: { upgrade: 'websocket' } })
  if (webSocket === null) throw new Error('the object opened no WebSocket')
  const actions: QuotaAction[] = []
  let closed: Stream['closed'] = null
  webSocket.addEventListener('message', ({ data }) => {
    actions.push(...(JSON.parse(String(data)) as QuotaAction[]))
  })
  webSocket.addEventListener('close', ({ code, reason }) => {
    closed = { code, reason }
  })
  webSocket.accept()
  return {
    report: (...usages) => webSocket.send(JSON.stringify(usages)),
    send: (message) => webSocket.send(message),
    actions,
    get closed() {
      return closed
    },
    close: () => webSocket.close(1000, 'done'),
  }
}

const usage = (key: string, allowed: number, denied: number, value = 'v') => ({
  bucket: [{ key, value }],
  allowed,
  denied,
})

async function nextAction(stream: Stream, at = 0): Promise<QuotaAction> {
  await expect.poll(() => stream.actions.length).toBeGreaterThan(at)
  const action = stream.actions[at]
  if (action === undefined) throw new Error('no action came')
  return action
}

let made = 0
const newName = () => `quota test ${++made}`

describe('QuotaObject', () => {
  it('assigns token buckets that the counter has been charged for', async () => {
    const stream = await openStream(newName())
    stream.report(usage('day', 0, 1, 'charged'))
    const action = await nextAction(stream)
    if (!('maxTokens' in action)) throw new Error(`expected a token bucket: ${JSON.stringify(action)}`)
    expect(action).toMatchObject({ bucket: [{ key: 'day', value: 'charged' }], fillSeconds: 1_000 })
    expect(action.seconds).toBeGreaterThanOrEqual(2)
    expect(action.seconds).toBeLessThanOrEqual(30)
    const { counters } = await COUNTER.getByName('key:gate_day_charged_').read('gate_day_charged_')
    expect(counters[0]?.hits).toBeGreaterThanOrEqual(passable(action, action.seconds))
    stream.close()
  })

  it('matches a bucket with its pairs in any order', async () => {
    const stream = await openStream(newName())
    const inner = { key: 'inner', value: 'x' }
    stream.report({ bucket: [inner, { key: 'outer', value: 'y' }], allowed: 0, denied: 1 })
    expect(await nextAction(stream)).toHaveProperty('maxTokens')
    const { counters } = await COUNTER.getByName('key:gate_outer_y_inner_x_').read('gate_outer_y_inner_x_')
    expect(counters).toHaveLength(1)
    stream.close()
  })

  it('shares one limit between two streams: the second gets what the first one leaves, hit by hit', async () => {
    const name = newName()
    const streams = [await openStream(name), await openStream(name)]
    for (const stream of streams) stream.report(usage('one', 0, 5, 'shared'))
    const actions = await Promise.all(streams.map((stream) => nextAction(stream)))
    const passed = actions.map((action) => ('maxTokens' in action ? passable(action, action.seconds) : 0))
    expect(passed.reduce((sum, hits) => sum + hits, 0)).toBeLessThanOrEqual(3)
    expect(Math.max(...passed)).toBeGreaterThanOrEqual(1)
    for (const stream of streams) stream.close()
  })

  it('shares one limit with other objects, which are other shards', async () => {
    const streams = await Promise.all([0, 1, 2].map(() => openStream(newName())))
    for (const stream of streams) stream.report(usage('one', 0, 5, 'sharded'))
    const actions = await Promise.all(streams.map((stream) => nextAction(stream)))
    const passed = actions.map((action) => ('maxTokens' in action ? passable(action, action.seconds) : 0))
    expect(passed.reduce((sum, hits) => sum + hits, 0)).toBeLessThanOrEqual(3)
    const { counters } = await COUNTER.getByName('key:gate_one_sharded_').read('gate_one_sharded_')
    expect(counters[0]?.hits).toBeLessThanOrEqual(3)
    for (const stream of streams) stream.close()
  })

  it('matches the buckets of each stream by the rules of the domain that it was opened for', async () => {
    const name = newName()
    const streams = [await openStream(name), await openStream(name, 'other')]
    for (const stream of streams) stream.report(usage('day', 0, 1, 'of two domains'))
    const [limited, unlimited] = await Promise.all(streams.map((stream) => nextAction(stream)))
    expect(limited).toHaveProperty('maxTokens')
    expect(unlimited).toMatchObject({ blanket: 'allow' })
    for (const stream of streams) stream.close()
  })

  it('lets everything pass where nothing limits, and nothing where the limit is 0 or lasts a second', async () => {
    const stream = await openStream(newName())
    stream.report(usage('unknown', 1, 0), usage('none', 1, 0), usage('zero', 1, 0), usage('second', 1, 0))
    await expect.poll(() => stream.actions.length).toBe(4)
    const byKey = new Map(stream.actions.map((action) => [action.bucket[0]?.key, action]))
    expect(byKey.get('unknown')).toMatchObject({ blanket: 'allow' })
    expect(byKey.get('none')).toMatchObject({ blanket: 'allow' })
    expect(byKey.get('zero')).toMatchObject({ blanket: 'deny' })
    expect(byKey.get('second')).toMatchObject({ blanket: 'deny' })
    stream.close()
  })

  it('takes streams up again by their reports after it was thrown out of memory', async () => {
    const name = newName()
    const stream = await openStream(name)
    stream.report(usage('day', 0, 1, 'restart'))
    await nextAction(stream)
    await abortAllDurableObjects()
    const again = await openStream(name)
    again.report(usage('day', 10, 1, 'restart'))
    expect(await nextAction(again)).toHaveProperty('maxTokens')
    again.close()
  })

  it.each([
    { of: 'a client whose stream ended', isRestarted: false, client: '&client_address=10.0.0.1', isCharged: false },
    { of: 'a client after a restart of all objects', isRestarted: true, client: '&client_name=x', isCharged: false },
    { of: 'an Envoy of which nothing is known', isRestarted: false, client: '', isCharged: true },
  ])('goes on with what was left: $of', async ({ of, isRestarted, client, isCharged }) => {
    // Both reports are of one minute.
    const left = 60_000 - (Date.now() % 60_000)
    if (left < 10_000) await new Promise((resolve) => setTimeout(resolve, left))
    const name = newName()
    const key = `gate_minute_${of}_`
    const hits = async () => (await COUNTER.getByName(`key:${key}`).read(key)).counters[0]?.hits ?? 0
    const stream = await openStream(name, 'gate', client)
    stream.report(usage('minute', 0, 1, of))
    const first = await nextAction(stream)
    const charged = await hits()
    stream.close()
    await expect.poll(() => stream.closed).not.toBeNull()
    if (isRestarted) await abortAllDurableObjects()
    const again = await openStream(name, 'gate', client)
    again.report({ ...usage('minute', 1, 0, of), elapsed: 1 })
    const other = 'the round after it'
    again.report(usage('minute', 0, 1, other))
    await expect.poll(() => again.actions.some(({ bucket }) => bucket[0]?.value === other)).toBe(true)
    const sent = again.actions.find(({ bucket }) => bucket[0]?.value === of)
    // Nothing is sent where the assignment goes on. Otherwise it stays charged beside what is sent.
    if (isCharged) expect(sent).toBeDefined()
    else expect([sent, (await hits()) <= charged + 1, first]).toEqual([undefined, true, expect.anything()])
    again.close()
  })

  it('refuses the buckets of a stream beyond QUOTA_MAX_BUCKETS', async () => {
    const stream = await openStream(newName())
    const reports = Array.from({ length: 1_001 }, (_, at) => usage('unknown', 0, 1, `${at}`))
    stream.report(...reports)
    const action = await nextAction(stream)
    expect(action).toMatchObject({ bucket: [{ key: 'unknown', value: '1000' }], blanket: 'deny' })
    stream.close()
  })

  it('ends a stream whose message makes no sense, or is too long', async () => {
    for (const [message, code, reason] of [
      ['not JSON', 4_003, 'Cannot read usage reports: it is not JSON'],
      ['{}', 4_003, 'Cannot read usage reports: it is not a list'],
      ['[{"bucket":[]}]', 4_003, 'Cannot read usage reports: a bucket has no pair'],
      [JSON.stringify([usage('day', -1, 0)]), 4_003, 'a number of hits is not 0 or more'],
      [JSON.stringify([usage('day', 0, 0, 'x'.repeat(1_025))]), 4_008, 'more than 1024 characters'],
      [' '.repeat(1_048_577), 4_008, 'expected at most 1048576'],
    ] as const) {
      const stream = await openStream(newName())
      stream.send(message)
      await expect.poll(() => stream.closed?.code).toBe(code)
      expect(stream.closed?.reason).toContain(reason)
    }
  })

  it('takes no report of a stream that ended before its turn', async () => {
    const stream = await openStream(newName())
    stream.report(usage('one', 0, 5, 'ended'))
    stream.close()
    await expect.poll(() => stream.closed).not.toBeNull()
    await new Promise((resolve) => setTimeout(resolve, 600))
    const { counters } = await COUNTER.getByName('key:gate_one_ended_').read('gate_one_ended_')
    expect(counters).toEqual([])
  })

  it('counts a stream without a bucket', async () => {
    const streams = async () =>
      (await STATS.getByName(statsName).read()).find(({ name }) => name === quotaStats.streams)?.value ?? 0
    const before = await streams()
    const stream = await openStream(newName())
    await expect.poll(streams, { timeout: 5_000 }).toBeGreaterThan(before)
    stream.close()
  })

  it('refuses streams beyond QUOTA_MAX_STREAMS', async () => {
    const name = newName()
    const streams = await Promise.all(Array.from({ length: 1_001 }, () => openStream(name)))
    await expect.poll(() => streams.filter(({ closed }) => closed !== null).length).toBe(1)
    expect(streams.find(({ closed }) => closed !== null)?.closed?.code).toBe(4_008)
    for (const stream of streams) stream.close()
  })
})
