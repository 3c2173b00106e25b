/** Answers that are given again while the node's state is the same: each kind of change makes the next read new. */

import { beforeAll, describe, expect, it } from 'vitest'
import { generateStreamId } from '#streamnet/index.ts'
import { fullToken, gatewayAddress, operateNode, startGateway } from '../../support/gateway-bundle.ts'
import { host } from '../../support/host.ts'

const stream = generateStreamId('unchanged')
const other = generateStreamId('unchanged, of another token')
const wallet = `0x${'5a'.repeat(20)}`
const tokens = { reader: 'reader-token-0123456789', other: 'other-token-01234567890' }
const question = { stream_id: stream, date_from: 0, date_to: 100 }
const path = `/get_records?stream_id=${stream}&date_from=0&date_to=100`
const adminToken = 'admin-token-of-the-test'

const gateway = host(() =>
  startGateway({
    vars: {
      STREAMNET_NODE: 'open',
      STREAMNET_ADMIN_TOKEN: adminToken,
      STREAMNET_TOKENS: JSON.stringify([
        { name: 'reader', token: tokens.reader, scopes: ['read'] },
        { name: 'other', token: tokens.other, scopes: [`read:${gatewayAddress}/${other}`] },
      ]),
    },
  }),
)

beforeAll(async () => {
  for (const stream_id of [stream, other]) await gateway.run('deploy_stream', { stream_id })
  await gateway.run('insert_record', { stream_id: stream, record: { date: 1, value: '1' } })
})

const dev = (method: string, params: object = {}) => operateNode(gateway, adminToken, method, params)
const values = async (body: object = question): Promise<readonly string[]> =>
  (await gateway.run('get_records', body)).map(({ value }: { value: string }) => value.replace(/\.0*$/, ''))

/** Questions to the node so far, as the gateway's metrics count them. */
async function questions(): Promise<number> {
  const text = await (
    await fetch(`${gateway.url}/streamnet/v1/metrics`, { headers: { authorization: `Bearer ${fullToken}` } })
  ).text()
  return Number(/^sluice_gateway_upstream_duration_seconds_count (\d+)/m.exec(text)?.[1])
}

/** Every development method that changes something, in an order in which each can run. */
const changes: readonly (readonly [string, object])[] = [
  ['dev.mine', {}],
  ['dev.setAutomine', { enabled: false }],
  ['dev.setAutomine', { enabled: true }],
  ['dev.setIntervalMining', { interval_ms: 0 }],
  ['dev.setAutomine', { enabled: true }],
  ['dev.increaseTime', { seconds: 60 }],
  ['dev.setNextBlockTimestamp', { timestamp: 4_000_000_000 }],
  ['dev.snapshot', {}],
  ['dev.setBalance', { bridge: 'hoodi_tt', wallet, amount: '5' }],
  ['dev.deposit', { bridge: 'hoodi_tt', wallet, amount: '5' }],
  ['dev.grantRole', { wallet }],
  ['dev.revokeRole', { wallet }],
  ['dev.impersonate', { wallet }],
  ['dev.failNext', { error: 'internal_error', method: 'user.estimate_price' }],
  ['dev.clearFaults', {}],
  ['dev.revert', { snapshot: 1 }],
  ['dev.loadSeedNetwork', {}],
]

describe('findUnchanged()', () => {
  it('answers the same question by one question for the state, and in the same octets', async () => {
    const token = tokens.other
    const records = { ...question, stream_id: other }
    const ask = async () => {
      const before = await questions()
      const answer = await gateway.call('/get_records', records, { token })
      return { answer, count: (await questions()) - before }
    }
    const [first, second] = [await ask(), await ask()]
    // A token for one stream costs further questions, about the streams from which an answer is computed.
    expect([first.count > 1, second.count]).toEqual([true, 1])
    expect([second.answer.status, second.answer.body]).toEqual([200, first.answer.body])
    for (const name of ['content-type', 'cache-control', 'vary', 'x-content-type-options']) {
      expect(second.answer.headers.get(name)).toBe(first.answer.headers.get(name))
    }
  })

  it('reads anew after a block', async () => {
    expect(await values()).toEqual(['1'])
    await gateway.run('insert_record', { stream_id: stream, record: { date: 2, value: '2' } })
    expect(await values()).toEqual(['1', '2'])
  })

  it('reads anew after a revert, a reset and a loaded state', async () => {
    const { snapshot } = await dev('dev.snapshot')
    const { state } = await dev('dev.dumpState')
    await gateway.run('insert_record', { stream_id: stream, record: { date: 3, value: '3' } })
    expect(await values()).toEqual(['1', '2', '3'])
    await dev('dev.revert', { snapshot })
    expect(await values()).toEqual(['1', '2'])
    await dev('dev.reset')
    expect((await gateway.call('/get_records', question)).status).toBe(404)
    await dev('dev.loadState', { state })
    expect(await values()).toEqual(['1', '2'])
  })

  it('asks the node again for a failure that a development method ordered', async () => {
    await values()
    await dev('dev.failNext', { error: 'internal_error', method: 'user.call' })
    expect((await gateway.call('/get_records', question)).status).toBe(502)
    expect(await values()).toEqual(['1', '2'])
  })

  it.each(changes)('%s %o makes the next read new', async (method, params) => {
    await gateway.call(path)
    expect((await gateway.call(path)).headers.get('x-cache')).toBe('hit')
    await dev(method, params)
    expect((await gateway.call(path)).headers.get('x-cache')).toBe('miss')
  })

  it('gives a token nothing that another token may read', async () => {
    await gateway.call('/get_records', question)
    const asReader = await gateway.call('/get_records', question, { token: tokens.reader })
    expect(asReader.status).toBe(200)
    for (const token of [tokens.other, tokens.other]) {
      expect((await gateway.call('/get_records', question, { token })).status).toBe(403)
      expect((await gateway.call(path, undefined, { token })).status).toBe(403)
    }
  })

  it('checks another spelling of a question', async () => {
    const mistake = await gateway.call('/get_records', { ...question, date_too: 5 })
    expect([mistake.status, mistake.body.mistakes[0].path]).toEqual([400, 'date_too'])
    expect(await values({ ...question, date_to: 1 })).toEqual(['1'])
  })
})
