/** The leader settles a due market by itself, at the times of the network's schedule. */

import { afterAll, beforeAll, expect, it } from 'vitest'
import { generateStreamId } from '#streamnet/index.ts'
import { operatorToken } from '../../support/bundle.ts'
import { gatewayAddress, operateNode, type RunningGateway, startGateway } from '../../support/gateway-bundle.ts'

let gateway: RunningGateway
const stream_id = generateStreamId('automatic settlement')
const settle_time = (Math.ceil(Date.now() / 300_000) + 12) * 300
const operate = (method: string, params: object) => operateNode(gateway, operatorToken, method, params)

beforeAll(async () => {
  gateway = await startGateway({ vars: { STREAMNET_ADMIN_TOKEN: operatorToken } })
  const { operator } = await operate('dev.status', {})
  for (const wallet of [gatewayAddress, operator]) {
    for (const bridge of ['hoodi_tt', 'hoodi_tt2']) {
      await operate('dev.setBalance', { bridge, wallet, amount: `${10n ** 21n}` })
    }
  }
  await gateway.run('deploy_stream', { stream_id })
  await gateway.run('insert_record', { stream_id, record: { date: settle_time - 60, value: '45' } })
  const question = { data_provider: gatewayAddress, stream_id, timestamp: settle_time, settle_time }
  const terms = { bridge: 'testnet_b', max_spread: 5, min_order_size: 1, threshold: '40' }
  await gateway.run('create_price_above_threshold_market', { ...question, ...terms })
  await gateway.run('place_split_limit_order', { query_id: 1, true_price: 60, amount: 10 })
})
afterAll(() => gateway?.stop())

/** Moves the chain to a second before a tick of the schedule. */
async function moveBefore(tick: number): Promise<void> {
  await operate('dev.setNextBlockTimestamp', { timestamp: tick - 1 })
  await operate('dev.mine', {})
}

it('asks for the attestation at the first tick, settles at the second, and pays out', async () => {
  await moveBefore(settle_time)
  const attestations = () => gateway.run('list_attestations', {})
  await expect.poll(async () => (await attestations()).length).toBe(1)
  expect(await gateway.run('get_market_info', { query_id: 1 })).toMatchObject({ settled: false })
  await moveBefore(settle_time + 300)
  await expect.poll(async () => (await gateway.run('get_market_info', { query_id: 1 })).settled).toBe(true)
  expect(await gateway.run('get_market_info', { query_id: 1 })).toMatchObject({ winning_outcome: true })
  expect(await gateway.run('get_user_positions')).toEqual([])
})
