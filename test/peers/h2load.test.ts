/** h2load presses the front that decides: each of its calls is answered, and counted once. */

import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import { startGrpcFront } from '#bin/grpc-front/front.ts'
import { encodeFrame, encodeRequest, readRequest, shouldRateLimitPath } from '#proto-json/index.ts'
import { startDecider } from '../support/deciding-front.ts'
import { makeFolder } from '../support/folder.ts'
import { findProgram } from '../support/process.ts'
import { startRatelimit } from '../support/ratelimit-bundle.ts'
import { frontToken, oneLimit, question } from '../support/ratelimit-servers.ts'

const h2load = findProgram('h2load')
const [calls, limit] = [4_000, 3_000]

const folder = makeFolder()
const body = join(folder, 'body')

beforeAll(async () => {
  writeFileSync(body, encodeFrame(0, encodeRequest(readRequest(question('shop', ['k', 'v'])))))
  await bundleWorkers(['ratelimit'])
})

describe.skipIf(h2load === null)('h2load through a front that decides (skipped without h2load)', () => {
  it.each(['off', 'on'])('gets an answer to each call, which counts once, with LEASES=%s', async (LEASES) => {
    const vars = { FRONT_TOKEN: frontToken, LEASES, COUNTER_PLACEMENT: 'shard' }
    const service = await startRatelimit({ vars }, { 'shop.yaml': oneLimit('shop', 'day', limit) })
    const decider = await startDecider(service.runtimeUrl)
    // A front that decides does not need its upstream.
    const front = await startGrpcFront({ upstream: 'http://127.0.0.1:9', decider, port: 0 })
    onTestFinished(async () => {
      await front.stop(0)
      await decider.stop()
      await service.stop()
    })
    await decider.sync()
    const headers = ['content-type: application/grpc', 'te: trailers'].flatMap((field) => ['-H', field])
    const load = ['-n', `${calls}`, '-c', '4', '-m', '32', '-d', body, ...headers]
    const url = `http://127.0.0.1:${front.port}${shouldRateLimitPath}`
    const { stdout } = await promisify(execFile)(h2load ?? '', [...load, url], { timeout: 120_000 })
    expect(stdout).toContain(`${calls} done, ${calls} succeeded, 0 failed, 0 errored`)
    await decider.sync()
    const stats = await service.stats()
    const stat = (name: string) => stats.get(`ratelimit.service.rate_limit.shop.k.${name}`)
    expect([stat('total_hits'), stat('within_limit'), stat('over_limit')]).toEqual([calls, limit, calls - limit])
  })
})
