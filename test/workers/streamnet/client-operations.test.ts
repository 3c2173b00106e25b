/** Our own client against the development node: markets, attestations, bridges, and the streams of one node. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeHex } from '#base/hex.ts'
import { createSigner, generateStreamId, LocalClient, NetClient, numeric } from '#streamnet/index.ts'
import { operatorToken, type RunningBundle } from '../../support/bundle.ts'
import { operateNode, startNode } from '../../support/gateway-bundle.ts'

const makerKey = '1'.padStart(64, '0')
const takerKey = 'ab'.repeat(32)
const [maker, taker] = [createSigner(makerKey).address, createSigner(takerKey).address]
const streamId = generateStreamId('client markets')
const settleTime = Math.floor(Date.now() / 1000) + 86_400
const terms = { bridge: 'testnet_b', settleTime, maxSpread: 5, minOrderSize: 1 }
const question = { dataProvider: maker, streamId, timestamp: settleTime, ...terms }
const token = 10n ** 18n
const first = { queryId: 1 }
const yes = { queryId: 1, outcome: true }

let bundle: RunningBundle
let client: NetClient
let other: NetClient
const operate = (method: string, params: object) => operateNode(bundle, operatorToken, method, params)

beforeAll(async () => {
  bundle = await startNode(maker, { STREAMNET_AUTOMATIC_SETTLEMENT: 'false' })
  client = new NetClient(`${bundle.url}/streamnet/node`, makerKey)
  other = new NetClient(`${bundle.url}/streamnet/node`, takerKey)
  for (const wallet of [maker, taker]) {
    for (const bridge of ['hoodi_tt', 'hoodi_tt2']) {
      await operate('dev.setBalance', { bridge, wallet, amount: `${1000n * token}` })
    }
  }
  await client.deployStream({ streamId })
  const records = [40, 50, 45].map((value, at) => ({ date: settleTime - 180 + at * 60, value }))
  await client.insertRecords({ streamId, records })
})
afterAll(() => bundle?.stop())

describe('questions', () => {
  it('every kind of market can be created, found by its hash and read back as its question', async () => {
    const hash = await client.createPriceAboveThresholdMarket({ ...question, threshold: '42' })
    expect((await client.waitForTx({ txHash: hash })).code).toBe(0)
    await client.createPriceBelowThresholdMarket({ ...question, threshold: '42' })
    await client.createValueInRangeMarket({ ...question, minValue: '40', maxValue: '50' })
    await client.createValueEqualsMarket({ ...question, target: '45', tolerance: '1' })
    const { queryComponents, hash: marketHash } = await client.getMarketInfo(first)
    const { actionId, args } = client.decodeQueryComponents({ queryComponents })
    expect(client.decodeMarketData({ queryComponents })).toMatchObject({
      type: 'above',
      thresholds: ['42.000000000000000000'],
    })
    const parts = { dataProvider: maker, streamId, actionId, args: decodeHex(args) }
    expect(client.encodeQueryComponents(parts)).toEqual(queryComponents)
    expect(client.hashQueryComponents({ queryComponents })).toEqual(marketHash)
    const threshold = numeric('42')
    const asked = [maker.toLowerCase(), streamId, settleTime, threshold, null]
    expect(client.encodeActionArgs({ args: asked })).toEqual(parts.args)
    expect(await client.getMarketByHash({ hash: marketHash })).toMatchObject({ id: 1, settled: false })
    expect(await client.marketExists({ hash: marketHash })).toBe(true)
    expect(await client.marketExists({ hash: new Uint8Array(32) })).toBe(false)
    expect((await client.listMarkets({ settledFilter: 'active' })).map(({ id }) => id)).toEqual([4, 3, 2, 1])
    await expect(client.createMarket({ ...terms, queryComponents })).rejects.toThrow('Market already exists')
  })
})

describe('orders', () => {
  it('are placed, changed, taken back, matched and shown', async () => {
    await client.placeSplitLimitOrder({ ...first, truePrice: 60, amount: 100 })
    await client.placeSellOrder({ ...yes, price: 65, amount: 40 })
    await client.placeBuyOrder({ ...yes, price: 50, amount: 30 })
    await client.changeBid({ ...yes, oldPrice: -50, newPrice: -55, newAmount: 20 })
    await client.changeAsk({ ...yes, oldPrice: 65, newPrice: 64, newAmount: 50 })
    await other.placeBuyOrder({ ...yes, price: 64, amount: 10 })
    await other.placeBuyOrder({ ...first, outcome: false, price: 5, amount: 7 })
    await other.cancelOrder({ ...first, outcome: false, price: -5 })
    const book = await client.getOrderBook(yes)
    expect(book.map(({ price, amount }) => [price, amount])).toEqual([
      [-55, 20],
      [64, 40],
    ])
    expect(await client.getFullMarketDepth(first)).toHaveLength(3)
    const positions = await other.getUserPositions()
    expect(positions).toEqual([expect.objectContaining({ price: 0, amount: 10, positionType: 'holding' })])
    expect(await client.getPositionsByWallet({ wallet: taker })).toEqual(positions)
    const collateral = await client.getUserCollateral({ bridge: 'hoodi_tt2' })
    expect(await other.getCollateralByWallet({ wallet: maker, bridge: 'hoodi_tt2' })).toEqual(collateral)
    const events = await client.getOrderEventsByWallet({ wallet: taker })
    expect(events.map(({ eventType }) => eventType)).toEqual([
      'buy_placed',
      'direct_buy_fill',
      'buy_placed',
      'cancelled',
    ])
    expect(await client.validateMarketCollateral(first)).toMatchObject({
      validTokenBinaries: true,
      validCollateral: true,
      totalTrue: 100,
      openBuysValue: 1100,
    })
  })
})

describe('settlement', () => {
  it('by a signed attestation pays the winners and shares the fees', async () => {
    await operate('dev.setNextBlockTimestamp', { timestamp: settleTime })
    const { queryComponents } = await client.getMarketInfo(first)
    const { actionId: actionName, args } = client.decodeQueryComponents({ queryComponents })
    const requestTxId = await client.requestAttestation({
      dataProvider: maker,
      streamId,
      actionName,
      args: decodeHex(args),
    })
    const attestation = await client.getSignedAttestation({ requestTxId })
    const { validatorAddress, canonicalPayload } = client.verifyAttestationSignature({ attestation })
    const { operator } = await operate('dev.status', {})
    expect(validatorAddress.toLowerCase()).toBe(operator)
    const parsed = client.parseAttestationPayload({ payload: canonicalPayload })
    expect(parsed).toMatchObject({ streamId, result: [{ values: [true] }] })
    await other.settleMarket(first)
    expect(await client.getMarketInfo(first)).toMatchObject({ settled: true, winningOutcome: true })
    const summary = await client.getDistributionSummary(first)
    const distributionId = summary?.distributionId ?? 0
    expect(await client.getDistributionDetails({ distributionId })).toHaveLength(2)
    const [reward] = await client.getParticipantRewardHistory({ wallet: maker })
    expect(reward).toMatchObject({ queryId: 1, rewardAmount: `${token / 4n}` })
  })
})

describe('bridges', () => {
  const bridgeIdentifier = 'testnet_b'

  it('a transfer and a withdrawal, up to the proof that the other chain takes', async () => {
    const balances = async () => (await client.getOrderedBalances({ token: 'USDC' })).length
    const known = await balances()
    const stranger = createSigner('cd'.repeat(32)).address
    await client.transfer({ bridgeIdentifier, recipient: stranger, amount: `${token}` })
    expect(await balances()).toBe(known + 1)
    await client.withdraw({ bridgeIdentifier, recipient: stranger, amount: `${token}` })
    await operate('dev.advanceEpoch', { bridge: 'hoodi_tt2' })
    const [proof] = await client.getWithdrawalProof({ bridgeIdentifier, wallet: stranger })
    if (proof === undefined) throw new Error('there is no proof')
    const { operator } = await operate('dev.status', {})
    expect(client.verifyWithdrawalProof({ proof }).validators.map((one) => one.toLowerCase())).toEqual([operator])
  })
})

describe('the other reads and writes', () => {
  it('last, highest and lowest record, and any action by its name', async () => {
    expect(await client.getLastRecord({ streamId })).toMatchObject({ value: expect.anything() })
    const [highest, lowest] = [await client.getHighValue({ streamId }), await client.getLowValue({ streamId })]
    expect([Number(highest?.value), Number(lowest?.value)]).toEqual([50, 40])
    const record = { date: settleTime - 30, value: 60 }
    const call = [maker, streamId, record.date, `${record.value}`] as const
    await expect(client.executeProcedure({ procedure: 'insert_record', args: [call] })).rejects.toThrow('type error')
    const txHash = await client.executeProcedure({ procedure: 'set_allow_zeros', args: [[maker, streamId, true]] })
    expect((await client.waitForTx({ txHash })).code).toBe(0)
    expect(await client.getAllowZeros({ streamId })).toBe(true)
  })

  it('who may compose a stream, and the children of a composed one', async () => {
    const parent = generateStreamId('client markets parent')
    await client.deployStream({ streamId: parent, streamType: 'composed' })
    await client.setComposeVisibility({ streamId, visibility: 'private' })
    expect(await client.getComposeVisibility({ streamId })).toBe('private')
    await client.allowComposeStream({ streamId, parentStreamId: parent })
    expect(await client.getAllowedComposeStreams({ streamId })).toEqual([parent])
    await client.disableComposeStream({ streamId, parentStreamId: parent })
    expect(await client.getAllowedComposeStreams({ streamId })).toEqual([])
    await client.setComposeVisibility({ streamId, visibility: 'public' })
  })
})

describe('local streams', () => {
  it('are made, filled, composed, read and removed at the port of the operator', async () => {
    const local = new LocalClient(`${bundle.url}/streamnet/admin`, undefined, {
      headers: { authorization: `Bearer ${operatorToken}` },
    })
    const [one, two, basket] = ['local one', 'local two', 'local basket'].map(generateStreamId)
    if (one === undefined || two === undefined || basket === undefined) throw new Error('three ids')
    for (const streamId of [one, two]) await local.createStream({ streamId, streamType: 'primitive' })
    await local.createStream({ streamId: basket, streamType: 'composed' })
    await local.insertRecords({ streamId: one, records: [{ eventTime: 1, value: '10' }] })
    const rows = (value: string) => [{ eventTime: 2, value }]
    await local.batchInsertRecords({
      batches: [
        { streamId: one, records: rows('20') },
        { streamId: two, records: rows('40') },
      ],
    })
    await local.insertTaxonomy({ streamId: basket, childStreamIds: [one, two], weights: [1, 1] })
    const [row] = (await local.getRecord({ streamId: basket, fromTime: 2, toTime: 2 })).slice(-1)
    expect(Number(row?.value)).toBe(30)
    const index = await local.getIndex({ streamId: one, baseTime: 1 })
    expect(index.map(({ value }) => Number(value)).at(-1)).toBe(200)
    await local.disableTaxonomy({ streamId: basket, groupSequence: 1 })
    expect(await local.getRecord({ streamId: basket, fromTime: 2, toTime: 2 })).toEqual([])
    await local.deleteStream({ streamId: two })
    expect((await local.listStreams()).map(({ streamId }) => streamId).sort()).toEqual([one, basket].sort())
  })
})
