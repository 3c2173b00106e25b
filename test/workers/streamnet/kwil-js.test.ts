/** The published client of the network, unmodified, against the development node on a real socket. */

import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeQueryComponents } from '#streamnet/market-data.ts'
import { encodeMarketQuestion, hashQueryComponents } from '#streamnet/market-question.ts'
import { operatorToken, type RunningBundle } from '../../support/bundle.ts'
import { operateNode, startNode } from '../../support/gateway-bundle.ts'

const require = createRequire(import.meta.url)
const { NodeKwil, KwilSigner, Utils } = require('@kwilteam/kwil-js')
const { Wallet } = require('ethers')

const owner = new Wallet(`0x${'1'.padStart(64, '0')}`)
const stranger = new Wallet(`0x${'ab'.repeat(32)}`)
const streamId = `st${'a'.repeat(30)}`

let bundle: RunningBundle
// The client declares its types loosely; what it answers is checked below.
let kwil: InstanceType<typeof NodeKwil>

beforeAll(async () => {
  bundle = await startNode(owner.address, { STREAMNET_AUTOMATIC_SETTLEMENT: 'false' })
  kwil = newClient()
})
afterAll(() => bundle.stop())

function newClient() {
  // The client appends "/rpc/v1" to the address it is given.
  return new NodeKwil({ kwilProvider: `${bundle.url}/streamnet/node`, chainId: 'sluice-dev', timeout: 120_000 })
}

const signerOf = (wallet: typeof owner) => new KwilSigner(wallet, wallet.address)

function execute(name: string, inputs: readonly unknown[], wallet = owner, types?: object) {
  return kwil.execute({ namespace: 'main', name, inputs, ...(types && { types }) }, signerOf(wallet), true)
}

async function call(name: string, inputs: object) {
  const { data } = await kwil.call({ namespace: 'main', name, inputs }, signerOf(owner))
  return data.result
}

const locator = { $data_provider: owner.address, $stream_id: streamId }
const token = 10n ** 18n
const numericList = Utils.DataType.NumericArray(36, 18)

describe('@kwilteam/kwil-js', () => {
  it('reads the chain, the account and the catalogue of actions', async () => {
    expect((await kwil.chainInfo()).data.chain_id).toBe('sluice-dev')
    expect((await kwil.ping()).data).toBe('pong')
    const actions = (await kwil.getActions('main')).data
    const create = actions.find(({ name }: { name: string }) => name === 'create_stream')
    expect(create).toMatchObject({
      namespace: 'main',
      access_modifiers: ['PUBLIC'],
      parameter_names: ['$stream_id', '$stream_type', '$allow_zeros'],
      parameter_types: ['text', 'text', 'bool'],
      returns_table: false,
    })
  })

  it('creates a stream by position and by name, and inserts many records as many calls of one transaction', async () => {
    const { data } = await execute('create_stream', [[streamId, 'primitive']])
    expect(data.tx_hash).toMatch(/^[0-9a-f]+$/)
    await execute('create_stream', [
      { $stream_id: `st${'c'.repeat(30)}`, $stream_type: 'composed', $allow_zeros: false },
    ])
    const records = [
      [100, '1.5'],
      [200, '2.25'],
      [300, '3'],
    ]
    const inputs = records.map(([time, value]) => ({
      $data_provider: [owner.address],
      $stream_id: [streamId],
      $event_time: [time],
      $value: [value],
    }))
    await execute('insert_records', inputs, owner, { $value: numericList })
    const rows = await call('get_record', { ...locator, $from: 100, $to: 300, $frozen_at: null, $use_cache: false })
    expect(rows).toEqual([
      { event_time: '100', value: '1.500000000000000000' },
      { event_time: '200', value: '2.250000000000000000' },
      { event_time: '300', value: '3.000000000000000000' },
    ])
  })

  it('composes, reads the index and lists', async () => {
    await execute(
      'insert_taxonomy',
      [
        {
          $data_provider: owner.address,
          $stream_id: `st${'c'.repeat(30)}`,
          $child_data_providers: [owner.address],
          $child_stream_ids: [streamId],
          $weights: ['1'],
          $start_date: 0,
        },
      ],
      owner,
      { $weights: numericList },
    )
    const rows = await call('get_index', {
      $data_provider: owner.address,
      $stream_id: `st${'c'.repeat(30)}`,
      $from: 100,
      $to: 300,
      $frozen_at: null,
      $base_time: 100,
      $use_cache: false,
    })
    expect(rows.map(({ value }: { value: string }) => value)).toEqual([
      '100.000000000000000000',
      '150.000000000000000000',
      '200.000000000000000000',
    ])
    const listed = await call('list_streams', {
      $data_provider: owner.address,
      $limit: 10,
      $offset: 0,
      $order_by: 'stream_id ASC',
      $block_height: 0,
    })
    expect(listed.map(({ stream_id }: { stream_id: string }) => stream_id)).toEqual([streamId, `st${'c'.repeat(30)}`])
  })

  it('finds its transaction again by the hash it was given', async () => {
    const { data } = await execute('set_allow_zeros', [[owner.address, streamId, true]])
    const { data: info } = await kwil.txInfo(data.tx_hash)
    expect(info.height).toBeGreaterThan(1)
    expect(info.tx_result.code).toBe(0)
    expect(info.tx.body.chain_id).toBe('sluice-dev')
  })

  it('gets the text of an action that refuses', async () => {
    await expect(execute('create_stream', [[streamId, 'primitive']], stranger)).rejects.toThrow(
      'Caller does not have the required system:network_writer role to create stream',
    )
    await expect(execute('create_stream', [[streamId, 'primitive']])).rejects.toThrow('duplicate key value')
  })

  it('grants a role, after which the other wallet may create', async () => {
    await execute('grant_roles', [['system', 'network_writer', [stranger.address]]])
    await execute('create_stream', [[streamId, 'primitive']], stranger)
    const members = await call('are_members_of', {
      $owner: 'system',
      $role_name: 'network_writer',
      $wallets: [stranger.address],
    })
    expect(members).toEqual([{ wallet: stranger.address.toLowerCase(), is_member: true }])
  })

  it('makes a market, trades in it and settles it', async () => {
    for (const wallet of [owner.address, stranger.address]) {
      for (const bridge of ['hoodi_tt', 'hoodi_tt2']) {
        await operateNode(bundle, operatorToken, 'dev.setBalance', { bridge, wallet, amount: `${token * 1000n}` })
      }
    }
    const settleTime = Math.floor(Date.now() / 1000) + 86_400
    const question = { dataProvider: owner.address, streamId, timestamp: settleTime }
    const components = encodeMarketQuestion('price_above_threshold', question, ['2'])
    const recent = { $data_provider: [owner.address], $stream_id: [streamId] }
    const record = { ...recent, $event_time: [settleTime - 60], $value: ['2.5'] }
    await execute('insert_records', [record], owner, { $value: numericList })
    const terms = {
      $bridge: 'hoodi_tt2',
      $query_components: components,
      $settle_time: settleTime,
      $max_spread: 5,
      $min_order_size: 1,
    }
    await execute('create_market', [terms])
    const [{ id }] = await call('get_market_by_hash', { $query_hash: hashQueryComponents(components) })
    // The client sends named arguments in the order of the object.
    const order = { $query_id: Number(id), $outcome: true, $price: 65, $amount: 10 }
    await execute('place_split_limit_order', [{ $query_id: Number(id), $true_price: 60, $amount: 10 }])
    await execute('place_sell_order', [order])
    await execute('place_buy_order', [order], stranger)
    const balance = async (wallet: string) => {
      const [row] = await call('hoodi_tt2_wallet_balance', { $wallet_address: wallet })
      return BigInt(row.balance)
    }
    expect(await balance(stranger.address)).toBe((9935n * token) / 10n)
    const position = { $query_id: Number(id), $outcome: true }
    expect(await call('get_order_book', position)).toEqual([])
    await operateNode(bundle, operatorToken, 'dev.setNextBlockTimestamp', { timestamp: settleTime })
    const { args } = decodeQueryComponents(components)
    const request = {
      $data_provider: owner.address,
      $stream_id: streamId,
      $action_name: 'price_above_threshold',
      $args_bytes: new Uint8Array(Buffer.from(args, 'hex')),
      $encrypt_sig: false,
      $max_fee: null,
    }
    await execute('request_attestation', [request])
    await execute('settle_market', [{ $query_id: Number(id) }], stranger)
    const [settled] = await call('get_market_info', { $query_id: Number(id) })
    expect(settled).toMatchObject({ settled: true, winning_outcome: true })
    // Ten shares pay 98 cents each.
    expect(await balance(stranger.address)).toBe((9935n * token) / 10n + (98n * token) / 10n)
  })

  it('cannot send an account id with 0x, as on the network', async () => {
    await expect(kwil.getAccount(owner.address)).rejects.toThrow('-32602')
  })

  it('is answered in private mode, where every call is signed over a challenge', async () => {
    const address = await bundle.restart({ STREAMNET_DEVELOPMENT: 'true', STREAMNET_MODE: 'private' })
    const client = new NodeKwil({ kwilProvider: `${address}/streamnet/node`, chainId: 'sluice-dev', timeout: 120_000 })
    const { data } = await client.call({ namespace: 'main', name: 'whoami', inputs: [] }, signerOf(stranger))
    expect(data.result).toEqual([{ caller: stranger.address }])
    await expect(client.selectQuery('SELECT name FROM info.namespaces', {})).rejects.toThrow('private mode')
  })
})
