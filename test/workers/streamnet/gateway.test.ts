/** The gateway over HTTP: tokens and scopes, mistakes, idempotency, caching, live streams, jobs, and its own documents. */

import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type IncomingEvent, readEvents } from '#base/event-stream.ts'
import { routes } from '#gateway/routes.ts'
import { catalogue } from '#streamnet/catalogue.ts'
import { generateStreamId, NetClient } from '#streamnet/index.ts'
import {
  fullToken,
  gatewayAddress,
  gatewayCaller,
  gatewayKey,
  type RunningGateway,
  startGateway,
} from '../../support/gateway-bundle.ts'
import { listen } from '../../support/listen.ts'
import { eventually } from '../../support/wait.ts'

let gateway: RunningGateway
const id = (name: string): string => generateStreamId(`gateway http ${name}`)
const mine = id('mine')
const other = id('other')
const hash = /^[0-9a-f]{64}$/

const tokens = {
  reader: 'reader-token-0123456789',
  writer: 'writer-token-0123456789',
  one: 'one-stream-token-012345',
  roles: 'roles-token-01234567890',
  index: 'index-token-01234567890',
  whole: 'whole-token-01234567890',
  publisher: 'publisher-token-0123456',
} as const

beforeAll(async () => {
  gateway = await startGateway({
    vars: {
      STREAMNET_TOKENS: JSON.stringify([
        { name: 'reader', token: tokens.reader, scopes: ['read'] },
        { name: 'writer', token: tokens.writer, scopes: ['write'] },
        {
          name: 'one',
          token: tokens.one,
          scopes: [`read:${gatewayAddress}/${mine}`, `write:${gatewayAddress}/${mine}`],
        },
        {
          name: 'index',
          token: tokens.index,
          scopes: [
            `read:${gatewayAddress}/${id('composed')}`,
            `write:${gatewayAddress}/${id('composed')}`,
            `read:${gatewayAddress}/${id('open')}`,
          ],
        },
        { name: 'whole', token: tokens.whole, scopes: [`read:${gatewayAddress}/${id('composed')}/composed`] },
        {
          name: 'publisher',
          token: tokens.publisher,
          scopes: [
            `write:${gatewayAddress}/${id('outer')}`,
            `read:${gatewayAddress}/${id('outer')}/composed`,
            `read:${gatewayAddress}/${id('inner')}`,
            `read:${gatewayAddress}/${id('shown')}`,
          ],
        },
        { name: 'roles', token: tokens.roles, scopes: ['read:system', 'write:system'] },
      ]),
    },
  })
  const definitions = [mine, other].map((stream_id) => ({ stream_id, stream_type: 'primitive' }))
  await gateway.run('batch_deploy_streams', { definitions })
})
afterAll(() => gateway?.stop())

describe('tokens', () => {
  it('a missing or unknown token is answered 401 on every path', async () => {
    for (const token of [null, 'wrong-token-0123456789', '']) {
      for (const path of ['/get_records', '/no_such_operation', '/jobs', '/streams/a/b/events', '/a/b/c']) {
        const { status, headers, body } = await gateway.call(path, undefined, { token })
        expect([path, status, body.code]).toEqual([path, 401, 'unauthorized'])
        expect(headers.get('www-authenticate')).toMatch(/^Bearer/)
      }
    }
  })

  it('a scope for reading, for one stream or for a namespace allows no more than that', async () => {
    const cases: readonly [string, string, unknown, number][] = [
      [tokens.reader, '/get_type', { stream_id: mine }, 200],
      [tokens.reader, '/insert_record', { stream_id: mine, record: { date: 1, value: 1 } }, 403],
      [tokens.writer, '/get_type', { stream_id: mine }, 403],
      [tokens.one, '/get_type', { stream_id: mine }, 200],
      [tokens.one, '/get_type', { stream_id: mine, data_provider: gatewayAddress.slice(2) }, 200],
      [tokens.one, '/get_type', { stream_id: other }, 403],
      [tokens.one, '/get_type', { stream_id: mine, data_provider: `0x${'ab'.repeat(20)}` }, 403],
      [tokens.one, '/list_streams', {}, 403],
      [tokens.one, '/call_procedure', { procedure: 'list_streams' }, 403],
      [tokens.one, '/execute_procedure', { procedure: 'create_stream', args: [[]] }, 403],
      [tokens.one, '/insert_record', { stream_id: mine, record: { date: 1, value: 1 } }, 200],
      [tokens.one, '/insert_records', { stream_id: other, records: [{ date: 1, value: 1 }] }, 403],
      [
        tokens.one,
        '/batch_insert_records',
        {
          batches: [
            { stream_id: mine, inputs: [] },
            { stream_id: other, inputs: [] },
          ],
        },
        403,
      ],
      [tokens.one, '/insert_all', { batches: [{ stream_id: other, inputs: [{ date: 1, value: 1 }] }] }, 403],
      [tokens.one, '/transfer', { bridge_identifier: 'eth_main', recipient: gatewayAddress, amount: '1' }, 403],
      [tokens.roles, '/list_role_members', { owner: 'system', role_name: 'network_writer' }, 200],
      [tokens.roles, '/grant_role', { owner: gatewayAddress, role_name: 'r', wallets: [gatewayAddress] }, 403],
    ]
    for (const [token, path, body, status] of cases) {
      const answer = await gateway.call(path, body, { token })
      expect([path, body, answer.status]).toEqual([path, body, status])
      if (status === 403)
        expect(answer.body).toMatchObject({ code: 'forbidden', detail: expect.stringContaining('scope') })
    }
  })

  it('a composed stream shows no child that the token may not read', async () => {
    const [composed, open, secret, unread] = ['composed', 'open', 'secret', 'unread'].map(id)
    await gateway.run('batch_deploy_streams', {
      definitions: [composed, open, secret, unread].map((stream_id, at) => ({
        stream_id,
        stream_type: at === 0 ? 'composed' : 'primitive',
      })),
    })
    for (const stream_id of [open, secret]) {
      await gateway.run('insert_record', { stream_id, record: { date: 10, value: 42 } })
    }
    await gateway.run('set_read_visibility', { stream_id: secret, visibility: 'private' })
    const token = tokens.index
    const set = (child: string | undefined) =>
      gateway.call('/set_taxonomy', { stream_id: composed, child_streams: { [child ?? '']: 1 } }, { token })
    expect((await set(open)).status).toBe(200)
    const refused = await set(secret)
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
    expect(refused.body.detail).toContain(`read:${gatewayAddress}/${secret}`)
    const reads = ['get_records', 'get_index', 'get_index_change', 'get_first_record'].flatMap((name) => {
      const query = `stream_id=${composed}&base_date=10&time_interval=1&date_from=1`.split('&')
      const known = catalogue.find((entry) => entry.name === name)?.parameters.map((one) => one.name) ?? []
      return [`/${name}?${query.filter((pair) => known.includes(pair.split('=')[0] ?? '')).join('&')}`]
    })
    for (const path of reads) expect((await gateway.call(path, undefined, { token })).status).toBe(200)
    // The owner of everything sets the private child; the token for the parent does not come by it.
    await gateway.run('set_taxonomy', { stream_id: composed, child_streams: { [secret ?? '']: 1 } })
    const live = `/streams/${gatewayAddress}/${composed}/events`
    for (const path of [...reads, live]) {
      const { status, body } = await gateway.call(path, undefined, { token })
      expect([path, status, body.code]).toEqual([path, 403, 'forbidden'])
      expect(body.hint).toContain(`read:${gatewayAddress}/${composed}/composed`)
    }
    const { status } = await gateway.call('/get_records', { stream_id: composed }, { token })
    expect(status).toBe(403)
    const whole = await gateway.call(`/get_records?stream_id=${composed}&date_from=1`, undefined, {
      token: tokens.whole,
    })
    expect(whole.body.result).toEqual([{ date: 10, value: '42.000000000000000000' }])
  })

  it('set_taxonomy takes no composed child that is computed from what the token may not read', async () => {
    const [outer, inner, hidden, shown] = ['outer', 'inner', 'hidden', 'shown'].map(id)
    await gateway.run('batch_deploy_streams', {
      definitions: [outer, inner, hidden, shown].map((stream_id, at) => ({
        stream_id,
        stream_type: at < 2 ? 'composed' : 'primitive',
      })),
    })
    await gateway.run('insert_record', { stream_id: hidden, record: { date: 10, value: 42 } })
    const compose = (child: string | undefined) =>
      gateway.call(
        '/set_taxonomy',
        { stream_id: outer, child_streams: { [child ?? '']: 1 } },
        { token: tokens.publisher },
      )
    await gateway.run('set_taxonomy', { stream_id: inner, child_streams: { [hidden ?? '']: 1 } })
    const refused = await compose(inner)
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
    expect(refused.body.detail).toContain(`read:${gatewayAddress}/${hidden}`)
    expect((await compose(shown)).status).toBe(200)
  })

  it('a GET that one token has warmed is not given to another', async () => {
    const path = `/get_records?stream_id=${other}&frozen_at=1`
    await gateway.call(path)
    expect((await gateway.call(path)).headers.get('x-cache')).toBe('hit')
    expect((await gateway.call(path, undefined, { token: tokens.one })).status).toBe(403)
  })

  it('a sender, signature or key in the body is not a parameter', async () => {
    for (const name of ['sender', 'signer', 'private_key', '_auth', '__proto__']) {
      const { status, body } = await gateway.call('/get_type', `{"stream_id":"${mine}","${name}":"${gatewayKey}"}`)
      expect(status).toBe(400)
      expect(body.mistakes).toEqual([{ path: name, message: expect.stringContaining('is not a parameter') }])
      expect(JSON.stringify(body)).not.toContain(gatewayKey)
    }
  })
})

describe('bad input', () => {
  it('an unknown operation: 404 with the nearest names', async () => {
    const { status, body } = await gateway.call('/get_record', {})
    expect(status).toBe(404)
    expect(body).toMatchObject({ code: 'unknown_operation', detail: expect.stringContaining('get_records') })
    for (const path of ['/constructor', '/__proto__', '/toString', '/%00', `/${'a'.repeat(5000)}`]) {
      expect((await gateway.call(path, {})).body.code).toBe('unknown_operation')
    }
  })

  it('every mistake in the parameters, with its path', async () => {
    const { status, body } = await gateway.call('/insert_records', {
      stream_id: 'st1',
      records: [
        { date: 1, value: 1 },
        { date: 1.5, value: 'one' },
        { value: 2, extra: 1 },
      ],
      wait: 'yes',
      streem_id: mine,
    })
    expect(status).toBe(400)
    expect(body.code).toBe('invalid_params')
    expect(
      Object.fromEntries(body.mistakes.map(({ path, message }: Record<string, string>) => [path, message])),
    ).toEqual({
      stream_id: 'is "st1", expected "st" and 30 lower-case letters or digits',
      'records[1].date': 'is 1.5, expected a whole number (beyond 2^53 as text)',
      'records[1].value': 'is "one", expected a number or decimal text',
      'records[2].date': 'is required, expected a whole number (beyond 2^53 as text)',
      'records[2].extra': 'is not a parameter, expected date, value',
      wait: 'is "yes", expected true or false',
      streem_id: 'is not a parameter, perhaps stream_id',
    })
  })

  it.each([
    ['not JSON', '{"stream_id"', 400, 'malformed_json'],
    ['a list', '[]', 400, 'invalid_params'],
    ['ten thousand brackets', '['.repeat(10_000) + ']'.repeat(10_000), 400, 'malformed_json'],
    ['a megabyte and more', `{"name":"${'a'.repeat(1_000_001)}"}`, 413, 'body_too_large'],
  ])('a body that is %s', async (_, text, status, code) => {
    expect(await gateway.call('/generate_stream_id', text)).toMatchObject({ status, body: { code, status } })
  })

  it('a body that declares no length is refused at its bound', async () => {
    // Just above the bound: the runtime reads 64 KiB more for a client that sends on, then it resets the connection.
    let chunks = 16
    const long = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (chunks-- > 0) controller.enqueue(new Uint8Array(65_536).fill(32))
        else controller.close()
      },
    })
    const answer = fetch(`${gateway.url}/streamnet/v1/get_type`, {
      method: 'POST',
      headers: { authorization: `Bearer ${fullToken}`, 'content-type': 'application/json' },
      body: long,
      duplex: 'half',
    } as RequestInit)
    expect((await answer).status).toBe(413)
  })

  it('a form that any page could post', async () => {
    const headers = { 'content-type': 'text/plain' }
    expect((await gateway.call('/get_type', '{}', { headers })).status).toBe(415)
  })

  it('GET of a write: 405, and what it expects', async () => {
    const { status, headers, body } = await gateway.call(`/destroy_stream?stream_id=${mine}`)
    expect([status, headers.get('allow'), body.code]).toEqual([405, 'POST', 'method_not_allowed'])
    expect(await gateway.run('get_type', { stream_id: mine })).toBe('primitive')
  })

  it('a known path with another verb: 405 with every method it takes; an unknown path: 404', async () => {
    const cases: readonly (readonly [method: string, path: string, allow: string | null])[] = [
      ['PUT', '/list_streams', 'GET, HEAD, POST'],
      ['DELETE', '/insert_record', 'POST'],
      ['OPTIONS', '/insert_all', 'POST'],
      ['POST', '', 'GET, HEAD'],
      ['POST', '/openapi.json', 'GET, HEAD'],
      ['PATCH', '/jobs', 'GET, HEAD'],
      ['POST', '/jobs', 'GET, HEAD'],
      ['POST', '/jobs/1', 'GET, HEAD, DELETE'],
      ['POST', '/jobs/1/tx_hashes', 'GET, HEAD'],
      ['GET', '/jobs/1/resume', 'POST'],
      ['POST', `/streams/${gatewayAddress}/${mine}/events`, 'GET, HEAD'],
      ['PUT', '/no_such_operation', null],
      ['GET', '/jobs/1/2/3', null],
      ['GET', '/list_streams/', null],
    ]
    for (const [method, path, allow] of cases) {
      const { status, headers, body } = await gateway.call(path, undefined, { method })
      expect([method, path, status, headers.get('allow')]).toEqual([method, path, allow ? 405 : 404, allow])
      expect(body.code).toBe(allow ? 'method_not_allowed' : 'unknown_operation')
    }
  })

  it('HEAD of a read: the headers of GET and no body', async () => {
    const { status, headers, body } = await gateway.call(`/get_type?stream_id=${mine}`, undefined, { method: 'HEAD' })
    expect([status, headers.get('content-type'), body]).toEqual([200, 'application/json; charset=utf-8', null])
  })

  it('a failure on the chain: 422 with hash, log and the reason in the network words', async () => {
    const { status, body } = await gateway.call('/deploy_stream', { stream_id: mine })
    expect(status).toBe(422)
    expect(body).toMatchObject({
      code: 'transaction_failed',
      hint: 'The stream exists already.',
      data: { hash: expect.stringMatching(hash), log: expect.stringContaining('ERROR') },
    })
  })

  it('a slip that would stay for good: 400 with what is right, unless force is set', async () => {
    const record = { date: 1_760_000_000_000, value: 1 }
    const { status, body } = await gateway.call('/insert_record', { stream_id: mine, record })
    expect([status, body.code]).toEqual([400, 'invalid_params'])
    expect(body.mistakes).toEqual([
      { path: 'record.date', message: expect.stringContaining('if these are milliseconds, 1760000000') },
    ])
    expect((await gateway.call('/generate_stream_id?name=')).status).toBe(400)
    expect((await gateway.call('/generate_stream_id?name=&force=true')).body.result).toMatch(/^ste3b0c442/)
  })
})

describe('exact numbers', () => {
  it('what the engine refuses before an action runs: 422, since the caller named it', async () => {
    const call = (procedure: string, args: readonly unknown[]) => gateway.call('/call_procedure', { procedure, args })
    const cases: readonly (readonly [string, readonly unknown[], string])[] = [
      ['no_such_action', [], 'does not exist in namespace "main"'],
      ['whoami', [1], 'expected at most 0 arguments, but got 1'],
      ['stream_exists', [1, 2], 'to be of type text, but got int8'],
      ['auto_digest', [1], 'the development node keeps everything and digests nothing'],
    ]
    for (const [procedure, args, text] of cases) {
      const { status, body } = await call(procedure, args)
      expect([procedure, status, body.code]).toEqual([procedure, 422, 'rpc_error'])
      expect(body.detail).toContain(text)
    }
  })

  it('a name that objects keep for themselves is refused like any other that is not a stream', async () => {
    const body = `{"stream_id":"${mine}","child_streams":{"${other}":1,"__proto__":1}}`
    const answer = await gateway.call('/set_taxonomy', body)
    expect([answer.status, answer.body.mistakes]).toEqual([
      400,
      [{ path: 'child_streams', message: expect.any(String) }],
    ])
  })

  it('64-bit integers go in as numbers or text and come out as they were', async () => {
    const stream_id = id('exact')
    await gateway.run('deploy_stream', { stream_id })
    const args = (value: string) =>
      `{"procedure":"get_record","args":["${gatewayAddress}","${stream_id}",{"int8":${value}},null,null]}`
    for (const value of ['9223372036854775807', '"9223372036854775807"', '-9223372036854775808']) {
      expect((await gateway.call('/call_procedure', args(value))).status).toBe(200)
    }
    expect((await gateway.call('/call_procedure', args('9223372036854775808'))).status).toBe(400)
  })
})

describe('Idempotency-Key', () => {
  const write = (key: string, value: string, token: string = fullToken) =>
    gateway.call(
      '/insert_record',
      { stream_id: mine, record: { date: 77, value } },
      { token, headers: { 'idempotency-key': key } },
    )

  it('the same request is done once and answered again; another one under the same key is refused', async () => {
    const first = await write('key-1', '1')
    const again = await write('key-1', '1')
    expect(first).toMatchObject({ status: 200, body: { result: expect.stringMatching(hash) } })
    expect(again.body).toEqual(first.body)
    expect([first.headers.get('idempotency-replayed'), again.headers.get('idempotency-replayed')]).toEqual([
      null,
      'true',
    ])
    expect(await write('key-1', '2')).toMatchObject({ status: 422, body: { code: 'idempotency_conflict' } })
    expect((await write('key-1', '1', tokens.writer)).body).not.toEqual(first.body)
    expect((await write('two words', '1')).status).toBe(422)
  })

  it('twenty at once under one key make one transaction', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => write('key-20', '20')))
    expect(new Set(answers.map(({ body }) => body.result)).size).toBe(1)
  })

  it('a failure on the chain stays a failure; a mistake that sent nothing may be tried again', async () => {
    const headers = { 'idempotency-key': 'key-failed' }
    const first = await gateway.call('/deploy_stream', { stream_id: mine }, { headers })
    const again = await gateway.call('/deploy_stream', { stream_id: mine }, { headers })
    expect(again.body).toEqual(first.body)
    const missing = { stream_id: mine, wallet_address: gatewayAddress }
    const second = { 'idempotency-key': 'key-missing' }
    expect((await gateway.call('/disable_read_wallet', missing, { headers: second })).status).toBe(404)
    await gateway.run('allow_read_wallet', missing)
    expect((await gateway.call('/disable_read_wallet', missing, { headers: second })).status).toBe(200)
  })
})

describe('GET', () => {
  it('reads with the same result as POST: scalars, lists by repetition, structures as JSON', async () => {
    const locators = [{ stream_id: mine, data_provider: gatewayAddress }]
    const query = new URLSearchParams({ locators: JSON.stringify(locators) })
    expect((await gateway.call(`/batch_stream_exists?${query}`)).body.result).toEqual([
      { ...locators[0], exists: true },
    ])
    const wallets = `owner=system&role_name=network_writer&wallets=${gatewayAddress}&wallets=0x${'00'.repeat(20)}`
    const members = (await gateway.call(`/are_members_of?${wallets}`)).body.result
    expect(members.map((row: { is_member: boolean }) => row.is_member)).toEqual([true, false])
    expect((await gateway.call(`/describe_taxonomy?stream_id=${mine}&latest_version=false`)).body).toEqual({
      result: null,
    })
    const mistake = await gateway.call(`/get_records?stream_id=${mine}&date_from=soon`)
    expect(mistake.body.mistakes).toEqual([{ path: 'date_from', message: expect.any(String) }])
  })

  it('is kept until the next block and no longer', async () => {
    const path = `/get_records?stream_id=${mine}&date_from=500&date_to=600`
    await gateway.run('insert_record', { stream_id: mine, record: { date: 500, value: '5' } })
    const first = await gateway.call(path)
    const etag = first.headers.get('etag') ?? ''
    expect([first.headers.get('x-cache'), first.headers.get('cache-control')]).toEqual(['miss', 'private, no-cache'])
    expect((await gateway.call(path)).headers.get('x-cache')).toBe('hit')
    const same = await gateway.call(path, undefined, { headers: { 'if-none-match': etag } })
    expect([same.status, same.body]).toEqual([304, null])
    await gateway.run('insert_record', { stream_id: mine, record: { date: 500, value: '6' } })
    const next = await gateway.call(path, undefined, { headers: { 'if-none-match': etag } })
    expect([next.status, next.headers.get('x-cache')]).toEqual([200, 'miss'])
    expect(next.body.result.at(-1)).toEqual({ date: 500, value: '6.000000000000000000' })
  })

  it('frozen at a past height is kept without a question to the node; at a future one it is not', async () => {
    const height = (await new NetClient(`${gateway.url}/streamnet/node`).request('user.chain_info', {})).block_height
    const path = (at: number) => `/get_records?stream_id=${mine}&date_from=0&frozen_at=${at}`
    const first = await gateway.call(path(height))
    expect([first.headers.get('x-cache'), first.headers.get('cache-control')]).toEqual(['miss', 'private, max-age=60'])
    await gateway.call(path(height + 1))
    await gateway.run('insert_record', { stream_id: mine, record: { date: 900, value: '9' } })
    const again = await gateway.call(path(height))
    expect([again.headers.get('x-cache'), again.body]).toEqual(['hit', first.body])
    const later = await gateway.call(path(height + 1))
    expect(later.body.result.at(-1)).toEqual({ date: 900, value: '9.000000000000000000' })
  })
})

describe('live stream', () => {
  const path = `${'/streams'}/${gatewayAddress}/${id('live')}/events`

  async function listen(query: string, headers: Readonly<Record<string, string>> = {}) {
    const response = await fetch(`${gateway.url}/streamnet/v1${path}${query}`, {
      headers: { authorization: `Bearer ${fullToken}`, ...headers },
    })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    const events = readEvents(response.body)
    return {
      next: async (): Promise<IncomingEvent> => {
        const { value } = await events.next()
        if (!value) throw new Error('the stream has ended')
        return value
      },
      close: () => events.return(undefined),
    }
  }

  it('sends new records by height, and missed ones to a listener that reconnects', async () => {
    const stream_id = id('live')
    const insert = (date: number, value: string) => gateway.run('insert_record', { stream_id, record: { date, value } })
    await gateway.run('deploy_stream', { stream_id })
    await insert(100, '1')
    const first = await listen('')
    const opening = await first.next()
    expect(JSON.parse(opening.data)).toEqual({ height: expect.any(Number), records: [] })
    expect(opening.lastEventId).toBe(`${JSON.parse(opening.data).height}-100`)
    await insert(200, '2')
    const event = await first.next()
    expect(event.event).toBe('records')
    expect(JSON.parse(event.data)).toEqual({
      height: Number(event.lastEventId.split('-')[0]),
      records: [{ date: 200, value: '2.000000000000000000' }],
    })
    await first.close()
    await insert(300, '3')
    await insert(200, '2.5')
    // As a browser comes back: to the same address, with the last id.
    const back = await listen('', { 'last-event-id': event.lastEventId })
    expect(JSON.parse((await back.next()).data).records).toEqual([
      { date: 200, value: '2.500000000000000000' },
      { date: 300, value: '3.000000000000000000' },
    ])
    await back.close()
  })

  it('refuses what it cannot watch before it opens', async () => {
    const at = (stream: string, query = '') => gateway.call(`/streams/${gatewayAddress}/${stream}/events${query}`)
    expect((await at(id('never deployed'))).status).toBeGreaterThanOrEqual(400)
    expect(await at('st1')).toMatchObject({ status: 400, body: { code: 'invalid_argument' } })
    expect(await at(mine, '?from=-1')).toMatchObject({ status: 400, body: { mistakes: [{ path: 'from' }] } })
    const foreign = await gateway.call(`/streams/${gatewayAddress}/${other}/events`, undefined, { token: tokens.one })
    expect(foreign.status).toBe(403)
  })
})

describe('jobs', () => {
  const batches = (count: number) => [
    { stream_id: other, inputs: Array.from({ length: count }, (_, index) => ({ date: index + 1, value: '1' })) },
  ]
  const ended = async (jobId: string) => {
    let job = { phase: 'queued' }
    const isOver = async () => {
      const { body } = await gateway.call(`/jobs/${jobId}`)
      job = body.result
      return !['queued', 'running'].includes(job.phase)
    }
    await eventually('the end of the job', isOver, () => job)
    return job
  }

  it('start, progress, hashes; the same key starts one job', async () => {
    const headers = { 'idempotency-key': 'job-1' }
    const started = await gateway.call('/insert_all', { batches: batches(25) }, { headers })
    const again = await gateway.call('/insert_all', { batches: batches(25) }, { headers })
    const { job_id } = started.body.result
    expect([started.status, started.headers.get('location')]).toEqual([202, `/streamnet/v1/jobs/${job_id}`])
    expect(again.body.result.job_id).toBe(job_id)
    expect(await ended(job_id)).toMatchObject({ phase: 'done', rows_done: 25, chunks_confirmed: 3, eta_sec: 0 })
    const { body } = await gateway.call(`/jobs/${job_id}/tx_hashes?limit=2&offset=1`)
    expect(body.result).toEqual([expect.stringMatching(hash), expect.stringMatching(hash)])
    expect((await gateway.call('/jobs')).body.result[0].job_id).toBe(job_id)
  })

  it('cancel ends a job, a second cancel and a resume are refused', async () => {
    const { job_id } = await gateway.run('insert_all', { batches: batches(10_000) })
    const cancelled = await gateway.call(`/jobs/${job_id}`, undefined, { method: 'DELETE' })
    expect(cancelled).toMatchObject({ status: 200, body: { result: { phase: 'cancelled' } } })
    expect(cancelled.body.result.chunks_done).toBeLessThan(1000)
    expect((await gateway.call(`/jobs/${job_id}`, undefined, { method: 'DELETE' })).status).toBe(409)
    expect((await gateway.call(`/jobs/${job_id}/resume`, {})).status).toBe(409)
  })

  it('a transaction that fails in its block fails the job, with the reason', async () => {
    const { job_id } = await gateway.run('insert_all', {
      batches: [{ stream_id: id('never made'), inputs: [{ date: 1, value: 1 }] }],
    })
    expect(await ended(job_id)).toMatchObject({
      phase: 'failed',
      problem: { code: 'bulk_insert_failed', message: expect.stringContaining('drain failed') },
    })
  })

  it('belong to those who may write to their streams', async () => {
    const { job_id } = await gateway.run('insert_all', { batches: batches(1) })
    for (const token of [tokens.one, tokens.reader]) {
      expect((await gateway.call(`/jobs/${job_id}`, undefined, { token })).status).toBe(404)
      expect((await gateway.call('/jobs', undefined, { token })).body.result).toEqual([])
    }
    expect((await gateway.call('/jobs/none')).body.code).toBe('job_not_found')
  })
})

describe('documents', () => {
  it('the index lists every operation without a token', async () => {
    const { status, body } = await gateway.call('', undefined, { token: null })
    expect(status).toBe(200)
    expect(body.operations.map(({ name }: { name: string }) => name)).toEqual([
      ...catalogue.map(({ name }) => name),
      'insert_all',
    ])
  })

  it('openapi.json and the routes are the same', async () => {
    const { body } = await gateway.call('/openapi.json', undefined, { token: null })
    expect(body.openapi).toBe('3.1.0')
    const documented = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods as object).map((method) => `${method} ${path.slice('/streamnet/v1'.length)}`),
    )
    expect(documented.sort()).toEqual(
      routes()
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    )
    // A route that is not there answers unknown_operation; nothing here changes anything. Two answers are not JSON.
    const others = routes().filter(({ path }) => path !== '/metrics' && path !== '/blocks/events')
    for (const { method, path } of others) {
      const { body: answer } = await gateway.call(
        path.replace(/\{\w+\}/g, 'x'),
        method === 'post' ? { no_such_parameter: 1 } : undefined,
        { method: method.toUpperCase() },
      )
      expect([path, answer?.code]).not.toEqual([path, 'unknown_operation'])
    }
    const operationIds = Object.values(body.paths).flatMap((methods) =>
      Object.values(methods as Record<string, { operationId: string }>).map(({ operationId }) => operationId),
    )
    expect(new Set(operationIds).size).toBe(operationIds.length)
  })
})

describe('a real endpoint', () => {
  let server: Server
  let behave: (respond: import('node:http').ServerResponse) => void = () => undefined
  let upstream: RunningGateway

  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume().on('end', () => behave(response))
    })
    upstream = await startGateway({ vars: { STREAMNET_ENDPOINT: `http://127.0.0.1:${await listen(server)}` } })
  })
  afterAll(async () => {
    await upstream?.stop()
    server.closeAllConnections()
    server.close()
  })

  it.each([
    ['HTML', (response: import('node:http').ServerResponse) => response.end('<html>'), 502, 'malformed_response'],
    [
      'no backend',
      (response: import('node:http').ServerResponse) => response.writeHead(503).end('no available backend'),
      503,
      'no_backend',
    ],
    [
      'a broken connection',
      (response: import('node:http').ServerResponse) => response.destroy(),
      502,
      'connection_lost',
    ],
  ])('that answers with %s: %s', async (_, behaviour, status, code) => {
    behave = behaviour
    const { status: answered, body } = await upstream.call('/get_type', { stream_id: mine })
    expect([answered, body.code]).toEqual([status, code])
    expect(JSON.stringify(body)).not.toContain(gatewayKey)
  })

  it('that does not answer: 504 in bounded time', async () => {
    behave = () => undefined
    const started = Date.now()
    const { status, body } = await upstream.call('/get_type', { stream_id: mine })
    expect([status, body.code]).toEqual([504, 'timeout'])
    expect(Date.now() - started).toBeLessThan(25_000)
  })
})

describe('a deployment that is not complete', () => {
  it('without tokens every call is refused; without a key every write is; a wrong setting is named', async () => {
    const closed = await startGateway({ vars: { STREAMNET_TOKEN: '', STREAMNET_PRIVATE_KEY: '' } })
    try {
      expect(await closed.call('/list_streams', {})).toMatchObject({
        status: 401,
        body: { detail: expect.stringContaining('no tokens') },
      })
      closed.call = gatewayCaller(await closed.restart({ STREAMNET_TOKEN: fullToken }))
      expect((await closed.call('/list_streams', {})).status).toBe(200)
      expect(await closed.call('/deploy_stream', { stream_id: mine })).toMatchObject({
        status: 503,
        body: { code: 'key_missing' },
      })
      expect(await closed.call('/get_current_account', {})).toMatchObject({ status: 400 })
      const bad = gatewayCaller(
        await closed.restart({ STREAMNET_TOKEN: fullToken, STREAMNET_PRIVATE_KEY: 'beef', STREAMNET_TOKENS: '{}' }),
      )
      const answer = await bad('/list_streams', {})
      expect(answer).toMatchObject({ status: 500, body: { code: 'invalid_settings' } })
      expect(JSON.stringify(answer.body)).not.toContain('beef')
    } finally {
      await closed.stop()
    }
  })
})
