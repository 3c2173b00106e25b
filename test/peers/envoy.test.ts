import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import { startGrpcFront } from '#bin/grpc-front/front.ts'
import { projectRoot } from '#bin/project.ts'
import { startDecider } from '../support/deciding-front.ts'
import { envoyProgram, type RunningEnvoy, startEnvoy } from '../support/envoy.ts'
import { type RunningRatelimit, startRatelimit } from '../support/ratelimit-bundle.ts'
import { frontToken } from '../support/ratelimit-servers.ts'

const rules = { 'config.web.yaml': readFileSync(join(projectRoot, 'examples/envoy/config/web.yaml'), 'utf8') }

beforeAll(() => bundleWorkers(['ratelimit']))

/** Waits for the first seconds of a minute when its end is near, so that 25 requests share one window. */
async function awaitRoomInMinute(): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000)
  if (left < 25_000) await new Promise((resolve) => setTimeout(resolve, left + 50))
}

async function ask(envoy: RunningEnvoy, account: string, times: number) {
  const answers: { status: number; limit: string | null; remaining: string | null; reset: number }[] = []
  for (let index = 0; index < times; index++) {
    const { status, headers } = await fetch(envoy.url, { headers: { 'x-account': account } })
    answers.push({
      status,
      limit: headers.get('x-ratelimit-limit'),
      remaining: headers.get('x-ratelimit-remaining'),
      reset: Number(headers.get('x-ratelimit-reset')),
    })
  }
  return answers
}

/** Twenty pass and five are refused, to the hit, with the headers that Envoy makes of the decision. */
async function expectTwentyOf25(
  envoy: RunningEnvoy,
  service: Pick<RunningRatelimit, 'stats'>,
  account: string,
): Promise<void> {
  await awaitRoomInMinute()
  const answers = await ask(envoy, account, 25)
  expect(answers.map(({ status }) => status)).toEqual([...Array(20).fill(200), ...Array(5).fill(429)])
  expect(answers.map(({ remaining }) => Number(remaining))).toEqual([
    ...Array.from({ length: 20 }, (_, index) => 19 - index),
    ...Array(5).fill(0),
  ])
  expect(new Set(answers.map(({ limit }) => limit))).toEqual(new Set(['20, 20;w=60']))
  expect(answers.every(({ reset }) => reset >= 1 && reset <= 60)).toBe(true)
  expect(envoy.passed()).toBe(20)
  const stats = await service.stats()
  expect(stats.get('ratelimit.service.rate_limit.web.account.total_hits')).toBe(25)
  expect(stats.get('ratelimit.service.rate_limit.web.account.over_limit')).toBe(5)
}

describe.skipIf(envoyProgram === null)('Envoy through its reverse bridge (skipped without envoy)', () => {
  it('lets 20 of 25 through, with the right headers', async () => {
    const service = await startRatelimit({}, rules)
    const envoy = await startEnvoy('reverse-bridge', { 8080: Number(new URL(service.url).port) })
    await expectTwentyOf25(envoy, service, 'bridge')
    await envoy.stop()
    await service.stop()
  })

  it('refuses every request while the Worker is gone, as failure_mode_deny asks', async () => {
    const service = await startRatelimit({}, rules)
    const envoy = await startEnvoy('reverse-bridge', { 8080: Number(new URL(service.url).port) })
    await service.stop()
    expect((await ask(envoy, 'gone', 1))[0]?.status).toBe(500)
    expect(envoy.passed()).toBe(0)
    await envoy.stop()
  })
})

describe.skipIf(envoyProgram === null)('Envoy through the native gRPC front (skipped without envoy)', () => {
  it('sends its token as the example says, and is refused without it', async () => {
    const token = 'token-of-this-proxy-1'
    const service = await startRatelimit({ vars: { CALLER_TOKENS: `envoy=${token}` } }, rules)
    const front = await startGrpcFront({ upstream: service.url, host: '127.0.0.1', port: 0 })
    for (const [sent, status] of [
      [token, 200],
      [null, 500],
    ] as const) {
      const envoy = await startEnvoy('front', { 8081: front.port }, { token: sent })
      expect((await ask(envoy, 'token', 1))[0]?.status).toBe(status)
      await envoy.stop()
    }
    const stats = await service.stats()
    expect(stats.get('ratelimit.service.call.should_rate_limit.unauthenticated')).toBe(1)
    await front.stop()
    await service.stop()
  })

  it('lets 20 of 25 through, with the right headers', async () => {
    const service = await startRatelimit({}, rules)
    const front = await startGrpcFront({ upstream: service.url, host: '127.0.0.1', port: 0 })
    const envoy = await startEnvoy('front', { 8081: front.port })
    await expectTwentyOf25(envoy, service, 'front')
    await envoy.stop()
    await front.stop()
    await service.stop()
  })

  it('lets 20 of 25 through where the front decides, without and with leases', async () => {
    for (const LEASES of ['off', 'on']) {
      const service = await startRatelimit({ vars: { FRONT_TOKEN: frontToken, LEASES } }, rules)
      const decider = await startDecider(service.runtimeUrl)
      // What a front decides needs no upstream.
      const front = await startGrpcFront({ upstream: 'http://127.0.0.1:9', decider, host: '127.0.0.1', port: 0 })
      const envoy = await startEnvoy('front', { 8081: front.port })
      const counted = { stats: () => decider.handOver().then(() => service.stats()) }
      await expectTwentyOf25(envoy, counted, `decided with leases ${LEASES}`)
      await envoy.stop()
      await front.stop()
      await decider.stop()
      await service.stop()
    }
  })
})

describe.skipIf(envoyProgram === null)('Envoy with headers for the upstream (skipped without envoy)', () => {
  it('LIMIT_REQUEST_HEADERS_ENABLED adds three headers to the request that goes on, and none to the answer', async () => {
    const vars = { LIMIT_REQUEST_HEADERS_ENABLED: 'true', LIMIT_REQUEST_RESET_HEADER: 'x-reset' }
    const service = await startRatelimit({ vars }, rules)
    const front = await startGrpcFront({ upstream: service.url, host: '127.0.0.1', port: 0 })
    const envoys = [
      await startEnvoy('front', { 8081: front.port }),
      await startEnvoy('reverse-bridge', { 8080: Number(new URL(service.url).port) }),
    ]
    for (const [at, envoy] of envoys.entries()) {
      const answer = await fetch(envoy.url, { headers: { 'x-account': `upstream ${at}` } })
      const { 'ratelimit-limit': limit, 'ratelimit-remaining': remaining, 'x-reset': reset } = envoy.lastHeaders()
      expect([answer.status, limit, remaining]).toEqual([200, '20', '19'])
      expect(Number(reset)).toBeGreaterThanOrEqual(1)
      expect(Number(reset)).toBeLessThanOrEqual(60)
      expect(['ratelimit-limit', 'x-reset'].map((name) => answer.headers.get(name))).toEqual([null, null])
      await envoy.stop()
    }
    await front.stop()
    await service.stop()
  })
})

describe.skipIf(envoyProgram === null)('Envoy that reserves the tokens of a model (skipped without envoy)', () => {
  const text = readFileSync(join(projectRoot, 'examples/envoy-tokens/config/model.yaml'), 'utf8')

  /** Sends a request to the model, which answers with a usage; no usage for null. */
  async function complete(envoy: RunningEnvoy, account: string, maxTokens: number, used: number | null) {
    const answer = used === null ? {} : { usage: { total_tokens: used } }
    const headers = { 'x-account': account, 'content-type': 'application/json', 'x-answer': JSON.stringify(answer) }
    const body = JSON.stringify({ max_tokens: maxTokens })
    const { status } = await fetch(envoy.url, { method: 'POST', headers, body })
    return status
  }

  async function left(service: RunningRatelimit, account: string): Promise<number> {
    const body = JSON.stringify({ domain: 'model', entries: { account } })
    const response = await fetch(`${service.url}/limiter/peek`, { method: 'POST', body })
    return ((await response.json()) as { readonly remaining: number }).remaining
  }

  it.each(['forwarded by the front', 'decided in the front'])('settles each with its true cost, %s', async (way) => {
    const service = await startRatelimit({ vars: { FRONT_TOKEN: frontToken } }, { 'config.model.yaml': text })
    const decider = way === 'decided in the front' ? await startDecider(service.runtimeUrl) : undefined
    const upstream = decider === undefined ? service.url : 'http://127.0.0.1:9'
    const front = await startGrpcFront({ upstream, host: '127.0.0.1', port: 0, ...(decider && { decider }) })
    const envoy = await startEnvoy('envoy-tokens/tokens', { 8081: front.port })
    const remains = (tokens: number) => expect.poll(() => left(service, 'a'), { timeout: 10_000 }).toBe(tokens)
    try {
      expect(await complete(envoy, 'a', 400, 120)).toBe(200)
      await remains(880)
      // 900 are more than what is left; what the model would have used is not counted.
      expect(await complete(envoy, 'a', 900, 10)).toBe(429)
      expect(await complete(envoy, 'a', 500, 700)).toBe(200)
      await remains(180)
      // Without a count the reservation stays until its rule ends it.
      expect(await complete(envoy, 'a', 100, null)).toBe(200)
      await remains(80)
      expect(await complete(envoy, 'a', 81, 1)).toBe(429)
      expect(envoy.passed()).toBe(3)
      await decider?.handOver()
      const stats = await service.stats()
      expect(stats.get('ratelimit.service.rate_limit.model.account.settled_hits')).toBe(820)
      expect(stats.get('ratelimit.service.settlement.not_found')).toBeUndefined()
    } finally {
      await envoy.stop()
      await front.stop()
      await decider?.stop()
      await service.stop()
    }
  })
})
