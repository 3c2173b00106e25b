/** Streams of quota assignments at the Worker: which callers get the number of shards, and which object a stream reaches. */

import { WebSocket } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quotaShardsPath, quotaStreamPath } from '#proto-json/index.ts'
import type { QuotaAction } from '#ratelimit/quota/messages.ts'
import { adminToken, type RunningRatelimit, startRatelimit } from '../../support/ratelimit-bundle.ts'

const callerToken = 'token-of-the-proxy-0123456789'
const authorization = `Bearer ${callerToken}`
const vars = { ADMIN_TOKEN: adminToken, CALLER_TOKENS: `proxy=${callerToken}` }
const textOf = (domain: string) =>
  `domain: ${domain}\ndescriptors: [{key: day, rate_limit: {unit: day, requests_per_unit: 8640000}}]\n`
const rules = { 'gate.yaml': textOf('gate'), 'full.yaml': textOf('full') }
const mostStreams = 5

let service: RunningRatelimit
beforeAll(async () => {
  service = await startRatelimit({ vars: { ...vars, QUOTA_SHARDS: '4', QUOTA_MAX_STREAMS: `${mostStreams}` } }, rules)
})
afterAll(() => service.stop())

const ask = (query: string, init: RequestInit = { headers: { authorization } }) =>
  fetch(`${service.runtimeUrl}${quotaShardsPath}${query}`, init)

function connect(query: string, token = authorization): WebSocket {
  return new WebSocket(`${service.runtimeUrl}${quotaStreamPath}${query}`, { headers: { authorization: token } })
}

/** A stream that is open. */
function openSocket(query: string): Promise<WebSocket> {
  const socket = connect(query)
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve(socket))
    socket.addEventListener('error', ({ message }) => reject(new Error(message)))
  })
}

/** A stream that reports one bucket at once: its first action, or the close that refused it. */
function firstOf(query: string, token = authorization): Promise<QuotaAction | { code: number; reason: string }> {
  const socket = connect(query, token)
  const bucket = [{ key: 'day', value: query }]
  socket.addEventListener('open', () => socket.send(JSON.stringify([{ bucket, allowed: 0, denied: 1 }])))
  return new Promise((resolve) => {
    socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }))
    socket.addEventListener('message', ({ data }) => {
      const [action] = JSON.parse(String(data)) as QuotaAction[]
      if (action !== undefined) resolve(action)
      socket.close()
    })
  })
}

describe('answerQuota()', () => {
  it('answers the number of shards to a caller that may open a stream', async () => {
    const answer = await ask('?domain=gate')
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(await answer.json()).toEqual({ shards: 4 })
  })

  it('refuses strangers and a domain without rules', async () => {
    expect((await ask('?domain=gate', {})).status).toBe(401)
    expect((await ask('?domain=other')).status).toBe(403)
    expect((await ask('')).status).toBe(400)
    expect((await ask('?domain=gate', { method: 'POST', headers: { authorization } })).status).toBe(405)
  })

  it('opens a stream to each shard', async () => {
    const queries = [0, 1, 2, 3].map((shard) => `?domain=gate&shard=${shard}&shards=4`)
    for (const query of queries) {
      expect(await firstOf(query)).toMatchObject({ bucket: [{ key: 'day', value: query }], fillSeconds: 1_000 })
    }
  })

  it('bounds the streams of each shard', async () => {
    const open = (query: string) => openSocket(`?domain=full${query}`)
    const held = await Promise.all(Array.from({ length: mostStreams }, () => open('&shard=2&shards=4')))
    expect(await firstOf('?domain=full&shard=2&shards=4')).toMatchObject({ code: 4_008 })
    expect(await firstOf('?domain=full&shard=1&shards=4')).toHaveProperty('maxTokens')
    for (const socket of held) socket.close()
  })

  it('refuses a front that splits into another number of shards, which is to ask again', async () => {
    const refused = {
      code: 4_014,
      reason: 'Cannot open stream: there are 4 shards, expected shards=4 and a shard below; open it again',
    }
    for (const split of ['shard=0&shards=1', 'shard=4&shards=4', 'shard=-1&shards=4', 'shard=x&shards=4']) {
      expect(await firstOf(`?domain=gate&${split}`)).toEqual(refused)
    }
    const counted = async () => (await service.stats()).get('ratelimit.service.quota.streams_refused')
    await expect.poll(counted).toBeGreaterThanOrEqual(4)
  })

  it('refuses a stream of a stranger to a shard too', async () => {
    expect(await firstOf('?domain=gate&shard=0&shards=4', 'Bearer of-a-stranger')).toMatchObject({ code: 4_016 })
  })

  it('refuses a domain without rules in any script, with as much of the reason as a close carries', async () => {
    for (const domain of ['\u6f22'.repeat(40), '\u{1f600}'.repeat(40), 'x'.repeat(5_000)]) {
      const answer = await firstOf(`?domain=${encodeURIComponent(domain)}`)
      expect(answer).toMatchObject({ code: 4_007, reason: expect.stringContaining('no rule has domain') })
    }
  })

  it('has one shard where QUOTA_SHARDS is not set', async () => {
    await service.restart(vars)
    expect(await (await ask('?domain=gate')).json()).toEqual({ shards: 1 })
    expect(await firstOf('?domain=gate&shard=0&shards=1')).toHaveProperty('maxTokens')
    expect(await firstOf('?domain=gate&shard=0&shards=4')).toMatchObject({ code: 4_014 })
  })
})
