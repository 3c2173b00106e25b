/** The development node as a fixture: what a test of another project does with it. */

import { request } from 'node:http'
import { createServer } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { startNode, type TestNodeOptions } from '#bin/streamnet/testing.ts'
import { LocalClient, NetClient } from '#streamnet/index.ts'

const nowMs = 1_790_000_000_000
const started: { stop(): Promise<void> }[] = []

/** Starts a node whose clock is moved by the test, with a client of its first wallet. */
async function start(options: TestNodeOptions = {}) {
  const node = await startNode({ nowMs, ...options })
  started.push(node)
  const [{ key, address }] = node.wallets
  return { node, address, client: new NetClient(node.endpoint, key, { platform: node.platform }) }
}

/** The status of a request that names another host. */
function statusFor(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end()
  })
}

afterEach(async () => {
  for (const node of started.splice(0)) await node.stop()
})

describe('startNode', () => {
  test('takes transactions of its wallets in this process, at the prices of the network of today', async () => {
    const { client, address } = await start()
    const streamId = client.generateStreamId({ name: 'bread' })
    const before = BigInt(await client.getWalletBalance({ bridgeIdentifier: 'testnet_a', walletAddress: address }))
    await client.deployStream({ streamId })
    await client.insertRecords({ streamId, records: [{ date: 1_700_000_000, value: '3.45' }] })
    expect(await client.getRecords({ streamId })).toMatchObject([
      { date: 1_700_000_000, value: '3.450000000000000000' },
    ])
    const after = BigInt(await client.getWalletBalance({ bridgeIdentifier: 'testnet_a', walletAddress: address }))
    expect(before - after).toBe(101n * 10n ** 18n)
  })

  test('goes back to a snapshot as often as one is made', async () => {
    const { node, client } = await start({ profile: 'seed' })
    for (const name of ['bread', 'milk']) {
      const snapshot = await node.snapshot()
      await client.deployStream({ streamId: client.generateStreamId({ name }) })
      expect(await client.listStreams({})).toHaveLength(1)
      await node.revert(snapshot)
      expect(await client.listStreams({})).toHaveLength(0)
    }
    await expect(node.revert(1)).rejects.toThrow('snapshot 1 does not exist')
  })

  test('has a clock that only advance and waiting move, and makes up for the blocks of an interval', async () => {
    const { node, client } = await start({ profile: 'seed' })
    expect(node.platform.now()).toBe(nowMs)
    await node.advance(3600)
    expect(node.platform.now()).toBe(nowMs + 3_600_000)
    await node.operate('dev.setIntervalMining', { interval_ms: 2000 })
    const { height } = (await node.operate('dev.status')) as { height: number }
    // The client asks each second until its transaction is in a block.
    const hash = await client.deployStream({ streamId: client.generateStreamId({ name: 'eggs' }) })
    const status = (await node.operate('dev.status')) as { height: number }
    expect([hash.length, status.height]).toEqual([64, height + 1])
    expect(node.platform.now()).toBe(nowMs + 3_602_000)
  })

  test('pays deposits in, starts with a network of streams, and answers local calls', async () => {
    const { node, client } = await start({ seed: true })
    const walletAddress = `0x${'ab'.repeat(20)}`
    await node.deposit({ wallet: walletAddress, amount: '7', bridge: 'testnet_b' })
    expect(await client.getWalletBalance({ bridgeIdentifier: 'testnet_b', walletAddress })).toBe('7')
    expect((await client.listStreams({ limit: 3 })).length).toBe(3)
    const local = new LocalClient(node.operatorEndpoint, undefined, { platform: node.platform })
    expect(await local.listStreams()).toEqual([])
  })

  test('breaks connections where a test asks for it, and refuses what it does not serve', async () => {
    const { node, client } = await start()
    await node.operate('dev.failNext', { method: 'user.call', error: 'applied_then_lost', times: 3 })
    await expect(client.listStreams({})).rejects.toMatchObject({ code: 'connection_lost' })
    await expect(node.fetch('https://elsewhere.test/rpc/v1')).rejects.toThrow('this node answers at http://node.test')
    await expect(node.fetch(`${node.endpoint}/rpc/v1`, { signal: AbortSignal.abort() })).rejects.toThrow('aborted')
    const answers = await Promise.all([
      node.fetch(`${node.endpoint}/rpc/v1`),
      node.fetch(`${node.endpoint}/rpc/v1`, { method: 'POST', body: '{}' }),
      node.fetch(`${node.endpoint}/else`),
      node.fetch(`${node.endpoint}/api/v1/health`),
    ])
    expect(answers.map(({ status }) => status)).toEqual([405, 415, 404, 200])
    await node.stop()
    await expect(client.listStreams({})).rejects.toMatchObject({ code: 'connection_lost' })
  })

  test('answers programs outside on a port, which a second one cannot have', async () => {
    const { node, client } = await start({ port: 0 })
    const outside = new NetClient(node.endpoint, node.wallets[1].key)
    await outside.deployStream({ streamId: outside.generateStreamId({ name: 'rent' }) })
    expect(await client.listStreams({})).toHaveLength(1)
    const port = Number(new URL(node.endpoint).port)
    await expect(startNode({ port })).rejects.toThrow(
      `Cannot start a node: port ${port} of 127.0.0.1 is taken, perhaps by a node that was not stopped, expected a free port, or 0`,
    )
    await node.stop()
    const next = createServer()
    await new Promise<void>((resolve) => next.listen(port, '127.0.0.1', resolve))
    next.close()
  })

  test('closes the operator’s port to pages, and all ports to names that were turned to this machine', async () => {
    const { node } = await start({ port: 0 })
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'dev.reset', params: {} })
    const asked = await fetch(`${node.operatorEndpoint}/rpc/v1`, { method: 'OPTIONS' })
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([405, null])
    const text = await fetch(`${node.operatorEndpoint}/rpc/v1`, { method: 'POST', body })
    expect(text.status).toBe(415)
    expect(await statusFor(`${node.endpoint}/api/v1/health`, 'node.example')).toBe(403)
    expect(await statusFor(`${node.endpoint}/api/v1/health`, 'localhost')).toBe(200)
  })

  test('names a setting with a mistake', async () => {
    await expect(startNode({ settings: { STREAMNET_MODE: 'closed' } })).rejects.toThrow('STREAMNET_MODE')
    await expect(startNode({ nowMs: 1.5 })).rejects.toThrow('nowMs is 1.5, expected whole milliseconds from 0')
  })
})
