/** Each algorithm over each road into the built service: /json, gRPC-Web, native gRPC, RPC and the middleware. */

import { Client, credentials } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import type { Decider } from '#bin/decider/decider.ts'
import { type GrpcFront, startGrpcFront } from '#bin/grpc-front/front.ts'
import { createLimiter } from '#limiter/client.ts'
import { rateLimit } from '#limiter/fetch.ts'
import { decodeResponse, encodeRequest, readRequest, shouldRateLimitPath } from '#proto-json/index.ts'
import { startDecider } from '../../support/deciding-front.ts'
import { callUnary } from '../../support/grpc-web-client.ts'
import { type LimiterCaller, startLimiterCaller } from '../../support/limiter-caller.ts'
import { adminToken, frontToken } from '../../support/ratelimit-servers.ts'

const rules = `domain: shop
descriptors:
  - key: period
    rate_limit: {unit: month, requests_per_unit: 2, sluice: {unit_multiplier: 12}}
  - key: admitted
    rate_limit: {unit: year, requests_per_unit: 2, sluice: {charge: admitted}}
  - key: sliding
    rate_limit: {unit: month, requests_per_unit: 2, sluice: {algorithm: sliding, unit_multiplier: 6}}
  - key: bucket
    rate_limit: {unit: day, requests_per_unit: 1, sluice: {algorithm: token_bucket, burst: 2}}
  - key: calendar
    rate_limit: {unit: month, requests_per_unit: 2, sluice: {algorithm: calendar, time_zone: Pacific/Apia}}
  - key: several
    rate_limit:
      unit: day
      requests_per_unit: 9
      name: first
      sluice: {limits: [{unit: year, requests_per_unit: 2, name: second}]}
  - key: together
    rate_limit: {unit: year, requests_per_unit: 2, sluice: {charge: all_or_nothing}}
  - key: pair
    rate_limit:
      unit: year
      requests_per_unit: 9
      name: first
      sluice:
        charge: all_or_nothing
        limits: [{unit: month, requests_per_unit: 2, name: second, sluice: {charge: all_or_nothing}}]
  - key: wide
    rate_limit: {unit: year, requests_per_unit: 9, sluice: {charge: all_or_nothing}}
  - key: held
    rate_limit: {unit: day, requests_per_unit: 2, sluice: {algorithm: concurrency}}
  - key: spend
    rate_limit: {unit: month, requests_per_unit: 2, sluice: {unsettled: charged}}
  - key: network
    sluice: {cidr: 10.0.0.0/8}
    rate_limit: {unit: year, requests_per_unit: 2}
`

let [service, decider, front, native]: [LimiterCaller?, Decider?, GrpcFront?, Client?] = []
beforeAll(async () => {
  await bundleWorkers(['ratelimit'])
  service = await startLimiterCaller({ RATELIMIT_RULES: rules, FRONT_TOKEN: frontToken, ADMIN_TOKEN: adminToken }, {})
  decider = await startDecider(service.url)
  // A front that decides needs no upstream.
  front = await startGrpcFront({ upstream: 'http://127.0.0.1:9', decider, port: 0 })
  native = new Client(`127.0.0.1:${front.port}`, credentials.createInsecure())
})
afterAll(async () => {
  native?.close()
  await front?.stop(0)
  await decider?.stop()
  await service?.stop()
})

/** Opens a reservation of one hit, or settles it at a cost of none. */
interface Step {
  readonly action: 'reserve' | 'settle'
  readonly id: string
}

/** Asks for one hit of a counter; true when it is admitted. */
type Ask = (url: string, key: string, value: string, step?: Step) => Promise<boolean>

/** A descriptor for each key, in the order of a list with commas. */
const write = (key: string, value: string, step?: Step) => {
  const last = step === undefined ? [] : [{ key: `sluice.${step.action}`, value: step.id }]
  const descriptors = key
    .split(',')
    .map((one) => ({ entries: [{ key: one, value }, ...last], ...(step?.action === 'settle' && { hits_addend: 0 }) }))
  return JSON.stringify({ domain: 'shop', descriptors })
}
const message = (...asked: Parameters<typeof write>) => encodeRequest(readRequest(write(...asked)))
const isAdmitted = (answer: Uint8Array) => decodeResponse(answer).overallCode === 'OK'

function askNative(question: Uint8Array): Promise<Uint8Array> {
  const same = (bytes: Buffer) => bytes
  return new Promise((resolve, reject) =>
    native?.makeUnaryRequest(shouldRateLimitPath, Buffer.from, same, question, (error, answer) =>
      answer === undefined ? reject(error) : resolve(answer),
    ),
  )
}

const roads: Readonly<Record<string, Ask>> = {
  '/json': async (url, ...asked) =>
    (await fetch(`${url}/json`, { method: 'POST', body: write(...asked) })).status === 200,
  'gRPC-Web': async (url, ...asked) => {
    const call = { baseUrl: url, path: shouldRateLimitPath, message: message(...asked) }
    return isAdmitted((await callUnary(fetch, call)).message ?? expect.fail('the call failed'))
  },
  'native gRPC': async (_, ...asked) => isAdmitted(await askNative(message(...asked))),
  RPC: async (_, key, value, step) => {
    const request = { domain: 'shop', entries: { [key]: value }, ...(step !== undefined && { reservation: step.id }) }
    const isSettled = step?.action === 'settle'
    const result = await service?.call(isSettled ? 'settle' : 'limit', isSettled ? { ...request, hits: 0 } : request)
    return (result as { readonly success: boolean }).success
  },
  'the middleware': async (url, key, value, step) => {
    const limiter = createLimiter({ url, domain: 'shop' })
    const request = { entries: { [key]: value }, ...(step !== undefined && { reservation: step.id }) }
    if (step?.action === 'settle') return (await limiter.settle({ ...request, reservation: step.id, hits: 0 })).success
    const guarded = rateLimit(() => new Response('passed'), { limiter, key: () => request })
    return (await guarded(new Request('https://shop.example/'))).status === 200
  },
}

describe.each(Object.entries(roads))('over %s', (road, ask) => {
  it.each(['period', 'admitted', 'sliding', 'bucket', 'calendar', 'several'])('%s admits two hits', async (key) => {
    const admitted: boolean[] = []
    for (let hit = 1; hit <= 4; hit++) admitted.push(await ask(service?.url ?? '', key, road))
    expect(admitted).toEqual([true, true, false, false])
  })

  it.each(['held', 'spend'])('%s admits a third call once one of two is settled at no cost', async (key) => {
    const step = (action: Step['action'], id: string) => ask(service?.url ?? '', key, road, { action, id })
    const reserved = [await step('reserve', 'a'), await step('reserve', 'b'), await step('reserve', 'c')]
    expect(reserved).toEqual([true, true, false])
    expect([await step('settle', 'b'), await step('reserve', 'd'), await step('reserve', 'e')]).toEqual([
      true,
      true,
      false,
    ])
  })

  it('counters of one object take a request together, or neither does', async () => {
    const [url, value] = [service?.url ?? '', `${road} pair`]
    for (let hit = 1; hit <= 5; hit++) expect(await ask(url, 'pair', value)).toBe(hit <= 2)
    const read = `${url}/counters?domain=shop&entry=pair=${encodeURIComponent(value)}`
    const answer = await fetch(read, { headers: { authorization: `Bearer ${adminToken}` } })
    const { counters } = (await answer.json()) as { readonly counters: readonly { readonly hits: number }[] }
    expect(counters.map(({ hits }) => hits)).toEqual([2, 2])
  })

  it('a network admits two hits of each address in it', async () => {
    const address = `10.0.0.${Object.keys(roads).indexOf(road)}`
    const admitted: boolean[] = []
    for (let hit = 1; hit <= 3; hit++) admitted.push(await ask(service?.url ?? '', 'network', address))
    expect(admitted).toEqual([true, true, false])
    expect(await ask(service?.url ?? '', 'network', '192.0.2.1')).toBe(true)
  })
})

describe.each(['/json', 'gRPC-Web', 'native gRPC'])('over %s', (road) => {
  it('counters of two objects take a request together, or neither does', async () => {
    const ask = roads[road] ?? expect.fail('there is no such road')
    const url = service?.url ?? ''
    const admitted: boolean[] = []
    for (let hit = 1; hit <= 5; hit++) admitted.push(await ask(url, 'together,wide', road))
    expect(admitted).toEqual([true, true, false, false, false])
    // Refused requests have left seven of nine.
    for (let hit = 1; hit <= 8; hit++) admitted.push(await ask(url, 'wide', road))
    expect(admitted.slice(5)).toEqual([...Array.from({ length: 7 }, () => true), false])
  })
})
