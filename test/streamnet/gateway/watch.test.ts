import { describe, expect, test } from 'vitest'
import { withOptions } from '#streamnet/call-options.ts'
import { createClient } from '#streamnet/client.ts'
import { watchBlockEvents, watchMarketEvents } from '#streamnet/gateway/watch.ts'
import { defaultPlatform } from '#streamnet/platform.ts'

const gateway = { gateway: 'http://gateway.invalid/streamnet/v1/', token: 'read' }

const block = (height: number, hash = `h${height}`) => ({
  height,
  hash,
  previous_hash: `h${height - 1}`,
  time_ms: height * 1000,
  transactions: 1,
})
const blocks = (height: number, ...heights: readonly number[]) => ({ height, blocks: heights.map((one) => block(one)) })
const event = (name: string, data: { readonly height: number }) =>
  `event: ${name}\nid: ${data.height}\ndata: ${JSON.stringify(data)}\n\n`
const sends =
  (name: string, ...data: readonly { readonly height: number }[]) =>
  () =>
    new Response(data.map((one) => event(name, one)).join(''))
const page =
  (...heights: readonly number[]) =>
  () =>
    Response.json({ result: blocks(99, ...heights) })
const isAway = () => new Response('', { status: 503 })

/** Collects what a watch gives over connections that follow a script; the one after its last ends the watch. */
async function follow<T>(
  script: readonly (() => Response)[],
  watch: (client: ReturnType<typeof createClient>) => AsyncIterable<T>,
) {
  const rest = [...script]
  const over = new AbortController()
  const asked: string[] = []
  const fetch: typeof defaultPlatform.fetch = async (url, { headers }) => {
    const last = new Headers(headers).get('last-event-id')
    asked.push(url.replace('http://gateway.invalid/streamnet/v1', '') + (last === null ? '' : ` after ${last}`))
    const next = rest.shift()
    if (next) return next()
    over.abort()
    throw new TypeError('fetch failed')
  }
  const platform = { ...defaultPlatform, fetch, sleep: async () => {} }
  const client = withOptions(createClient({ endpoint: 'http://node.invalid', platform }), { signal: over.signal })
  const seen: T[] = []
  let code: unknown = 'ended'
  try {
    for await (const one of watch(client)) seen.push(one)
  } catch (error) {
    code = (error as { readonly code?: unknown }).code
  }
  return { seen, code, asked }
}

describe('watchBlockEvents()', () => {
  const heightsOf = async (script: readonly (() => Response)[], fromHeight?: number) => {
    const { seen, ...rest } = await follow(script, (client) => watchBlockEvents(client, { ...gateway, fromHeight }))
    return { heights: seen.map(({ height }) => height), ...rest }
  }

  test('gives blocks as they come, and goes on behind the last event', async () => {
    const { seen, asked } = await follow(
      [sends('blocks', blocks(4), blocks(6, 5, 6)), isAway, sends('blocks', blocks(7, 7))],
      (client) => watchBlockEvents(client, gateway),
    )
    expect(seen[0]).toEqual({ height: 5, hash: 'h5', previousHash: 'h4', timeMs: 5000, transactions: 1 })
    expect(seen.map(({ height }) => height)).toEqual([5, 6, 7])
    const path = '/blocks/events'
    expect(asked).toEqual([path, `${path} after 6`, `${path} after 6`, `${path} after 7`])
  })

  test('begins at a height, and reads by pages what the gateway does not send again', async () => {
    const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at)
    const pages = [page(...range(3, 102).reverse()), isAway, page(...range(103, 120).reverse())]
    const { heights, code, asked } = await heightsOf([sends('blocks', blocks(121, 121)), ...pages], 3)
    expect([heights, code]).toEqual([range(3, 121), 'aborted'])
    expect(asked.slice(0, 4)).toEqual([
      '/blocks/events after 2',
      '/blocks?before=103&limit=100',
      '/blocks?before=121&limit=18',
      '/blocks?before=121&limit=18',
    ])
  })

  test('leaves out what the node has pruned', async () => {
    expect((await heightsOf([sends('blocks', blocks(9, 8, 9)), page(6)], 5)).heights).toEqual([6, 8, 9])
  })

  test('ends where the chain was taken back, or goes on behind another block', async () => {
    const other = { height: 7, blocks: [{ ...block(7), previous_hash: 'other' }] }
    for (const second of [blocks(4), blocks(6, 6), other]) {
      const script = [sends('blocks', blocks(6, 5, 6), second)]
      expect(await heightsOf(script, 5)).toMatchObject({ heights: [5, 6], code: 'malformed_response' })
    }
    expect((await heightsOf([sends('blocks', blocks(3))], 9)).code).toBe('malformed_response')
  })

  test('ends with an event that has no blocks, and with what the gateway refuses', async () => {
    for (const data of [{ height: 1 }, { height: 1, blocks: [{ height: 1 }] }, { height: 1, blocks: [1] }]) {
      expect((await heightsOf([sends('blocks', data)])).code).toBe('malformed_response')
    }
    const refusal = () =>
      Response.json({ code: 'forbidden', detail: 'the token lacks the scope read' }, { status: 403 })
    expect((await heightsOf([refusal])).code).toBe('permission_denied')
  })
})

describe('watchMarketEvents()', () => {
  const info = { id: 3, hash: '0x01', query_components: '0x02', creator: '0x03', bridge: null, settled: false }
  const market = (height: number, volume: number, settled = false) => ({
    height,
    info: { ...info, settled },
    depth: [{ outcome: true, price: 50, buy_volume: volume, sell_volume: 0, total_amount: volume }],
  })
  const watch = (client: ReturnType<typeof createClient>) => watchMarketEvents(client, { ...gateway, queryId: 3 })

  test('gives each state once over connections that broke, and ends when the market is settled', async () => {
    const script = [
      sends('market', market(1, 0), market(2, 5)),
      sends('market', market(4, 5), market(5, 6), market(6, 6, true), market(7, 7)),
    ]
    const { seen, code, asked } = await follow(script, watch)
    expect(code).toBe('ended')
    expect(seen.map(({ info, depth }) => [info.settled, depth[0]?.buyVolume])).toEqual([
      [false, 0],
      [false, 5],
      [false, 6],
      [true, 6],
    ])
    const bytes = { hash: new Uint8Array([1]), queryComponents: new Uint8Array([2]), creator: new Uint8Array([3]) }
    expect(seen[0]?.info).toEqual({ id: 3, bridge: null, settled: false, ...bytes })
    expect(asked).toEqual(['/markets/3/events', '/markets/3/events after 2'])
  })

  test('ends with an event that is not a market, and asks for no market of a malformed id', async () => {
    const strange = [{ height: 1 }, { height: 1, info: {}, depth: [1] }, { height: 1, info: { hash: '01' }, depth: [] }]
    for (const data of strange) {
      expect((await follow([sends('market', data)], watch)).code).toBe('malformed_response')
    }
    const refused = await follow([], (client) => watchMarketEvents(client, { ...gateway, queryId: 0 }))
    expect([refused.code, refused.asked]).toEqual(['invalid_argument', []])
  })
})
