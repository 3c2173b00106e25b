/** The development node in the built bundle, on a real socket. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateStreamId, LocalClient } from '#streamnet/index.ts'
import {
  operatorToken,
  type RunningBundle,
  type RunningFront,
  startBundle,
  startOperatorPort,
} from '../../support/bundle.ts'

const dev = { STREAMNET_DEVELOPMENT: 'true', STREAMNET_SEED_NETWORK: 'true', STREAMNET_ADMIN_TOKEN: operatorToken }

let bundle: RunningBundle
let operator: RunningFront

beforeAll(async () => {
  bundle = await startBundle({ worker: 'streamnet', rebuild: true, vars: dev })
  operator = await startOperatorPort(bundle)
})
afterAll(async () => {
  await operator.stop()
  await bundle.stop()
})

async function post(path: string, body: string, type = 'application/json') {
  const response = await fetch(bundle.url + path, { method: 'POST', body, headers: { 'content-type': type } })
  return { status: response.status, text: await response.text() }
}

async function rpc(method: string, params: object = {}, path = '/streamnet/node/rpc/v1') {
  const { text } = await post(path, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  return JSON.parse(text)
}

async function operate(method: string, params: object = {}) {
  const response = await fetch(`${operator.url}/rpc/v1`, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    headers: { 'content-type': 'application/json' },
  })
  return JSON.parse(await response.text())
}

describe('POST /rpc/v1', () => {
  it('answers at every path it is mounted at', async () => {
    const { result } = await rpc('user.health')
    expect(result).toMatchObject({ chain_id: 'sluice-dev', healthy: true, mode: 'open', gas: false })
    expect((await rpc('user.ping', { message: 'x' }, '/rpc/v1')).result).toEqual({ message: 'pong' })
  })

  it('gives numbers to the first read: the seed network is there', async () => {
    const { result } = await operate('dev.loadSeedNetwork')
    const living = result.streams.find(({ name }: { name: string }) => name === 'cost-of-living')
    expect(living).toMatchObject({ streamType: 'composed' })
    expect((await operate('dev.status')).result.height).toBeGreaterThan(10)
  })

  it('refuses other verbs, other types, bodies that are too large or not UTF-8', async () => {
    const url = `${bundle.url}/streamnet/node/rpc/v1`
    const get = await fetch(url)
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
    const ping = '{"jsonrpc":"2.0","id":1,"method":"user.ping","params":{}}'
    expect((await post('/streamnet/node/rpc/v1', ping, 'text/plain')).status).toBe(415)
    expect((await post('/streamnet/node/rpc/v1', ping, 'application/json; charset=utf-8')).status).toBe(200)
    const large = await post('/streamnet/node/rpc/v1', ' '.repeat(6_000_001))
    expect(large.status).toBe(413)
    expect(JSON.parse(large.text).error).toMatchObject({ code: -32600 })
    const bytes = await fetch(url, {
      method: 'POST',
      body: Uint8Array.of(0xff, 0xfe),
      headers: { 'content-type': 'application/json' },
    })
    expect(bytes.status).toBe(400)
  })

  it('breaks the connection by a fault', async () => {
    await operate('dev.failNext', { method: 'user.ping', error: 'applied_then_lost' })
    await expect(rpc('user.ping', { message: 'x' })).rejects.toThrow(/terminated|fetch failed/)
    expect((await rpc('user.ping', { message: 'x' })).result).toEqual({ message: 'pong' })
  })

  it('keeps the methods of each port to itself', async () => {
    for (const method of ['local.list_streams', 'dev.status', 'dev.mine', 'dev.reset']) {
      for (const path of ['/rpc/v1', '/streamnet/node/rpc/v1']) {
        expect((await rpc(method, {}, path)).error).toMatchObject({
          code: -32601,
          message: `unknown method: ${method}, expected at the operator's port`,
        })
      }
    }
    expect((await operate('user.ping', { message: 'x' })).error.code).toBe(-32601)
    expect((await operate('dev.status')).result).toHaveProperty('height')
    for (const path of ['/api/v1/health', '/api/v1/health/user', '/spec/v1']) {
      const { status, headers } = await fetch(`${bundle.url}/streamnet/node${path}`, { method: 'DELETE' })
      expect([path, status, headers.get('allow')]).toEqual([path, 405, 'GET, HEAD'])
    }
  })
})

describe('the operator’s port', () => {
  const status = async (authorization: string | null, page: Readonly<Record<string, string>> = {}) => {
    const headers = { 'content-type': 'application/json', ...(authorization !== null && { authorization }), ...page }
    const body = '{"jsonrpc":"2.0","id":1,"method":"dev.mine","params":{}}'
    const init = { method: 'POST', headers, body }
    const asked = [
      await fetch(`${bundle.url}/streamnet/admin/rpc/v1`, init),
      await fetch(`${bundle.url}/streamnet/admin/spec/v1`, { headers }),
      await fetch(`${bundle.url}/streamnet/admin/api/v1/health`, { headers }),
    ]
    return [...new Set(asked.map((response) => response.status))]
  }

  it('is for those who bring its token, and for no page of another origin', async () => {
    expect(await status(null)).toEqual([401])
    expect(await status('Bearer wrong')).toEqual([401])
    const right = `Bearer ${operatorToken}`
    expect(await status(right, { origin: 'https://evil.example' })).toEqual([403])
    // A plain GET of a page has no Origin.
    for (const site of ['cross-site', 'same-site'])
      expect([site, await status(right, { 'sec-fetch-site': site })]).toEqual([site, [403]])
    for (const site of ['none', 'same-origin'])
      expect([site, await status(right, { 'sec-fetch-site': site })]).toEqual([site, [200]])
    expect(await status(right)).toEqual([200])
  })
})

describe('GET', () => {
  it('returns the health of the node and of one service', async () => {
    const whole = await (await fetch(`${bundle.url}/streamnet/node/api/v1/health`)).json()
    expect(whole).toMatchObject({ healthy: true, services: { user: { chain_id: 'sluice-dev' } } })
    const user = await (await fetch(`${bundle.url}/streamnet/node/api/v1/health/user`)).json()
    expect(user).toMatchObject({ healthy: true })
    expect((await fetch(`${bundle.url}/streamnet/node/api/v1/health/nobody`)).status).toBe(404)
  })

  it('lists the methods of a port as OpenRPC', async () => {
    const spec = (await (await fetch(`${bundle.url}/streamnet/node/spec/v1`)).json()) as {
      methods: { name: string; params: { name: string; required: boolean; schema: object }[] }[]
    }
    const names = spec.methods.map(({ name }) => name)
    expect(names).toContain('user.broadcast')
    expect(names).not.toContain('local.get_record')
    const broadcast = spec.methods.find(({ name }) => name === 'user.broadcast')
    expect(broadcast?.params.map(({ name, required }) => [name, required])).toEqual([
      ['tx', true],
      ['sync', false],
    ])
  })

  it('answers nothing else', async () => {
    expect((await fetch(`${bundle.url}/streamnet/nowhere`)).status).toBe(404)
    // The gate counts by the path as it was sent, so no other spelling of a path leads anywhere.
    expect((await fetch(`${bundle.url}/%73treamnet/node/api/v1/health`)).status).toBe(404)
  })
})

describe('LocalClient', () => {
  it('manages the streams of the node over its own port', async () => {
    const client = new LocalClient(operator.url)
    const streamId = generateStreamId('local prices')
    await client.createStream({ streamId, streamType: 'primitive' })
    await client.insertRecords({
      streamId,
      records: [
        { eventTime: 1, value: '2.5' },
        { eventTime: 2, value: 5 },
      ],
    })
    expect(await client.getRecord({ streamId, fromTime: 1, toTime: 2 })).toHaveLength(2)
    const index = await client.getIndex({ streamId, fromTime: 1, toTime: 2 })
    expect(index.map(({ value }) => Number(value))).toEqual([100, 200])
    expect((await client.listStreams())[0]).toMatchObject({ streamId, streamType: 'primitive' })
    await client.deleteStream({ streamId })
    expect(await client.listStreams()).toEqual([])
  })
})

/** Runs the node with other settings for the tests of one block. */
function withSettings(settings: Readonly<Record<string, string>>): void {
  beforeAll(async () => {
    await bundle.restart({ ...dev, ...settings })
  })
  afterAll(async () => {
    await bundle.restart(dev)
  })
}

describe('with STREAMNET_LOCAL_SIGNATURE', () => {
  withSettings({ STREAMNET_LOCAL_SIGNATURE: 'true' })

  it('LocalClient signs with the operator’s key; the node refuses no signature and that of another key', async () => {
    const streamId = generateStreamId('signed')
    const unsigned = new LocalClient(operator.url)
    await expect(unsigned.listStreams()).rejects.toThrow('missing _auth')
    const wrong = new LocalClient(operator.url, '5'.padStart(64, '0'))
    await expect(wrong.listStreams()).rejects.toThrow("signer is not this node's operator")
    const signed = new LocalClient(operator.url, '2'.padStart(64, '0'))
    await signed.createStream({ streamId, streamType: 'composed' })
    expect(await signed.listStreams()).toHaveLength(1)
  })
})

describe('without STREAMNET_ADMIN_TOKEN', () => {
  withSettings({ STREAMNET_ADMIN_TOKEN: '' })

  it('the operator’s port is off for every request', async () => {
    for (const authorization of ['', 'Bearer ', 'Bearer undefined', `Bearer ${operatorToken}`]) {
      const headers = { 'content-type': 'application/json', authorization }
      const body = '{"jsonrpc":"2.0","id":1,"method":"dev.reset","params":{}}'
      const response = await fetch(`${bundle.url}/streamnet/admin/rpc/v1`, { method: 'POST', headers, body })
      expect([response.status, await response.json()]).toEqual([
        503,
        { error: "Cannot answer: the operator's port is off, expected the secret STREAMNET_ADMIN_TOKEN" },
      ])
    }
  })
})
