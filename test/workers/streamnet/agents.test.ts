/** Operations of 2026, through the client and through the gateway: agent wallets, books, inputs, lists. */

import { beforeAll, describe, expect, it } from 'vitest'
import { createSigner, deployComposedStream, generateStreamId, NetClient } from '#streamnet/index.ts'
import { gatewayAddress, gatewayKey, operateNode, startGateway } from '../../support/gateway-bundle.ts'
import { host } from '../../support/host.ts'

const operatorToken = 'operator-token-of-the-agents'
const agentKey = '5'.padStart(64, '0')
const agent = createSigner(agentKey).address
const token = 10n ** 18n
const streamId = generateStreamId('agents of the gateway')
const settleTime = Math.floor(Date.now() / 1000) + 86_400

let client: NetClient
const run = (operation: string, params: unknown = {}) => gateway.run(operation, params)

const gateway = host(() => startGateway({ vars: { STREAMNET_ADMIN_TOKEN: operatorToken } }))

beforeAll(async () => {
  client = new NetClient(`${gateway.url}/streamnet/node`, agentKey)
  const own = new NetClient(`${gateway.url}/streamnet/node`, gatewayKey)
  for (const wallet of [agent, gatewayAddress]) {
    for (const bridge of ['hoodi_tt', 'hoodi_tt2']) {
      const amount = `${1000n * token}`
      await operateNode(gateway, operatorToken, 'dev.setBalance', { bridge, wallet, amount })
    }
  }
  await own.deployStream({ streamId })
  await own.insertRecord({ streamId, record: { date: 1_700_000_000, value: '5' } })
})

describe('agent wallets', () => {
  const terms = { feeMode: 'bps', feeBps: 1000, actions: [{ action: 'place_split_limit_order' }] } as const
  const funds = { bridge_identifier: 'testnet_b', amount: `${100n * token}` }
  let ruleId = ''
  let wallet = ''

  it('an agent makes a rule by the client, and the gateway computes the same ids', async () => {
    await client.createAgentRule(terms)
    ruleId = client.deriveAgentRule({ ...terms, agent }).ruleId
    expect(await run('derive_agent_rule', { agent, fee_mode: 'bps', fee_bps: 1000, actions: terms.actions })).toEqual({
      rule_id: ruleId,
      rules_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
    expect(await client.getAgentRule({ ruleId })).toMatchObject({ restricted: agent, feeBps: 1000, feeFlat: '0' })
    expect(await run('get_agent_rule', { rule_id: ruleId })).toMatchObject({ rule_id: ruleId, fee_mode: 'bps' })
    const listed = [{ namespace: 'main', action: 'place_split_limit_order', body_hash: null }]
    expect(await run('get_agent_rule_allowed_actions', { rule_id: ruleId })).toEqual(listed)
    expect(await client.getAgentRuleAllowedActions({ ruleId })).toHaveLength(1)
    expect(await client.listAgentRulesByRestricted({ agent })).toHaveLength(1)
    expect(await run('list_agent_rules_by_restricted', { agent })).toMatchObject([{ rule_id: ruleId }])
  })

  it('an owner joins and funds by the gateway, once', async () => {
    await run('join_and_fund_agent_address', { rule_id: ruleId, ...funds })
    wallet = client.deriveAgentWallet({ owner: gatewayAddress, agent, ruleId })
    const place = { owner: gatewayAddress, agent, rule_id: ruleId }
    expect(await run('derive_agent_wallet', place)).toBe(wallet)
    expect(await run('is_agent_wallet', { wallet })).toBe(true)
    expect(await client.isAgentWallet({ wallet: agent })).toBe(false)
    expect(await run('get_agent_wallet', { wallet })).toMatchObject({ restricted: agent, unrestricted: gatewayAddress })
    expect(await client.getAgentWallet({ wallet: agent })).toBeNull()
    expect(await run('list_agent_wallets_by_owner', { owner: gatewayAddress })).toHaveLength(1)
    expect(await client.listAgentWalletsByOwner({ owner: agent })).toEqual([])
    expect(await run('list_agent_wallets_by_rule', { rule_id: ruleId })).toMatchObject([{ maa_address: wallet }])
    expect(await client.listAgentWalletsByRule({ ruleId })).toHaveLength(1)
    expect(await run('get_agent_wallet_balance', { wallet, bridge_identifier: 'testnet_b' })).toBe(funds.amount)
    const again = await gateway.call('/join_agent_address', { rule_id: ruleId })
    expect(again).toMatchObject({ status: 422, body: { code: 'transaction_failed' } })
    expect(again.body.detail).toContain('this funder has already joined this rule (MAA exists)')
    await expect(client.joinAgentAddress({ ruleId })).rejects.toThrow('unrestricted must differ from the rule creator')
    await expect(
      client.joinAndFundAgentAddress({ ruleId, bridgeIdentifier: 'testnet_b', amount: '1' }),
    ).rejects.toThrow('unrestricted must differ from the rule creator')
  })

  it('the agent trades as the wallet and cannot take funds out; the owner can', async () => {
    const market = { dataProvider: gatewayAddress, streamId, timestamp: settleTime, threshold: '5' }
    const txId = await client.createPriceAboveThresholdMarket({
      ...market,
      bridge: 'testnet_b',
      settleTime,
      maxSpread: 5,
      minOrderSize: 1,
    })
    const action = 'place_split_limit_order'
    const order = await client.executeAgentAction({ wallet, action, args: [1, 60, 10] })
    expect(await client.getTransactionInput({ txId: order })).toMatchObject({ action, arguments: [[1n, 60n, 10n]] })
    expect(await run('get_transaction_input', { tx_id: order })).toMatchObject({ arguments: [['1', '60', '10']] })
    expect(await client.getTransactionMarket({ txId })).toMatchObject({ market: { type: 'above' }, settleTime })
    expect(await run('get_transaction_market', { tx_id: txId })).toMatchObject({ bridge: 'hoodi_tt2' })
    expect(await gateway.call(`/transactions/${order}`)).toMatchObject({
      body: { result: { type: 'maa_exec', payload: { kind: 'execute', action, wallet } } },
    })
    expect(await client.getPositionsByWallet({ wallet })).toHaveLength(2)
    expect(await client.getConsolidatedOrderBook({ queryId: 1 })).toMatchObject({
      bids: [{ price: 60, total: 10, native: 0, inverse: 10 }],
      asks: [],
    })
    expect(await run('get_consolidated_order_book', { query_id: 1, outcome: false })).toMatchObject({
      asks: [{ price: 40, total: 10, native: 10, inverse: 0 }],
      is_crossed: false,
    })
    const exit = { wallet, bridgeIdentifier: 'testnet_b', amount: `${token}` }
    await expect(client.withdrawFromAgentWallet(exit)).rejects.toMatchObject({
      data: { txCode: 9, reason: expect.stringContaining('is reserved for the unrestricted owner') },
    })
    await expect(client.bridgeOutOfAgentWallet(exit)).rejects.toMatchObject({ data: { txCode: 9 } })
    const payout = { wallet, bridge_identifier: 'testnet_b', amount: `${token}` }
    await run('withdraw_from_agent_wallet', payout)
    await run('bridge_out_of_agent_wallet', payout)
    const listed = await gateway.call('/execute_agent_action', { wallet, action: 'whoami' })
    expect(listed.body.detail).toContain('action main.whoami is not in the allow-list')
    const free = await client.getAgentWalletBalance({ wallet, bridgeIdentifier: 'testnet_b' })
    expect(free).toBe(`${88n * token}`)
    expect((await client.getAgentRuleEvents({ ruleId })).map(({ eventType }) => eventType)).toEqual([
      'CREATE_RULE',
      'JOIN',
      'WITHDRAW',
      'WITHDRAW',
    ])
    expect(await run('get_agent_rule_events', { rule_id: ruleId, limit: 1, offset: 2 })).toMatchObject([
      { event_type: 'WITHDRAW', amount: `${token}`, maa_address: wallet },
    ])
    await run('create_agent_rule', { fee_mode: 'flat', fee_flat: '7', salt: '0x00' })
    await expect(client.sampleLpRewards({ queryId: 1, block: 50 })).rejects.toThrow('is private')
    expect((await gateway.call('/sample_lp_rewards', { query_id: 1, block: 50 })).body.detail).toContain('is private')
  })
})

describe('lists and sizes', () => {
  it('children of many streams, by locator and by height, and versions that are taken out of use', async () => {
    const basket = generateStreamId('basket of the gateway')
    await run('deploy_stream', { stream_id: basket, stream_type: 'composed' })
    await run('set_taxonomy', { stream_id: basket, child_streams: { [streamId]: '1' } })
    const locators = [{ stream_id: basket, data_provider: gatewayAddress }]
    const child = [{ child_stream_id: streamId, group_sequence: 1 }]
    expect(await run('get_taxonomies_for_streams', { locators })).toMatchObject(child)
    expect(await run('list_taxonomies_by_height', { from_height: 1, latest_only: true })).toMatchObject(child)
    const own = new NetClient(`${gateway.url}/streamnet/node`, gatewayKey)
    await run('disable_taxonomy', { stream_id: basket, group_sequence: 1 })
    const asked = { locators: [{ streamId: basket, dataProvider: gatewayAddress }] }
    expect(await client.getTaxonomiesForStreams(asked)).toEqual([])
    expect(await client.listTaxonomiesByHeight()).toEqual([])
    const second = generateStreamId('second basket of the gateway')
    await deployComposedStream(own, { streamId: second, childStreams: { [streamId]: '2' } })
    await own.disableTaxonomy({ streamId: second, groupSequence: 7 })
    expect(await client.listTaxonomiesByHeight({ fromHeight: 1 })).toMatchObject([{ weight: '2.000000000000000000' }])
    await own.setDefaultBaseTime({ streamId, baseTime: 1_700_000_000 })
    await run('set_default_base_time', { stream_id: streamId, base_time: 1_700_000_000 })
    const based = await client.listMetadataByHeight({ key: 'default_base_time' })
    expect(based).toMatchObject([{ valueI: 1_700_000_000n }, { valueI: 1_700_000_000n }])
    const owned = await run('list_metadata_by_height', { key: 'stream_owner', ref: gatewayAddress })
    expect(owned).toHaveLength(3)
    const place = { streamId, dataProvider: gatewayAddress }
    expect(await client.getStreamOwner(place)).toBe(gatewayAddress)
    expect(await run('get_stream_owner', { stream_id: streamId })).toBe(gatewayAddress)
  })

  it('the caller, the size of the database, the last transactions with their times, claims of a bridge', async () => {
    expect((await client.whoami()).toLowerCase()).toBe(agent)
    expect(String(await run('whoami')).toLowerCase()).toBe(gatewayAddress)
    expect(await client.getDatabaseSize()).toBeGreaterThan(1000n)
    expect(await run('get_database_size')).toMatch(/^\d+$/)
    expect(await client.getDatabaseSizePretty()).toMatch(/^\d+ (bytes|kB|MB)$/)
    expect(await run('get_database_size_pretty')).toMatch(/^\d+ (bytes|kB|MB)$/)
    const [newest] = await client.getLastTransactions({ limit: 1 })
    expect(newest?.stampMs).toBeGreaterThan(1_700_000_000_000)
    const event = await client.getTransactionEvent({ txId: newest?.txId ?? '' })
    expect(event.stampMs).toBe(newest?.stampMs)
    expect(await run('get_last_transactions', { data_provider: gatewayAddress, limit: 2 })).toHaveLength(2)
    expect(await client.listWalletRewards({ bridgeIdentifier: 'testnet_b', wallet: agent })).toEqual([])
    const claims = { bridge_identifier: 'testnet_b', wallet: gatewayAddress, with_pending: true }
    await operateNode(gateway, operatorToken, 'dev.advanceEpoch', { bridge: 'hoodi_tt2' })
    expect(await run('list_wallet_rewards', claims)).toMatchObject([{ param_amount: `${(9n * token) / 10n}` }])
  })
})
