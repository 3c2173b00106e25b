/** Our own client against the development node on a real socket: every operation that the node has. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  BulkInserter,
  createSigner,
  defaultPlatform,
  generateStreamId,
  isStreamNetError,
  NetClient,
} from '#streamnet/index.ts'
import { operatorToken, type RunningBundle } from '../../support/bundle.ts'
import { startNode } from '../../support/gateway-bundle.ts'

const owner = '1'.padStart(64, '0')
const reader = 'ab'.repeat(32)
const prices = generateStreamId('prices')
const wages = generateStreamId('wages')
const basket = generateStreamId('basket')

let bundle: RunningBundle
let client: NetClient
let other: NetClient

beforeAll(async () => {
  bundle = await startNode(createSigner(owner).address)
  client = new NetClient(`${bundle.url}/streamnet/node`, owner)
  other = new NetClient(`${bundle.url}/streamnet/node`, reader)
})
afterAll(() => bundle.stop())

async function dev(method: string, params: object = {}) {
  const response = await fetch(`${bundle.url}/streamnet/admin/rpc/v1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${operatorToken}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as { result?: Record<string, unknown>; error?: { message: string } }
}

const valuesOf = (rows: readonly { readonly value: unknown }[]) => rows.map(({ value }) => String(value))

describe('client and streams', () => {
  it('deploys, lists, finds, filters and destroys', async () => {
    await client.deployStream({ streamId: prices })
    await client.batchDeployStreams({
      definitions: [
        { streamId: wages, streamType: 'primitive' },
        { streamId: basket, streamType: 'composed' },
      ],
    })
    const me = client.getCurrentAccount()
    const missing = generateStreamId('missing')
    const locators = [
      { streamId: prices, dataProvider: me },
      { streamId: missing, dataProvider: me },
    ]
    expect((await client.batchStreamExists({ locators })).map(({ exists }) => exists)).toEqual([true, false])
    const absent = await client.batchFilterStreamsByExistence({ locators, returnExisting: false })
    expect(absent.map(({ streamId }) => streamId)).toEqual([missing])
    expect(await client.getType({ streamId: basket })).toBe('composed')
    expect(await client.listStreams({ dataProvider: me, orderBy: 'stream_id ASC' })).toHaveLength(3)
    const doomed = generateStreamId('doomed')
    await client.deployStream({ streamId: doomed })
    await client.destroyStream({ streamId: doomed })
    expect(await client.listStreams({ dataProvider: me })).toHaveLength(3)
  })

  it('keeps zeros only after they are allowed', async () => {
    expect(await client.getAllowZeros({ streamId: wages })).toBe(false)
    await client.insertRecord({ streamId: wages, record: { date: 50, value: 0 } })
    await client.setAllowZeros({ streamId: wages, flag: true })
    expect(await client.getAllowZeros({ streamId: wages })).toBe(true)
    await client.insertRecord({ streamId: wages, record: { date: 60, value: 0 } })
    expect(await client.getRecords({ streamId: wages, dateFrom: 1, dateTo: 99 })).toHaveLength(1)
  })

  it('fails as the network does, with the text of the action', async () => {
    const error = await client.deployStream({ streamId: prices }).catch((cause) => cause)
    expect(isStreamNetError(error, 'transaction_failed')).toBe(true)
    expect(error.message).toContain('duplicate key value')
    await expect(other.deployStream({ streamId: prices })).rejects.toThrow('network_writer')
  })
})

describe('records and queries', () => {
  it('inserts, reads with the anchor before the range, and reads indexes and changes', async () => {
    await client.insertRecords({
      streamId: prices,
      records: [100, 200, 300, 400].map((date, index) => ({ date, value: 10 * (index + 1) })),
    })
    const rows = await client.getRecords({ streamId: prices, dateFrom: 250, dateTo: 400 })
    expect(rows.map(({ date }) => Number(date))).toEqual([200, 300, 400])
    const index = await client.getIndex({ streamId: prices, dateFrom: 100, dateTo: 400 })
    expect(valuesOf(index).map(Number)).toEqual([100, 200, 300, 400])
    const changes = await client.getIndexChange({ streamId: prices, dateFrom: 200, dateTo: 400, timeInterval: 100 })
    expect(valuesOf(changes).map(Number)).toEqual([100, 50, 33.333333333333336])
    expect(Number((await client.getFirstRecord({ streamId: prices, afterDate: 150 }))?.date)).toBe(200)
    expect(await client.getFirstRecord({ streamId: prices, afterDate: 500 })).toBeNull()
  })

  it('says that there was no cache when one is asked for', async () => {
    const { data, cache } = await client.getRecords({ streamId: prices, dateFrom: 100, dateTo: 200, useCache: true })
    expect(data).toHaveLength(2)
    expect(cache?.hit).toBe(false)
  })

  it('calls and executes procedures by name', async () => {
    const result = await client.callProcedure({ procedure: 'whoami', args: [] })
    expect(result.values).toEqual([[client.getCurrentAccount()]])
  })

  it('bulk-inserts through every failure that can be retried, and finds what a broken answer had done', async () => {
    const streamId = generateStreamId('bulk')
    await client.deployStream({ streamId })
    for (const error of ['mempool_full', 'invalid_nonce', 'catching_up', 'no_backend', 'applied_then_lost']) {
      await dev('dev.failNext', { error })
    }
    const fast = new NetClient(`${bundle.url}/streamnet/node`, owner, {
      platform: { ...defaultPlatform, sleep: () => Promise.resolve() },
    })
    const inputs = Array.from({ length: 95 }, (_, index) => ({ date: index + 1, value: index + 1 }))
    const hashes = await new BulkInserter(fast, { progressLogEveryN: 0 }).insertAll([{ streamId, inputs }])
    expect(hashes).toHaveLength(10)
    expect(await client.getRecords({ streamId, dateFrom: 1, dateTo: 100 })).toHaveLength(95)
  })
})

describe('composition, permissions, roles and the ledger', () => {
  it('composes with weights and describes what it did', async () => {
    await client.setTaxonomy({ streamId: basket, childStreams: { [prices]: 0.75, [wages]: 0.25 } })
    await client.insertRecords({ streamId: wages, records: [{ date: 100, value: 100 }] })
    const described = await client.describeTaxonomy({ streamId: basket })
    expect(described?.childStreams).toHaveLength(2)
    const rows = await client.getRecords({ streamId: basket, dateFrom: 100, dateTo: 200 })
    expect(valuesOf(rows).map(Number)).toEqual([32.5, 40])
  })

  it('closes a stream to readers and opens it to one', async () => {
    const dataProvider = client.getCurrentAccount()
    await client.setReadVisibility({ streamId: prices, visibility: 'private' })
    expect(await client.getReadVisibility({ streamId: prices })).toBe('private')
    const read = () => other.getRecords({ streamId: prices, dataProvider, dateFrom: 100, dateTo: 200 })
    await expect(read()).rejects.toThrow('wallet not allowed to read')
    await expect(other.getRecords({ streamId: basket, dataProvider, dateFrom: 100, dateTo: 200 })).rejects.toThrow(
      'Not allowed to read stream',
    )
    const walletAddress = other.getCurrentAccount()
    await client.allowReadWallet({ streamId: prices, walletAddress })
    expect(await client.getAllowedReadWallets({ streamId: prices })).toEqual([walletAddress.toLowerCase()])
    expect(await read()).toHaveLength(2)
    await client.disableReadWallet({ streamId: prices, walletAddress })
    await expect(read()).rejects.toThrow('wallet not allowed to read')
    await client.setReadVisibility({ streamId: prices, visibility: 'public' })
  })

  it('grants a role, after which its holder may create, and revokes it', async () => {
    const wallets = [other.getCurrentAccount()]
    const role = { owner: 'system', roleName: 'network_writer' }
    await client.grantRole({ ...role, wallets })
    expect((await client.areMembersOf({ ...role, wallets }))[0]?.isMember).toBe(true)
    await other.deployStream({ streamId: prices })
    expect((await client.listRoleMembers(role)).length).toBeGreaterThan(1)
    await client.revokeRole({ ...role, wallets })
    await expect(other.deployStream({ streamId: wages })).rejects.toThrow('network_writer')
    await expect(other.grantRole({ ...role, wallets })).rejects.toThrow(
      'is not the owner or a member of the manager role',
    )
  })

  it('reads what a transaction did and what it paid', async () => {
    const txId = await client.insertRecord({ streamId: prices, record: { date: 500, value: 50 } })
    const event = await client.getTransactionEvent({ txId })
    expect(event).toMatchObject({ method: 'insertRecords', feeAmount: '0', feeDistributions: [] })
    const fees = await client.listTransactionFees({ wallet: client.getCurrentAccount(), limit: 3 })
    expect(fees).toHaveLength(3)
  })

  it('shows the faucet as a deposit', async () => {
    const wallet = client.getCurrentAccount()
    await dev('dev.setBalance', { bridge: 'hoodi_tt', wallet, amount: '5000' })
    expect(await client.getWalletBalance({ bridgeIdentifier: 'hoodi_tt', walletAddress: wallet })).toBe('5000')
    const history = await client.getHistory({ bridgeIdentifier: 'hoodi_tt', walletAddress: wallet })
    expect(history[0]).toMatchObject({ type: 'deposit', amount: '5000', status: 'completed' })
  })
})
