/** Mistakes that people make on the decision path: each answer says what was wrong and what is right. */

import { beforeAll, describe, expect, it } from 'vitest'
import { decodeFrames, decodeTrailers, statusOfTrailers } from '#proto-json/index.ts'
import { hostServices } from '../../support/host-services.ts'
import { oneLimit } from '../../support/ratelimit-servers.ts'
import vectors from '../../vectors/ratelimit-mistakes.json' with { type: 'json' }

const lines: string[] = []

const bound = { REQUEST_MAX_BODY_BYTES: '2048' }
const { client } = hostServices([bound, bound, { ...bound, JSON_REASON_IN_BODY: 'true', CALLER_REFUNDS: 'refuse' }], {
  onLine: (line) => lines.push(line),
})

beforeAll(async () => {
  expect(await client().load([oneLimit('shop', 'minute', 5, 'login')])).toBeNull()
})

interface Mistake {
  readonly method: string
  readonly path: string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

function send({ method, path, type = '', headers = {}, body }: Mistake, place = 0): Promise<Response> {
  const encoding = /grpc|proto/.test(type) ? 'latin1' : 'utf8'
  return fetch(`${client(place).url}${path}`, {
    method,
    headers: { ...headers, ...(type === '' ? {} : { 'content-type': type }) },
    ...(body === undefined ? {} : { body: Buffer.from(body, encoding) }),
  })
}

const decoded = (value: string | null) => (value === null ? undefined : decodeURIComponent(value))

/** The message of an answer, from the place where its protocol has it. */
async function saidBy(response: Response): Promise<Readonly<Record<string, unknown>>> {
  const type = response.headers.get('content-type') ?? ''
  const bytes = new Uint8Array(await response.arrayBuffer())
  const text = Buffer.from(bytes).toString()
  const reason = decoded(response.headers.get('x-ratelimit-reason'))
  if (type.startsWith('application/grpc-web')) {
    const binary = type.includes('text') ? Buffer.from(text, 'base64') : bytes
    const trailers = decodeFrames(binary, 10_000).findLast(({ flags }) => flags === 0x80)
    return { ...statusOfTrailers(decodeTrailers(trailers?.payload ?? new Uint8Array(0))) }
  }
  if (type === 'application/grpc') return { message: decoded(response.headers.get('x-grpc-message')) }
  if (type === 'application/json' && text.includes('"code":"') && !text.includes('overallCode')) {
    return JSON.parse(text)
  }
  return { text, ...(reason !== undefined && { reason }) }
}

describe('the decision path', () => {
  for (const { what, method, path, type, headers, body, status, ...said } of vectors.cases) {
    it(`answers ${what} with ${status} and the reason`, async () => {
      const response = await send({
        method,
        path,
        ...(type !== undefined && { type }),
        ...(headers !== undefined && { headers }),
        ...(body !== undefined && { body }),
      })
      expect({ status: response.status, ...(await saidBy(response)) }).toEqual({ status, ...said })
    })
  }

  it('has all the mistakes', () => {
    expect(vectors.cases.length).toBeGreaterThan(50)
  })

  it('answers every request to a service without rules with that reason', async () => {
    const body = '{"domain":"shop","descriptors":[{"entries":[{"key":"login","value":"me"}]}]}'
    expect(await saidBy(await send({ method: 'POST', path: '/json', body }, 1))).toEqual({
      text: 'Bad Request\n',
      reason: 'no rate limit configuration loaded: load one with "sluice ratelimit push", or PUT /config/files',
    })
  })

  it('writes the reasons to the log, twenty a minute at most', async () => {
    const body = '{"domian":"shop"}'
    for (let time = 0; time < 100; time++) {
      expect((await send({ method: 'POST', path: '/json', body }, 1)).status).toBe(400)
    }
    const said = () => lines.filter((line) => line.includes('domian'))
    await expect.poll(() => said().length).toBeGreaterThan(18)
    expect(said()[0]).toMatch(
      / level=warning msg="Request refused" path=\/json error="Cannot read JSON: there is no member \\"domian\\", expected \\"domain\\"" surface=ratelimit request_id=[\da-f-]{36}$/,
    )
    // Were the hundred to take longer than a minute, twenty more would be written.
    expect(said().length).toBeLessThan(50)
  })

  it('keeps a reason within a header: printable, and no longer than it may be', async () => {
    const name = '\u{1f600}\r\nx-evil: 1'.repeat(100)
    const response = await send({ method: 'POST', path: '/json', body: `{${JSON.stringify(name)}:1}` })
    expect(response.headers.get('x-evil')).toBeNull()
    expect(response.headers.get('x-ratelimit-reason')).toMatch(/^[\x20-\x7e]{20,600}$/)
  })

  // After the test of the log, which counts the lines of a minute.
  it('puts the reason into the body too with JSON_REASON_IN_BODY', async () => {
    const refund = '{"domain":"d","descriptors":[{"entries":[{"key":"k"}],"hitsAddend":1,"isNegativeHits":true}]}'
    const said = async (body: string) => {
      const response = await send({ method: 'POST', path: '/json', body }, 2)
      const reason = decoded(response.headers.get('x-ratelimit-reason'))
      return [response.status, (await response.text()).replace(`: ${reason}`, ': REASON')]
    }
    expect(await said('{"domain":"é","descriptor":[]}')).toEqual([400, 'Bad Request: REASON\n'])
    expect(await said(refund)).toEqual([403, 'Forbidden: REASON\n'])
    const [, long] = await said(`{"${'x'.repeat(900)}":1}`)
    expect(String(long).length).toBeLessThan(600)
  })
})
