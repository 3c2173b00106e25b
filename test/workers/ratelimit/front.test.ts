/** Fronts that decide, before the built service: who may connect, what leases pay for, and a service that goes away. */

import { randomUUID } from 'node:crypto'
import { WebSocket } from 'undici'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectDecider } from '#bin/decider/connect.ts'
import type { Decider } from '#bin/decider/decider.ts'
import { frontCloseCodes } from '#ratelimit/front/messages.ts'
import { frontStats, leaseStats, serviceStats } from '#ratelimit/statistics/names.ts'
import { startDecider, startDecidingFront } from '../../support/deciding-front.ts'
import { type FrontProcess, startFrontProcess } from '../../support/front-process.ts'
import { hostServices } from '../../support/host-services.ts'
import { frontToken, oneLimit, startServices } from '../../support/ratelimit-servers.ts'
import { eventually, within } from '../../support/wait.ts'

const leased = { LEASES: 'on', COUNTER_PLACEMENT: 'shard', FAILURE_POLICY: 'error,open=open' }
const caller = 'Bearer token-of-one-caller'
const fields = {
  CALLER_TOKENS: 'one=token-of-one-caller',
  CALLER_OVERRIDES: 'refuse',
  LOG_LEVEL: 'error',
  LIMIT_IETF_HEADERS_ENABLED: 'true',
  LIMIT_RETRY_AFTER_ENABLED: 'true',
  REQUEST_MAX_BODY_BYTES: '40000',
  SHADOW_OUTCOME_ENABLED: 'true',
}
const { client, runtimeUrl } = hostServices([
  leased,
  { FRONT_TOKEN: '' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
  fields,
  { LEASES: 'on', LEASES_MAX_KEYS: '5' },
  { ...leased, LEASE_REGIONS: 'weur', COUNTER_PLACES: 'shop=eeur', COUNTER_TIMEOUT: '60s' },
])

async function decider(place: number): Promise<Decider> {
  const made = await startDecider(runtimeUrl(place))
  onTestFinished(() => made.stop())
  await made.sync()
  return made
}

async function load(place: number, ...files: readonly string[]) {
  const service = client(place)
  expect(await service.load(files)).toBeNull()
  return service
}

const ask = (domain: string, value: string, hitsAddend = 0) => ({
  domain,
  descriptors: [{ entries: [{ key: 'k', value }] }],
  hitsAddend,
})

/** Opens a connection by hand, and gives the code and the reason with which it is closed. */
function closeOf(place: number, query: Readonly<Record<string, string>>, token = frontToken, first?: string) {
  const url = new URL(`${runtimeUrl(place)}/front`)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } })
  socket.addEventListener('message', () => void (first !== undefined && socket.send(first)))
  const closed = new Promise<string>((resolve) => {
    socket.addEventListener('close', ({ code, reason }) => resolve(`${code} ${reason}`))
  })
  return within('the connection closes', closed, () => socket.readyState)
}

const right = () => ({ name: randomUUID(), protocol: '1', release: '0.1.0' })

describe('a connection of a front', () => {
  it('is refused without the token, and where the service has none', async () => {
    expect(await closeOf(0, right(), 'another-token')).toMatch(/^4401 Cannot connect: the token is another/)
    expect(await closeOf(1, right(), '')).toMatch(/^4401 Cannot connect: it is off/)
    expect(await closeOf(0, { ...right(), name: '../x' })).toMatch(/^4400 /)
  })

  it('is refused to another release, and where requests are traced: the front forwards', async () => {
    const code = frontCloseCodes.forwarding
    expect(await closeOf(0, { ...right(), release: '9.9.9' })).toMatch(new RegExp(`^${code} .*release`))
    expect(await closeOf(0, { ...right(), protocol: '2' })).toMatch(new RegExp(`^${code} `))
    expect(await closeOf(2, right())).toMatch(new RegExp(`^${code} .*traced`))
  })

  it.each([
    ['that is cut in half', '[1,["hit",1'],
    ['out of order', '[2,["rules",1,0]]'],
    ['of another form', '[1,["hit",1,[["k",1,-5,null,0]]]]'],
  ])('ends at a message %s', async (_, text) => {
    expect(await closeOf(0, right(), frontToken, text)).toMatch(/^4400 Cannot read message of the front connection/)
  })
})

describe('a front of ten thousand domains', () => {
  it('decides in each by the rules that are handed over in parts, with leases of five counters at once', async () => {
    const domains = Array.from({ length: 10_000 }, (_, at) => `d${at}`)
    await load(4, ...domains.map((domain) => oneLimit(domain, 'day', 2)))
    const one = await decider(4)
    const deciding = one.ready() ?? expect.fail('the front does not decide')
    const codes: string[] = []
    for (const domain of domains.filter((_, at) => at % 500 === 0)) {
      for (let hit = 0; hit < 3; hit++) codes.push((await deciding.decide(ask(domain, 'a'))).overallCode)
    }
    expect(codes).toEqual(Array.from({ length: 20 }, () => ['OK', 'OK', 'OVER_LIMIT']).flat())
  })
})

describe('a front with leases', () => {
  it('admits from leases without calls, never more than the limit over two fronts, and counts in the same statistics', async () => {
    const client = await load(0, oneLimit('shop', 'day', 400))
    const fronts = [await decider(0), await decider(0)]
    let admitted = 0
    for (let round = 0; round < 300; round++) {
      for (const front of fronts) {
        const answer = await front.ready()?.decide(ask('shop', 'v'))
        if (answer?.overallCode === 'OK') admitted += 1
      }
    }
    for (const front of fronts) await front.sync()
    const stats = await client.stats()
    expect(admitted).toBeLessThanOrEqual(400)
    expect(admitted).toBeGreaterThan(300)
    expect(stats['ratelimit.service.rate_limit.shop.k.total_hits']).toBe(600)
    expect(stats['ratelimit.service.rate_limit.shop.k.within_limit']).toBe(admitted)
    expect(stats[leaseStats.admitted] ?? 0).toBeGreaterThan(100)
  })

  it('draws from the object of its region, and counts where COUNTER_PLACES says', async () => {
    const client = await load(5, oneLimit('shop', 'day', 100_000))
    const front = await startDecider(runtimeUrl(5))
    await front.sync()
    for (let hit = 0; hit < 300; hit++) await front.ready()?.decide(ask('shop', 'v'))
    await front.stop()
    const answer = await client.operate('/counters?domain=shop&entry=k=v')
    const { counters } = (await answer.json()) as { counters: readonly { hits: number; outstanding?: number }[] }
    // The front has returned all that it had; what the region holds is still out.
    expect(counters[0]?.outstanding ?? 0).toBeGreaterThan(0)
    expect(counters[0]?.hits ?? 0).toBeGreaterThan(300)
  })

  it('returns what it never had, which gives nothing back and is counted', async () => {
    const client = await load(0, oneLimit('shop', 'day', 10))
    const url = new URL(`${runtimeUrl(0)}/front`)
    for (const [name, value] of Object.entries(right())) url.searchParams.set(name, value)
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${frontToken}` } })
    onTestFinished(() => socket.close())
    const heard: string[] = []
    socket.addEventListener('message', ({ data }) => void heard.push(String(data)))
    await eventually('the service is ready', () => heard.length > 0, heard)
    socket.send('[1,["hit",1,[["shop_k_w_",3,4,10,0]]]]')
    await eventually('the hits are counted', () => heard.length > 1, heard)
    const { hashOf } = await import('#ratelimit/placement.ts')
    const object = `shard:${hashOf('shop_k_w_') % 64}/64`
    socket.send(JSON.stringify([2, ['draw', 2, object, 7, 8, [['shop_k_w_', 3, 0, 10, 0, 0, [99, 4]]]]]))
    await eventually('the draw is answered', () => heard.length > 2, heard)
    // In order: after, window, milliseconds, granted, outstanding, faults.
    expect(JSON.parse(heard[2] ?? '')[1]).toMatchObject(['ok', 2, [4, expect.any(Number), expect.any(Number), 0, 0, 1]])
    socket.send(JSON.stringify([3, ['draw', 3, 'shard:0/1', 7, 8, [['shop_k_w_', 3, 0, 10, 5, 0, []]]]]))
    await eventually('the draw is refused', () => heard.length > 3, heard)
    expect(heard[3]).toContain('a key is not of the object named')
    expect((await client.operate('/counters?domain=shop&entry=k=w')).ok).toBe(true)
  })
})

describe('a front whose service is away', () => {
  it('uses up its leases and no more, then follows the failure policy of the domain', async () => {
    const own = await startServices([leased])
    const client = own.clients[0] ?? expect.fail('the service did not start')
    expect(await client.load([oneLimit('shop', 'day', 100_000), oneLimit('open', 'day', 100_000)])).toBeNull()
    const front = connectDecider({ url: own.runtimeUrls[0] ?? '', token: frontToken })
    onTestFinished(() => front.stop())
    await eventually('the front decides', () => front.ready() !== null, 'it does not')
    await front.sync()
    const deciding = front.ready() ?? expect.fail('the front does not decide')
    for (let times = 0; times < 200; times++) await deciding.decide(ask('shop', 'v'))
    await own.stop()
    let admitted = 0
    const refused = async () => {
      for (let times = 0; times < 100_000; times++) {
        await deciding.decide(ask('shop', 'v'))
        admitted += 1
      }
    }
    await expect(refused()).rejects.toMatchObject({ code: 'counter_unavailable' })
    expect(admitted).toBeGreaterThan(0)
    expect(admitted).toBeLessThanOrEqual(1_000)
    expect(await deciding.decide(ask('open', 'v'))).toMatchObject({
      overallCode: 'OK',
      statuses: [{ limitRemaining: 0 }],
    })
    expect(front.ready()).not.toBeNull()
  })
})

describe('POST /json at a front', () => {
  const body = (value: string, more = {}) =>
    JSON.stringify({ domain: 'shop', descriptors: [{ entries: [{ key: 'k', value }], ...more }] })
  const trial = body('a').replace('"k"', '"trial"')
  const override = { limit: { requestsPerUnit: 5, unit: 'DAY' } }
  /** Two bodies that are answered alike, one for each place. */
  const pairs: Readonly<Record<string, readonly [string | Uint8Array<ArrayBuffer>, string | Uint8Array<ArrayBuffer>]>> =
    {
      'an admitted hit': [body('a'), body('b')],
      'a refused hit': [body('a', { hitsAddend: 9 }), body('b', { hitsAddend: 9 })],
      'a hit that a limit would refuse without its shadow mode': [trial, trial],
      'a descriptor without a rule': [
        '{"domain":"shop","descriptors":[{"entries":[{"key":"x"}]}]}',
        body('a').replace('"k"', '"x"'),
      ],
      'a body without JSON': ['{"domain', '{"domain'],
      'an empty body': ['', ''],
      'a body that is not UTF-8': [new Uint8Array([0xff]), new Uint8Array([0xff])],
      'a body beyond the bound': ['x'.repeat(40_001), 'x'.repeat(40_001)],
      'an override that callers may not have': [body('a', override), body('b', override)],
    }

  async function ask(url: string, text: string | Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>>) {
    const response = await fetch(`${url}/json?from=test`, { method: 'POST', body: text, headers })
    const { date: _, ...rest } = Object.fromEntries(response.headers)
    const seconds = /("durationUntilReset":")\d+s|("key":"Retry-After","value":")\d+|;t=\d+/g
    const shown = JSON.stringify([rest, (await response.text()).replace(seconds, '$1$2')]).replace(/;t=\d+/g, '')
    return [response.status, shown.replace(/"retry-after":"\d+"/, '"retry-after":"n"')]
  }

  it('is answered as by the service, header for header, also without a token and with an id', async () => {
    const shadowed = '  - {key: trial, shadow_mode: true, rate_limit: {unit: day, requests_per_unit: 0, name: trial}}\n'
    const service = await load(3, `${oneLimit('shop', 'day', 5)}${shadowed}`)
    const front = await startDecidingFront(runtimeUrl(3))
    onTestFinished(() => front.stop())
    for (const [name, [one, other]] of Object.entries(pairs)) {
      for (const headers of [{ authorization: caller }, { authorization: caller, 'x-request-id': 'r-1' }]) {
        expect([name, await ask(front.client.url, other, headers)]).toEqual([
          name,
          await ask(service.url, one, headers),
        ])
      }
    }
    const [, shown] = await ask(front.client.url, trial, { authorization: caller })
    expect(shown).toContain('X-RateLimit-Shadow')
    for (const headers of [{}, { authorization: 'Bearer another' }]) {
      const [one, other] = [body('c'), body('d')]
      expect(await ask(front.client.url, other, headers)).toEqual(await ask(service.url, one, headers))
    }
    await front.decider.handOver()
    const stats = await service.stats()
    expect(stats[serviceStats.unauthenticated]).toBe(4)
  })

  it('is decided from leases, by rules that an operator has just changed, and operators see what it counted', async () => {
    const { client, stop } = await startDecidingFront(runtimeUrl(0))
    onTestFinished(stop)
    for (const limit of [1_000, 10, 2_000]) {
      expect(await client.load([oneLimit('shop', 'day', limit)])).toBeNull()
      const answer = (await (await client.decide(body('json'))).json()) as { statuses: readonly object[] }
      expect(answer.statuses[0]).toMatchObject({ currentLimit: { requestsPerUnit: limit } })
    }
    const before = await client.stats()
    for (let times = 0; times < 60; times++) await client.decide(body('json'))
    const after = await client.stats()
    const grown = (name: string) => (after[name] ?? 0) - (before[name] ?? 0)
    expect(grown('ratelimit.service.rate_limit.shop.k.total_hits')).toBe(60)
    expect(grown(leaseStats.admitted)).toBeGreaterThan(30)
  })
})

describe('two fronts as processes', () => {
  it('return at SIGTERM what no caller has used, and hand over what they have counted', async () => {
    const client = await load(0, oneLimit('shop', 'day', 100_000))
    const before = await client.stats()
    const upstream = runtimeUrl(0)
    const fronts = [await startFrontProcess(upstream), await startFrontProcess(upstream)]
    onTestFinished(async () => void (await Promise.all(fronts.map((front) => front.kill()))))
    const known = before[frontStats.connections] ?? 0
    let connected = known
    const isConnected = async () => {
      connected = (await client.stats())[frontStats.connections] ?? 0
      return connected >= known + 2
    }
    await eventually('both are connected', isConnected, () => connected - known)
    const press = async (front: FrontProcess) => {
      for (let at = 0; at < 300; at++) expect(await front.hit('ended')).toBe('admitted')
    }
    await Promise.all(fronts.map(press))
    const counted = async () => {
      const answer = await client.operate('/counters?domain=shop&entry=k=ended')
      return ((await answer.json()) as { counters: readonly object[] }).counters[0]
    }
    expect(await counted()).toHaveProperty('outstanding', expect.any(Number))
    await Promise.all(fronts.map((front) => front.kill('SIGTERM')))
    const left = await counted()
    expect(left).toMatchObject({ hits: 600 })
    expect(left).not.toHaveProperty('outstanding')
    const name = 'ratelimit.service.rate_limit.shop.k.total_hits'
    expect(((await client.stats())[name] ?? 0) - (before[name] ?? 0)).toBe(600)
  })

  it('admit no hit above the limit while one of them is stopped, with what it holds, and continued', async () => {
    const limit = 3_000
    await load(0, oneLimit('shop', 'day', limit))
    const [one, other] = [await startFrontProcess(runtimeUrl(0)), await startFrontProcess(runtimeUrl(0))]
    onTestFinished(async () => void (await Promise.all([one.kill(), other.kill()])))
    const seen = { admitted: 0, refused: 0, failed: 0 }
    const press = async (front: FrontProcess, times: number) => {
      for (let at = 0; at < times; at++) seen[await front.hit('stopped')] += 1
    }
    await Promise.all([press(one, 400), press(one, 400), press(other, 400)])
    // Its calls are answered once it goes on.
    const pending = [press(one, 20), press(one, 20)]
    one.signal('SIGSTOP')
    while (seen.refused < 200) await press(other, 50)
    expect(seen.admitted).toBeLessThanOrEqual(limit)
    one.signal('SIGCONT')
    await Promise.all(pending)
    const before = seen.refused
    while (seen.refused < before + 100) await Promise.all([press(one, 50), press(other, 50)])
    expect(seen.admitted).toBeLessThanOrEqual(limit)
    // What a stopped front held ends with its lease.
    expect(seen.admitted).toBeGreaterThanOrEqual(limit * 0.85)
  })
})
