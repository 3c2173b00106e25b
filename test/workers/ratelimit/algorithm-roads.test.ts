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
import { frontToken } from '../../support/ratelimit-servers.ts'

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
  - key: wide
    rate_limit: {unit: year, requests_per_unit: 9, sluice: {charge: all_or_nothing}}
  - key: network
    sluice: {cidr: 10.0.0.0/8}
    rate_limit: {unit: year, requests_per_unit: 2}
`

let [service, decider, front, native]: [LimiterCaller?, Decider?, GrpcFront?, Client?] = []
beforeAll(async () => {
  await bundleWorkers(['ratelimit'])
  service = await startLimiterCaller({ RATELIMIT_RULES: rules, FRONT_TOKEN: frontToken }, {})
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

/** Asks for one hit of a counter; true when it is admitted. */
type Ask = (url: string, key: string, value: string) => Promise<boolean>

/** A descriptor for each key, in the order of a list with commas. */
const write = (key: string, value: string) =>
  JSON.stringify({ domain: 'shop', descriptors: key.split(',').map((one) => ({ entries: [{ key: one, value }] })) })
const message = (key: string, value: string) => encodeRequest(readRequest(write(key, value)))
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
  '/json': async (url, key, value) =>
    (await fetch(`${url}/json`, { method: 'POST', body: write(key, value) })).status === 200,
  'gRPC-Web': async (url, key, value) => {
    const call = { baseUrl: url, path: shouldRateLimitPath, message: message(key, value) }
    return isAdmitted((await callUnary(fetch, call)).message ?? expect.fail('the call failed'))
  },
  'native gRPC': async (_, key, value) => isAdmitted(await askNative(message(key, value))),
  RPC: async (_, key, value) => {
    const result = await service?.call('limit', { domain: 'shop', entries: { [key]: value } })
    return (result as { readonly success: boolean }).success
  },
  'the middleware': async (url, key, value) => {
    const limiter = createLimiter({ url, domain: 'shop' })
    const guarded = rateLimit(() => new Response('passed'), { limiter, key: () => ({ entries: { [key]: value } }) })
    return (await guarded(new Request('https://shop.example/'))).status === 200
  },
}

describe.each(Object.entries(roads))('over %s', (road, ask) => {
  it.each(['period', 'admitted', 'sliding', 'bucket', 'calendar', 'several'])('%s admits two hits', async (key) => {
    const admitted: boolean[] = []
    for (let hit = 1; hit <= 4; hit++) admitted.push(await ask(service?.url ?? '', key, road))
    expect(admitted).toEqual([true, true, false, false])
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
