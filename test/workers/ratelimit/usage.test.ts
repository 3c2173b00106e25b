/** `/v1`: what was decided, as the operator plane answers it. */

import { beforeAll, describe, expect, it } from 'vitest'
import { usageSteps } from '#ratelimit/usage/bounds.ts'
import { hostServices } from '../../support/host-services.ts'
import { adminToken, oneLimit, question } from '../../support/ratelimit-servers.ts'
import { eventually } from '../../support/wait.ts'

const { client } = hostServices([{}, { USAGE_ENABLED: 'false' }])

beforeAll(async () => {
  for (const place of [0, 1]) {
    await client(place).load([oneLimit('shop', 'day', 2, 'login')])
    for (let at = 0; at < 5; at++) await decide(place, 'mia')
    await decide(place, 'ada')
  }
})

async function decide(place: number, name: string): Promise<number> {
  const response = await client(place).decide(question('shop', ['login', name]))
  await response.text()
  return response.status
}

const read = async (path: string, place = 0) => (await client(place).operate(path)).json()

/** Adds up rows, which may lie in two buckets. */
function sum(rows: readonly { rule: string; admitted: number; refused: number }[], rule: string) {
  const own = rows.filter((row) => row.rule === rule)
  return [own.reduce((all, row) => all + row.admitted, 0), own.reduce((all, row) => all + row.refused, 0)]
}

describe('GET /v1/usage', () => {
  it.each(usageSteps)('counts requests and rules in buckets of %i s', async (step) => {
    const now = Math.floor(Date.now() / 1000)
    const { rows, fills } = await read(`/v1/usage?from=${now - 120 - step}&to=${now + 2}&step=${step}`)
    expect([sum(rows, ''), sum(rows, 'shop.login')]).toEqual([
      [3, 3],
      [3, 3],
    ])
    expect(fills).toEqual([expect.objectContaining({ rule: 'shop.login', key: 'shop_login_mia_', remaining: 0 })])
  })

  it('chooses the finest buckets that reach back far enough', async () => {
    const now = Math.floor(Date.now() / 1000)
    const steps = [100, 3_600, 200_000].map(async (seconds) => {
      const { step } = await read(`/v1/usage?from=${now - seconds}&to=${now}`)
      return step
    })
    expect(await Promise.all(steps)).toEqual([1, 60, 3600])
  })

  it('explains the mistake of a query', async () => {
    for (const [query, message] of [
      ['step=7', 'step is 7, expected one of 1, 60, 600, 3600, 21600'],
      ['from=abc', 'from is "abc", expected a whole number'],
      ['from=9&to=3', 'from is 9 and to is 3, expected from before to'],
    ] as const) {
      const response = await client().operate(`/v1/usage?${query}`)
      const { error } = await response.json()
      expect([response.status, error.message]).toEqual([400, `Cannot read usage: ${message}`])
    }
  })

  it('answers with no usage where it is switched off', async () => {
    expect(await read('/v1/usage', 1)).toMatchObject({ since: null, rows: [], fills: [] })
  })
})

describe('GET /v1/top', () => {
  it('names the keys, or hashes them', async () => {
    const { used, refused } = await read('/v1/top')
    expect(used.map(({ key, count }: { key: string; count: number }) => [key, count])).toEqual([
      ['shop_login_mia_', 5],
      ['shop_login_ada_', 1],
    ])
    expect(refused).toMatchObject([{ key: 'shop_login_mia_', count: 3, error: 0 }])
    const hashed = await read('/v1/top?values=hashed')
    expect(JSON.stringify(hashed)).not.toMatch(/mia|ada/)
    expect(hashed.used[0].label.entries[0].value).toMatch(/^#[0-9a-f]{12}$/)
  })
})

describe('POST /v1/what-if', () => {
  const judge = (text: string) =>
    client().operate('/v1/what-if', { method: 'POST', body: JSON.stringify({ files: { 'config.a.yaml': text } }) })

  it('decides the sampled requests by other rules', async () => {
    const same = await (await judge(oneLimit('shop', 'day', 2, 'login'))).json()
    expect(same).toMatchObject({ sampled: 6, was: { admitted: 3, refused: 3 }, changedRequests: 0 })
    const wider = await (await judge(oneLimit('shop', 'day', 4, 'login'))).json()
    expect(wider).toMatchObject({ would: { admitted: 5, refused: 1 }, changedRequests: 2 })
  })

  it('takes the answer of GET /config/files, which differs in nothing from the running files', async () => {
    const running = await client().operate('/config/files')
    const response = await client().operate('/v1/what-if', { method: 'POST', body: await running.text() })
    const { was, would, changed, changedRequests } = await response.json()
    expect([response.status, changed, changedRequests]).toEqual([200, [], 0])
    expect(would).toEqual(was)
    expect(was.refused).toBe(3)
  })

  it('lists the mistakes of rules that have some', async () => {
    const response = await judge(
      'domain: shop\ndescriptors:\n  - key: a\n    rate_limit: {unit: hours, requests_per_unit: 1}\n',
    )
    const { error } = await response.json()
    expect([response.status, error.mistakes[0].line]).toEqual([422, 4])
    expect(error.message).toContain("config.a.yaml: invalid rate limit unit 'hours'")
  })

  it('lists as many mistakes as an answer has room for, and stops after 2,000 of them', async () => {
    const lines = Array.from({ length: 5_000 }, (_, at) => `  - {key: k${at}, rate_limit: {unit: eon}}`)
    const response = await judge(`domain: a\ndescriptors:\n${lines.join('\n')}\n`)
    const { error } = await response.json()
    expect([response.status, error.mistakes.length + error.leftOut]).toEqual([422, 2_001])
    expect(JSON.stringify(error).length).toBeLessThan(310_000)
  })
})

describe('GET /v1/events', () => {
  async function firstDecision(url: string, init: RequestInit): Promise<string> {
    const stopping = new AbortController()
    const response = await fetch(url, { ...init, signal: stopping.signal })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    const hasDecision = async () => {
      await decide(0, 'eve')
      text += (await reader?.read())?.value ?? ''
      return text.includes('event: decision') && text.endsWith('\n\n')
    }
    await eventually('a decision', hasDecision, () => text)
    stopping.abort()
    return text
  }

  it('sends counts and sampled decisions to those with the token', async () => {
    const headers = { authorization: `Bearer ${adminToken}` }
    const text = await firstDecision(`${client().url}/v1/events`, { headers })
    expect(text).toMatch(/event: counts\ndata: \[\{"second":\d+,"domain":"shop","rule":"shop.login"/)
    expect(text).toMatch(/"entries":\[\{"key":"login","value":"eve"\}\]/)
  })

  it('lets a ticket in once, and hashes values on demand', async () => {
    const drawn = await client().operate('/v1/events/ticket', { method: 'POST' })
    const { ticket } = await drawn.json()
    const text = await firstDecision(`${client().url}/v1/events?values=hashed&ticket=${ticket}`, {})
    expect(text).toMatch(/"value":"#[0-9a-f]{12}"/)
    expect(text).not.toContain('"eve"')
    expect((await fetch(`${client().url}/v1/events?ticket=${ticket}`)).status).toBe(401)
    expect((await fetch(`${client().url}/v1/events`)).status).toBe(401)
  })
})

describe('every path of /v1', () => {
  it('asks for the token', async () => {
    for (const path of ['/v1/usage', '/v1/top', '/v1/events']) {
      expect((await fetch(client().url + path)).status).toBe(401)
    }
  })
})
