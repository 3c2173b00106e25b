import { describe, expect, test } from 'vitest'
import { NetClient } from '#streamnet/net-client.ts'
import { createLoopbackNode } from '../support/loopback-node.ts'

const key = '11'.repeat(32)
const own = '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a'
const streamId = `st${'0'.repeat(30)}`
const child = `st${'1'.repeat(30)}`

const connect = (type: string | null = 'primitive') => {
  const node = createLoopbackNode()
  if (type) node.answers.set('get_metadata', { columns: { value_s: 'text' }, rows: [[type]] })
  return { node, client: new NetClient(node.endpoint, key, { platform: node.platform }) }
}

const codes = async (findings: Promise<readonly { readonly code: string }[]>) =>
  (await findings).map(({ code }) => code)

describe('prechecks send nothing and find', () => {
  test('a taken id and a missing role before deploying', async () => {
    const { node, client } = connect()
    node.answers.set('are_members_of', { rows: [[own, true]] })
    expect(await client.precheckDeployStream({ streamId })).toEqual([])
    node.answers.set('are_members_of', { rows: [[own, false]] })
    node.answers.set('filter_streams_by_existence', { rows: [[own, streamId]] })
    expect(await codes(client.precheckDeployStream({ streamId }))).toEqual(['stream_exists', 'role_missing'])
    expect(node.executed).toEqual([])
  })

  test('records that would be refused or dropped', async () => {
    const { client } = connect()
    const records = Array.from({ length: 11 }, (_, date) => ({ date, value: date }))
    expect(await codes(client.precheckInsertRecords({ streamId, records }))).toEqual([
      'too_many_records',
      'zero_dropped',
    ])
    const twice = [
      { date: 1, value: 1 },
      { date: 1n, value: 2 },
    ]
    expect(await codes(client.precheckInsertRecords({ streamId, records: twice }))).toEqual(['duplicate_date'])
    expect(await codes(connect('composed').client.precheckInsertRecords({ streamId, records: [] }))).toEqual([
      'wrong_type',
    ])
    expect(await codes(connect(null).client.precheckInsertRecords({ streamId, records: [] }))).toEqual([
      'stream_missing',
    ])
  })

  test('what the write itself would not take', async () => {
    const { client } = connect()
    const malformed = { code: 'invalid_argument' }
    for (const record of [
      { date: 1.5, value: 1 },
      { date: 1, value: 'x' },
    ]) {
      await expect(client.precheckInsertRecords({ streamId, records: [record] })).rejects.toMatchObject(malformed)
    }
    const transfer = { bridgeIdentifier: 'testnet_b', amount: '1.5' }
    await expect(client.precheckTransfer(transfer)).rejects.toMatchObject(malformed)
    await expect(client.precheckTransfer({ ...transfer, amount: '1', feeWei: 'x' })).rejects.toMatchObject(malformed)
  })

  test('no dropped zero where zeros are kept', async () => {
    const { node, client } = connect()
    node.answers.set('get_allow_zeros', { rows: [[true]] })
    expect(await client.precheckInsertRecords({ streamId, records: [{ date: 1, value: '0.0' }] })).toEqual([])
  })

  test('a parent of the wrong type and missing children', async () => {
    const { node, client } = connect()
    node.answers.set('filter_streams_by_existence', { rows: [[own, child]] })
    const findings = client.precheckSetTaxonomy({ streamId, childStreams: { [child]: 1 } })
    expect(await codes(findings)).toEqual(['wrong_type', 'stream_missing'])
  })

  test('a balance that covers the amount but not the fee', async () => {
    const { node, client } = connect()
    const answer = (balance: string) => ({ columns: { balance: 'numeric' }, rows: [[balance]] })
    node.answers.set('eth_truf_wallet_balance', answer(`${10n ** 18n + 5n}`))
    expect(await client.precheckTransfer({ bridgeIdentifier: 'eth_main', amount: '5' })).toEqual([])
    node.answers.set('eth_truf_wallet_balance', answer(`${10n ** 18n + 4n}`))
    expect(await codes(client.precheckTransfer({ bridgeIdentifier: 'eth_main', amount: '5' }))).toEqual([
      'insufficient_balance',
    ])
  })

  test('a market that is missing, settled, or over', async () => {
    const { node, client } = connect()
    const seconds = node.clock.ms / 1000
    const octets = new Uint8Array()
    const answer = (settled: boolean, settleTime: number) => ({
      rows: [[octets, octets, 'b', BigInt(settleTime), settled, null, null, 1n, 1n, 1n, octets]],
    })
    expect(await codes(client.precheckPlaceOrder({ queryId: 1 }))).toEqual(['market_missing'])
    node.answers.set('get_market_info', answer(false, seconds + 1))
    expect(await client.precheckPlaceOrder({ queryId: 1 })).toEqual([])
    node.answers.set('get_market_info', answer(false, seconds))
    expect(await codes(client.precheckPlaceOrder({ queryId: 1 }))).toEqual(['market_closed'])
    node.answers.set('get_market_info', answer(true, seconds + 1))
    expect(await codes(client.precheckPlaceOrder({ queryId: 1 }))).toEqual(['market_closed'])
  })
})
