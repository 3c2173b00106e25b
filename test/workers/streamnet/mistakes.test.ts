/** Answers to natural mistakes: each says what was wrong and what would be right. */

import { afterAll, beforeAll, expect, it } from 'vitest'
import { generateStreamId } from '#streamnet/index.ts'
import { operatorToken } from '../../support/bundle.ts'
import { fullToken, gatewayAddress, type RunningGateway, startGateway } from '../../support/gateway-bundle.ts'
import document from '../../vectors/streamnet-mistakes.json' with { type: 'json' }

/** Destinations of requests, each with the token that a request brings there unless it names another. */
const ports = {
  gateway: { prefix: '/streamnet/v1', token: fullToken },
  node: { prefix: '/streamnet/node', token: null },
  operator: { prefix: '/streamnet/admin', token: operatorToken },
} as const

/** A request, and the exact answer to it. */
interface Mistake {
  readonly name: string
  readonly at: keyof typeof ports
  readonly method: string
  readonly path: string
  readonly token?: keyof typeof otherTokens
  readonly headers?: Readonly<Record<string, string>>
  /** A body as JSON, or as text that is none. */
  readonly body?: unknown
  readonly text?: string
  /** The reason why the answer is the contract's or the network's own, where it could say more. */
  readonly reason?: string
  readonly answer: { readonly status: number; readonly body: unknown }
}

let gateway: RunningGateway
const streamId = generateStreamId('mistakes')
const otherTokens = { none: null, wrong: 'wrong-token-0123456789' }

beforeAll(async () => {
  gateway = await startGateway({ vars: { STREAMNET_ADMIN_TOKEN: operatorToken } })
  await gateway.run('deploy_stream', { stream_id: streamId })
  await gateway.run('insert_record', { stream_id: streamId, record: { date: 1_735_000_000, value: 1 } })
})
afterAll(() => gateway?.stop())

const fill = (text: string) => text.replaceAll('@stream', streamId).replaceAll('@own', gatewayAddress)
/** Hashes and heights differ from run to run. */
const blur = (text: string) =>
  text
    .replaceAll(streamId, '@stream')
    .replaceAll(gatewayAddress, '@own')
    .replaceAll(/\b[0-9a-f]{64}\b/g, '@hash')
    .replaceAll(/("?height"?:)\d+/g, '$1"@height"')

async function ask({ at, method, path, token, headers, body, text }: Mistake): Promise<Mistake['answer']> {
  const port = ports[at]
  const bearer = token === undefined ? port.token : otherTokens[token]
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(gateway.url + port.prefix + fill(path), {
    method,
    headers: {
      ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(sent !== undefined && { body: fill(sent) }),
  })
  const answered = blur(await response.text())
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  return { status: response.status, body: isJson ? JSON.parse(answered) : answered }
}

it.each(document.mistakes as readonly Mistake[])('$name', async (mistake) => {
  const answer = await ask(mistake)
  expect(answer).toEqual(mistake.answer)
  if (mistake.reason === undefined) expect(JSON.stringify(answer.body)).toMatch(/expected|perhaps|hint|takes/)
})
