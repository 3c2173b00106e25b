/** Answers that can never change: marked so, kept by the platform's cache, and given only to those who may read. */

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateStreamId, NetClient } from '#streamnet/index.ts'
import { gatewayAddress, type RunningGateway, startGateway } from '../../support/gateway-bundle.ts'
import { type HttpCache, startHttpCache } from '../../support/http-cache.ts'

let cache: HttpCache
let gateway: RunningGateway
let height: number
const id = (name: string): string => generateStreamId(`lasting ${name}`)
const [open, closed, composed] = [id('open'), id('closed'), id('composed')]
const tokens = { reader: 'reader-token-0123456789', one: 'one-stream-token-012345', other: 'other-token-01234567890' }
const lasting = 'private, max-age=31536000, immutable'

beforeAll(async () => {
  cache = await startHttpCache()
  gateway = await startGateway({
    cache: cache.address,
    vars: {
      // What a block says stays said only where no development method can take it back.
      STREAMNET_DEVELOPMENT: 'false',
      STREAMNET_NODE: 'read',
      STREAMNET_TOKENS: JSON.stringify([
        { name: 'reader', token: tokens.reader, scopes: ['read'] },
        { name: 'one', token: tokens.one, scopes: [`read:${gatewayAddress}/${open}`] },
        { name: 'other', token: tokens.other, scopes: [`read:${gatewayAddress}/${closed}`] },
      ]),
    },
  })
  const types = { [open]: 'primitive', [closed]: 'primitive', [composed]: 'composed' }
  const definitions = Object.entries(types).map(([stream_id, stream_type]) => ({ stream_id, stream_type }))
  await gateway.run('batch_deploy_streams', { definitions })
  for (const stream_id of [open, closed]) {
    await gateway.run('insert_record', { stream_id, record: { date: 1, value: '1.5' } })
  }
  await gateway.run('set_taxonomy', { stream_id: composed, child_streams: { [open]: 1 } })
  await gateway.run('set_read_visibility', { stream_id: closed, visibility: 'private' })
  const node = new NetClient(`${gateway.url}/streamnet/node`)
  height = (await node.request('user.chain_info', {})).block_height
  for (const stream_id of [open, closed]) {
    await gateway.run('insert_record', { stream_id, record: { date: 1, value: '99' } })
  }
})
afterAll(async () => {
  await gateway?.stop()
  cache?.stop()
})

const read = (path: string, token?: string, headers: Readonly<Record<string, string>> = {}) =>
  gateway.call(path, undefined, { headers, ...(token !== undefined && { token }) })

/** Asks in ever other spellings of the same question, which the isolate has not seen, until the cache has it. */
async function readFromEdge(path: string, token: string) {
  for (let spelling = path; ; spelling = `${spelling}&`) {
    const answer = await read(`${spelling}&`, token)
    if (answer.headers.get('x-cache') === 'edge' || spelling.length > path.length + 200) return answer
    await sleep(20)
  }
}

describe('records frozen at a past height', () => {
  it('of a public primitive stream last, and come from the cache for every token that may read them', async () => {
    const path = `/get_records?stream_id=${open}&date_from=0&frozen_at=${height}`
    const first = await read(path)
    expect(first.body.result).toEqual([{ date: 1, value: '1.500000000000000000' }])
    expect([first.headers.get('x-cache'), first.headers.get('cache-control')]).toEqual(['miss', lasting])
    expect((await read(path)).headers.get('x-cache')).toBe('hit')
    for (const token of [tokens.reader, tokens.one]) {
      const { headers, body } = await readFromEdge(path, token)
      expect(headers.get('x-cache')).toBe('edge')
      expect([body, headers.get('etag'), headers.get('cache-control')]).toEqual([
        first.body,
        first.headers.get('etag'),
        lasting,
      ])
      expect(headers.get('vary')).toBe('authorization')
    }
  })

  it('are answered 304 to a matching ETag, from the isolate, from the cache and from the node', async () => {
    const path = `/get_records?stream_id=${open}&date_from=0&date_to=5&frozen_at=${height}`
    const etag = (await read(path)).headers.get('etag') ?? ''
    await readFromEdge(path, tokens.reader)
    for (const spelling of [path, `${path}&&&`, path.replace('date_to=5', 'date_to=6')]) {
      const { status, body, headers } = await read(spelling, tokens.one, { 'if-none-match': `"x", ${etag}` })
      expect([spelling, status, body, headers.get('etag')]).toEqual([spelling, 304, null, etag])
    }
  })

  it('that are cached are refused without the scope and without a token', async () => {
    const path = `/get_records?stream_id=${open}&date_from=0&date_to=7&frozen_at=${height}`
    await readFromEdge(path, tokens.reader)
    for (const spelling of [path, `${path}&`, `${path}&&`]) {
      expect((await read(spelling, tokens.other)).status).toBe(403)
      expect((await gateway.call(spelling, undefined, { token: null })).status).toBe(401)
    }
  })

  it('of a private stream are kept for a minute only by the isolate, for one token at a time', async () => {
    const path = `/get_records?stream_id=${closed}&date_from=0&frozen_at=${height}`
    for (const token of [tokens.reader, tokens.other]) {
      const answer = await read(path, token)
      expect(answer.body.result).toEqual([{ date: 1, value: '1.500000000000000000' }])
      expect([answer.headers.get('x-cache'), answer.headers.get('cache-control')]).toEqual([
        'miss',
        'private, max-age=60',
      ])
      expect((await read(path, token)).headers.get('x-cache')).toBe('hit')
    }
    expect((await read(path, tokens.one)).status).toBe(403)
  })

  const cases: readonly (readonly [what: string, path: () => string, caching: string])[] = [
    [
      'a composed stream, whose children may change',
      () => `/get_records?stream_id=${composed}&date_from=0&frozen_at=${height}`,
      'private, max-age=60',
    ],
    [
      'an index without a base date, which metadata gives',
      () => `/get_index?stream_id=${open}&date_from=0&frozen_at=${height}`,
      'private, max-age=60',
    ],
    ['an index with a base date', () => `/get_index?stream_id=${open}&base_date=1&frozen_at=${height}`, lasting],
    ['the first record', () => `/get_first_record?stream_id=${open}&frozen_at=${height}`, lasting],
    [
      'an answer that tells about the cache of the network',
      () => `/get_records?stream_id=${open}&use_cache=true&frozen_at=${height}`,
      'private, max-age=60',
    ],
    [
      'a height that is not there yet',
      () => `/get_records?stream_id=${open}&date_from=0&frozen_at=${height + 1000}`,
      'private, no-cache',
    ],
    ['no height', () => `/get_records?stream_id=${open}&date_from=0`, 'private, no-cache'],
    ['a list', () => '/list_streams?limit=1', 'private, no-cache'],
  ]
  for (const [what, path, caching] of cases) {
    it(`${caching} of ${what}`, async () => {
      const { status, headers } = await read(path())
      expect([status, headers.get('cache-control')]).toEqual([200, caching])
      expect(headers.get('etag')).toMatch(/^"[0-9a-f]{32}"$/)
    })
  }

  it('of a stream that does not exist are a problem, which is not cached', async () => {
    const path = `/get_records?stream_id=${id('nowhere')}&frozen_at=${height}`
    for (const _ of [1, 2]) {
      const { status, headers } = await read(path)
      expect([status, headers.get('cache-control'), headers.get('x-cache')]).toEqual([404, 'no-store', null])
    }
  })
})
