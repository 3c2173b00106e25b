/** grpcurl, which knows no message, lists, describes and calls the service through the front. */

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import { startGrpcFront } from '#bin/grpc-front/front.ts'
import { findProgram } from '../support/process.ts'
import { startRatelimit } from '../support/ratelimit-bundle.ts'

const grpcurl = findProgram('grpcurl')
const service = 'envoy.service.ratelimit.v3.RateLimitService'
const rules = {
  'config.shop.yaml': 'domain: shop\ndescriptors: [{ key: k, rate_limit: { unit: day, requests_per_unit: 1 } }]',
}

describe.skipIf(grpcurl === null)('grpcurl through the front (skipped without grpcurl)', () => {
  let address = ''
  let stop: () => Promise<void> = async () => {}

  beforeAll(async () => {
    await bundleWorkers(['ratelimit'])
    const running = await startRatelimit({}, rules)
    const front = await startGrpcFront({ upstream: running.url, port: 0 })
    address = `127.0.0.1:${front.port}`
    stop = async () => {
      await front.stop(0)
      await running.stop()
    }
  })
  afterAll(() => stop())

  /** This process answers what grpcurl asks, so it must not wait for it in one piece. */
  async function run(...args: readonly string[]): Promise<string> {
    const ran = promisify(execFile)(grpcurl ?? '', ['-plaintext', ...args], { timeout: 60_000 })
    return (await ran).stdout
  }

  it('lists the services and their methods', async () => {
    expect((await run(address, 'list')).trim().split('\n')).toEqual([
      'envoy.service.rate_limit_quota.v3.RateLimitQuotaService',
      service,
      'grpc.health.v1.Health',
      'grpc.reflection.v1.ServerReflection',
    ])
    expect((await run(address, 'list', service)).trim()).toBe(`${service}.ShouldRateLimit`)
  })

  it('describes a method and its messages', async () => {
    expect(await run(address, 'describe', `${service}.ShouldRateLimit`)).toContain(
      'rpc ShouldRateLimit ( .envoy.service.ratelimit.v3.RateLimitRequest ) returns ( .envoy.service.ratelimit.v3.RateLimitResponse );',
    )
    expect(await run(address, 'describe', 'envoy.service.ratelimit.v3.RateLimitRequest')).toContain(
      'uint32 hits_addend = 3;',
    )
  })

  it('calls both services', async () => {
    const question = '{"domain":"shop","descriptors":[{"entries":[{"key":"k","value":"v"}]}]}'
    const ask = async () => JSON.parse(await run('-d', question, address, `${service}/ShouldRateLimit`))
    expect(await ask()).toMatchObject({ overallCode: 'OK', statuses: [{ currentLimit: { unit: 'DAY' } }] })
    expect(await ask()).toMatchObject({ overallCode: 'OVER_LIMIT' })
    expect(JSON.parse(await run(address, 'grpc.health.v1.Health/Check'))).toEqual({ status: 'SERVING' })
  })

  it('gets an error for a service that does not exist', async () => {
    await expect(run(address, 'describe', 'no.such.Service')).rejects.toThrow(/no\.such\.Service/)
  })
})
