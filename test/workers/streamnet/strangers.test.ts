/** Callers without a token or a key: nothing in a bare deployment, and elsewhere only what was opened. */

import { readdir } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { readEvents } from '#base/event-stream.ts'
import { encodeActionExecution } from '#streamnet/codec/payload.ts'
import { generateStreamId } from '#streamnet/index.ts'
import { transactionToJson } from '#streamnet/rpc/transaction-json.ts'
import { startBundle } from '../../support/bundle.ts'
import { keys, signTransaction } from '../../support/devnode.ts'
import { makeFolder } from '../../support/folder.ts'
import { gatewayAddress, startGateway } from '../../support/gateway-bundle.ts'
import { host } from '../../support/host.ts'

const transaction = (chainId: string, bytes = 0) =>
  signTransaction(keys.stranger, {
    chainId,
    nonce: 1,
    payload: encodeActionExecution({ namespace: '', action: 'x'.repeat(bytes) || 'whoami', calls: [[]] }),
  })

const rpcBody = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
const broadcast = (bytes = 0) => rpcBody('user.broadcast', { tx: transactionToJson(transaction('sluice-dev', bytes)) })

async function post(url: string, body: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  })
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
}

describe('a deployment without any setting', () => {
  const folder = makeFolder()

  const bundle = host(() => startBundle({ worker: 'streamnet', rebuild: true, persist: folder }))

  it('takes no transaction, describes no node, and makes no object', async () => {
    const answers = []
    for (const path of ['/rpc/v1', '/streamnet/node/rpc/v1', '/streamnet/admin/rpc/v1']) {
      for (const body of [broadcast(), rpcBody('user.health', {}), rpcBody('dev.status', {})]) {
        answers.push((await post(bundle.url + path, body)).status)
      }
    }
    for (const port of ['node', 'admin']) {
      for (const path of ['/api/v1/health', '/api/v1/health/user', '/spec/v1']) {
        answers.push((await fetch(`${bundle.url}/streamnet/${port}${path}`)).status)
      }
    }
    expect(new Set(answers)).toEqual(new Set([404]))
    for (const path of ['/streamnet/v1/jobs', '/streamnet/v1/get_type?stream_id=x', '/streamnet/v1/list_streams']) {
      expect((await fetch(bundle.url + path)).status).toBe(401)
    }
    for (const subject of [`streams/${gatewayAddress}/${generateStreamId('x')}`, 'blocks', 'markets/1']) {
      const live = `${bundle.url}/streamnet/v1/${subject}/events`
      expect([subject, (await fetch(live)).status]).toEqual([subject, 401])
      expect((await fetch(`${live}?ticket=${'0'.repeat(64)}`)).status).toBe(401)
      expect((await fetch(`${live}/ticket`, { method: 'POST' })).status).toBe(401)
    }
    const files = await readdir(folder, { recursive: true })
    expect(files.filter((name) => /\.sqlite/.test(name) && !/metadata/.test(name))).toEqual([])
  })

  it('says of an unknown path that there is none, and where to look', async () => {
    const response = await fetch(`${bundle.url}/streamnet/v2/list_streams`)
    expect([response.status, await response.json()]).toEqual([
      404,
      {
        error: 'Cannot answer GET: there is no path /streamnet/v2/list_streams',
        hint: expect.stringMatching(/^perhaps \/streamnet\/v1\/list_streams; GET \/streamnet\/v1 lists/),
      },
    ])
  })

  it('says at the root what is here, and its links lead somewhere', async () => {
    const response = await fetch(`${bundle.url}/`)
    const page = (await response.json()) as { readonly links: readonly { readonly path: string }[] }
    expect([response.status, page.links.length]).toEqual([200, 3])
    for (const { path } of page.links) expect([path, (await fetch(bundle.url + path)).status]).toEqual([path, 200])
  })

  it('opened to read, it answers reads and takes no transaction from outside', async () => {
    await bundle.restart({ STREAMNET_NODE: 'read' })
    const url = `${bundle.url}/streamnet/node/rpc/v1`
    expect((await post(url, rpcBody('user.chain_info', {}))).body.result.block_height).toBe(1)
    const refused = await post(url, broadcast())
    expect([refused.status, refused.body.error.message]).toEqual([
      404,
      'user.broadcast is refused: this node is open to read (STREAMNET_NODE=read)',
    ])
    expect((await post(url, rpcBody('user.chain_info', {}))).body.result.block_height).toBe(1)
  })

  it('opened, it bounds a transaction below a row of the platform, and what it keeps', async () => {
    await bundle.restart({ STREAMNET_NODE: 'open', STREAMNET_KEPT_TRANSACTIONS_MB: '3', STREAMNET_MAX_STORE_MB: '1' })
    const url = `${bundle.url}/rpc/v1`
    const large = await post(url, broadcast(1_900_000))
    expect(large.body.error).toMatchObject({
      code: -201,
      data: { code: 65_535, message: expect.stringMatching(/^transaction has \d+ bytes, expected at most 1900000$/) },
    })
    expect((await post(url, broadcast(1_000_000))).body.result).toBeDefined()
    // That body is more than the quarter that bodies may take, and so it is gone: results and blocks are what fills.
    const action = `no_such_${'x'.repeat(5_000)}`
    const payload = encodeActionExecution({ namespace: '', action, calls: [[]] })
    let error: { data?: { code: number; message: string } } | undefined
    let nonce = 2
    for (; nonce < 600 && error === undefined; nonce++) {
      const tx = transactionToJson(signTransaction(keys.stranger, { chainId: 'sluice-dev', nonce, payload }))
      error = (await post(url, rpcBody('user.broadcast', { tx }))).body.error
    }
    expect(nonce).toBeGreaterThan(10)
    expect(error?.data).toMatchObject({
      code: 11,
      message: expect.stringContaining('mempool is full for transactions that fail'),
    })
  })

  it('with a token for its node, it asks every caller for it', async () => {
    await bundle.restart({ STREAMNET_NODE: 'open', STREAMNET_NODE_TOKEN: 'node-token-0123456789' })
    const url = `${bundle.url}/streamnet/node/rpc/v1`
    const refused = await post(url, rpcBody('user.chain_info', {}))
    expect([refused.status, refused.body.error]).toEqual([401, expect.stringContaining('expected Authorization')])
    const headers = { authorization: 'Bearer node-token-0123456789' }
    expect((await post(url, rpcBody('user.chain_info', {}), headers)).status).toBe(200)
  })
})

describe('pages of other origins', () => {
  const page = 'https://page.example'
  const open = generateStreamId('open to pages')
  const closed = generateStreamId('closed to pages')
  const vars = {
    STREAMNET_PUBLIC_READ: `${gatewayAddress}/${open}`,
    STREAMNET_PUBLIC_OPERATIONS: 'get_records,watch_stream',
  }

  const gateway = host(() => startGateway({ vars }))

  beforeAll(async () => {
    const definitions = [open, closed].map((stream_id) => ({ stream_id, stream_type: 'primitive' }))
    await gateway.run('batch_deploy_streams', { definitions })
    await gateway.run('insert_record', { stream_id: open, record: { date: 10, value: 1 } })
  })

  const preflight = (path: string) =>
    fetch(gateway.url + path, { method: 'OPTIONS', headers: { origin: page, 'access-control-request-method': 'POST' } })

  it('are allowed before a token is required, and without cookies', async () => {
    for (const path of ['/streamnet/v1/get_records', '/streamnet/node/rpc/v1', '/rpc/v1']) {
      const { status, headers } = await preflight(path)
      expect([path, status, headers.get('access-control-allow-origin')]).toEqual([path, 200, '*'])
      expect(headers.get('access-control-allow-headers')).toContain('Authorization')
      expect(headers.get('access-control-allow-credentials')).toBeNull()
    }
    expect((await preflight('/streamnet/admin/rpc/v1')).headers.get('access-control-allow-origin')).toBeNull()
  })

  it('read every answer, refusals, kept ones and live streams among them', async () => {
    const paths = [`/get_records?stream_id=${open}&data_provider=${gatewayAddress}`, '/jobs', '/no_such']
    for (const path of [...paths, ...paths]) {
      const { headers } = await gateway.call(path, undefined, { token: null, headers: { origin: page } })
      expect([path, headers.get('access-control-allow-origin')]).toEqual([path, '*'])
      expect(headers.get('access-control-expose-headers')).toContain('ETag')
    }
    const controller = new AbortController()
    const live = await fetch(`${gateway.url}/streamnet/v1/streams/${gatewayAddress}/${open}/events`, {
      headers: { origin: page },
      signal: controller.signal,
    })
    expect([live.status, live.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    controller.abort()
  })

  it('call no development method, which needs no signature', async () => {
    const url = `${gateway.url}/streamnet/node/rpc/v1`
    const { body } = await post(url, rpcBody('dev.reset', {}), { origin: page })
    expect(body.error).toMatchObject({ code: -32601 })
    expect((await post(url, rpcBody('user.chain_info', {}), { origin: page })).status).toBe(200)
  })

  it('cannot post what a browser sends without asking', async () => {
    const url = `${gateway.url}/streamnet/node/rpc/v1`
    const body = rpcBody('user.ping', { message: 'x' })
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/grpc+json',
    ]) {
      expect([type, (await post(url, body, { 'content-type': type })).status]).toEqual([type, 415])
    }
  })

  it('read without a token what the settings name, and nothing else', async () => {
    const read = (path: string, options: object = {}) => gateway.call(path, undefined, { token: null, ...options })
    const place = `data_provider=${gatewayAddress}`
    expect((await read(`/get_records?stream_id=${open}&${place}`)).body.result).toEqual([
      { date: 10, value: '1.000000000000000000' },
    ])
    const refused: readonly [string, number][] = [
      [`/get_records?stream_id=${closed}&${place}`, 403],
      [`/get_type?stream_id=${open}&${place}`, 401],
      ['/list_streams', 401],
      ['/jobs', 401],
      [`/streams/${gatewayAddress}/${closed}/events`, 403],
      ['/blocks/events', 401],
      ['/markets/1/events', 401],
    ]
    for (const [path, status] of refused) expect([path, (await read(path)).status]).toEqual([path, status])
    const posted = await gateway.call('/get_records', { stream_id: open }, { token: null })
    expect(posted.status).toBe(401)
    const wrong = await gateway.call(`/get_records?stream_id=${open}`, undefined, { token: 'wrong-token-0123456789' })
    expect(wrong.status).toBe(401)
  })

  it('make no object of a stream that does not exist', async () => {
    const { status, body } = await gateway.call(`/streams/${gatewayAddress}/${generateStreamId('none')}/events`)
    expect([status, body.code]).toEqual([404, 'not_found'])
  })

  it('watch blocks and markets only where these are named and everything may be read, each opening a read', async () => {
    const watch = { STREAMNET_PUBLIC_OPERATIONS: 'watch_blocks,watch_market', STREAMNET_PUBLIC_RATE: '5' }
    const ask = async (path: string, method = 'GET') => {
      const { status, body } = await gateway.call(path, undefined, { token: null, method })
      return [status, body?.code]
    }
    await gateway.restart({ ...vars, ...watch })
    for (const path of ['/blocks/events', '/markets/1/events']) expect(await ask(path)).toEqual([403, 'forbidden'])
    await gateway.restart({ ...vars, ...watch, STREAMNET_PUBLIC_READ: '*' })
    expect(await ask('/markets/1/events')).toEqual([404, 'not_found'])
    expect(await ask('/blocks')).toEqual([401, 'unauthorized'])
    expect(await ask('/blocks/events/ticket', 'POST')).toEqual([401, 'unauthorized'])
    const statuses = []
    for (let at = 0; at < 12; at++) {
      const live = await fetch(`${gateway.url}/streamnet/v1/blocks/events`)
      statuses.push(live.status)
      if (live.status === 200) {
        for await (const { event, data } of readEvents(live.body)) {
          expect([event, JSON.parse(data)]).toEqual(['blocks', { height: expect.any(Number), blocks: [] }])
          break
        }
      } else {
        expect([live.status, live.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)])
        await live.body?.cancel()
      }
    }
    // A minute may end between two of them.
    expect(statuses[0]).toBe(200)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(2)
  })

  it('are held to a number of reads in a minute, and to the origins that the settings name', async () => {
    await gateway.restart({ ...vars, STREAMNET_PUBLIC_RATE: '3', STREAMNET_ALLOW_ORIGIN: 'https://other.example' })
    const statuses = []
    for (let at = 0; at < 8; at++) {
      const path = `/get_records?stream_id=${open}&data_provider=${gatewayAddress}&date_from=${at}`
      const { status, headers, body } = await gateway.call(path, undefined, { token: null, headers: { origin: page } })
      statuses.push(status)
      expect(headers.get('access-control-allow-origin')).toBeNull()
      if (status === 429) expect([body.code, headers.get('retry-after')]).toEqual(['too_many', '30'])
    }
    // A minute may end between two of them.
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(2)
  })
})
