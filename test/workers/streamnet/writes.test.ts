/** Writes of the gateway under an Idempotency-Key. */

import { beforeAll, describe, expect, it } from 'vitest'
import { generateStreamId } from '#streamnet/index.ts'
import { fullToken, gatewayAddress, startGateway } from '../../support/gateway-bundle.ts'
import { host } from '../../support/host.ts'

const mine = generateStreamId('gateway writes')
const writer = 'writer-token-0123456789'
const gateway = host(() =>
  startGateway({ vars: { STREAMNET_TOKENS: JSON.stringify([{ name: 'writer', token: writer, scopes: ['write'] }]) } }),
)

beforeAll(() => gateway.run('deploy_stream', { stream_id: mine }))

describe('Idempotency-Key', () => {
  const write = (key: string, value: string, token: string = fullToken) =>
    gateway.call(
      '/insert_record',
      { stream_id: mine, record: { date: 77, value } },
      { token, headers: { 'idempotency-key': key } },
    )

  it('the same request is done once and answered again', async () => {
    const first = await write('key-1', '1')
    const again = await write('key-1', '1')
    expect(first).toMatchObject({ status: 200, body: { result: expect.stringMatching(/^[0-9a-f]{64}$/) } })
    expect(again.body).toEqual(first.body)
    expect([first.headers.get('idempotency-replayed'), again.headers.get('idempotency-replayed')]).toEqual([
      null,
      'true',
    ])
  })

  it('another request under the same key is refused', async () => {
    await write('key-2', '1')
    expect(await write('key-2', '2')).toMatchObject({ status: 422, body: { code: 'idempotency_conflict' } })
  })

  it('the key of one token is not that of another', async () => {
    const [first, second] = [await write('key-3', '3'), await write('key-3', '3', writer)]
    expect(second.status).toBe(200)
    expect(second.body).not.toEqual(first.body)
  })

  it('a key with a space is refused', async () => {
    expect((await write('two words', '1')).status).toBe(422)
  })

  it('twenty at once under one key make one transaction', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => write('key-20', '20')))
    expect(new Set(answers.map(({ body }) => body.result)).size).toBe(1)
  })

  it('a failure on the chain stays a failure', async () => {
    const headers = { 'idempotency-key': 'key-failed' }
    const first = await gateway.call('/deploy_stream', { stream_id: mine }, { headers })
    const again = await gateway.call('/deploy_stream', { stream_id: mine }, { headers })
    expect(first.status).toBe(422)
    expect(again.body).toEqual(first.body)
  })

  it('a mistake that sent nothing may be tried again', async () => {
    const missing = { stream_id: mine, wallet_address: gatewayAddress }
    const headers = { 'idempotency-key': 'key-missing' }
    expect((await gateway.call('/disable_read_wallet', missing, { headers })).status).toBe(404)
    await gateway.run('allow_read_wallet', missing)
    expect((await gateway.call('/disable_read_wallet', missing, { headers })).status).toBe(200)
  })
})
