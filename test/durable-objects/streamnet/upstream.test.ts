/** The client of the embedded node: views without the forms of the wire, and everything else over them. */

import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import type { StreamnetEnv } from '#objects/streamnet/env.ts'
import { createUpstreamClient } from '#objects/streamnet/upstream.ts'
import { type ActionArg, createClient, isStreamNetError } from '#streamnet/index.ts'
import { callAction } from '#streamnet/rpc/call.ts'
import { createSigner } from '#streamnet/signing/signer.ts'

// The pool gives the bindings of wrangler.toml, which are these.
const bindings = env as unknown as StreamnetEnv
const signer = createSigner('7'.padStart(64, '0'))
const absent = [signer.address, `st${'a'.repeat(30)}`, null, null, null] as const

/** A client of the embedded node, with what it tells of its questions, and how often it was asked in which way. */
function upstream(overrides: Partial<StreamnetEnv> = {}) {
  const asked: string[] = []
  const told = { answers: [] as boolean[], states: [] as string[] }
  const count = <T extends object>(stub: T): T =>
    new Proxy(stub, {
      get(target, name) {
        if (name === 'rpc' || name === 'view') asked.push(name)
        const member: unknown = Reflect.get(target, name)
        return member
      },
    })
  const NODE = { getByName: (name: string) => count(bindings.NODE.getByName(name)) }
  const client = createUpstreamClient({ ...bindings, ...overrides, NODE } as unknown as StreamnetEnv, {
    signer,
    onAnswer: (_, isAnswered) => void told.answers.push(isAnswered),
    onState: (state) => void told.states.push(state),
  })
  return { client, asked, told }
}

/** A client that knows the wire only. */
function wire() {
  return createClient({
    endpoint: 'http://node.invalid',
    signer,
    platform: {
      ...upstream().client.platform,
      async fetch(_, { body }) {
        const { text, status } = await bindings.NODE.getByName('default').rpc(String(body), 'gateway')
        return new Response(text, { status })
      },
    },
  })
}

// A node that is made has its seed network to load, which may take longer than a question may.
beforeAll(async () => void (await bindings.NODE.getByName('default').state()))

describe('createUpstreamClient()', () => {
  it('asks a view once, without the wire, and gives what the wire gives', async () => {
    const views: readonly (readonly [string, readonly ActionArg[]])[] = [
      ['list_streams', ['', 10, 0, '', 0]],
      ['list_markets', [null, 10, 0]],
      ['get_market_info', [1]],
    ]
    for (const [action, args] of views) {
      const { client, asked, told } = upstream()
      const read = async (from: typeof client) =>
        callAction(from, action, args).catch((error: unknown) => String(error))
      const answer = await read(client)
      expect(answer).toEqual(await read(wire()))
      if (typeof answer === 'string') continue
      expect([asked, told.answers]).toEqual([['view'], [true]])
      expect(told.states).toEqual([await bindings.NODE.getByName('default').state()])
    }
  })

  it('asks over the wire what the view refuses, and counts one question', async () => {
    const { client, asked, told } = upstream()
    const error = await callAction(client, 'get_record', absent).catch((thrown: unknown) => thrown)
    expect(isStreamNetError(error)).toBe(true)
    expect(error).toEqual(await callAction(wire(), 'get_record', absent).catch((thrown: unknown) => thrown))
    expect([asked, told.answers]).toEqual([['view', 'rpc'], [true]])
  })

  it('asks over the wire what changes when it is encoded', async () => {
    const { client, asked } = upstream()
    await callAction(client, 'list_streams', ['\ud800', 10, 0, '', 0])
    expect(asked).toEqual(['rpc'])
  })

  it('asks another node over the wire only', () => {
    const { client } = upstream({ STREAMNET_ENDPOINT: 'http://127.0.0.1:1' })
    expect(client.view).toBeUndefined()
  })
})
