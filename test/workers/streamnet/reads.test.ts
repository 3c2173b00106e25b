/** Reads of the gateway by GET: the result of POST, kept until the next block or, frozen, without a question. */

import { beforeAll, describe, expect, it } from 'vitest'
import { generateStreamId, NetClient } from '#streamnet/index.ts'
import { gatewayAddress, startGateway } from '../../support/gateway-bundle.ts'
import { host } from '../../support/host.ts'

const mine = generateStreamId('gateway reads')
const gateway = host(() => startGateway())

beforeAll(() => gateway.run('deploy_stream', { stream_id: mine }))

describe('GET', () => {
  it('takes structures as JSON', async () => {
    const locators = [{ stream_id: mine, data_provider: gatewayAddress }]
    const query = new URLSearchParams({ locators: JSON.stringify(locators) })
    expect((await gateway.call(`/batch_stream_exists?${query}`)).body.result).toEqual([
      { ...locators[0], exists: true },
    ])
  })

  it('takes lists by repetition', async () => {
    const wallets = `owner=system&role_name=network_writer&wallets=${gatewayAddress}&wallets=0x${'00'.repeat(20)}`
    const members = (await gateway.call(`/are_members_of?${wallets}`)).body.result
    expect(members.map((row: { is_member: boolean }) => row.is_member)).toEqual([true, false])
  })

  it('takes true and false', async () => {
    expect((await gateway.call(`/describe_taxonomy?stream_id=${mine}&latest_version=false`)).body).toEqual({
      result: null,
    })
  })

  it('names the parameter that is wrong', async () => {
    const mistake = await gateway.call(`/get_records?stream_id=${mine}&date_from=soon`)
    expect(mistake.body.mistakes).toEqual([{ path: 'date_from', message: expect.any(String) }])
  })

  it('is kept until the next block and no longer', async () => {
    const path = `/get_records?stream_id=${mine}&date_from=500&date_to=600`
    await gateway.run('insert_record', { stream_id: mine, record: { date: 500, value: '5' } })
    const first = await gateway.call(path)
    const etag = first.headers.get('etag') ?? ''
    expect([first.headers.get('x-cache'), first.headers.get('cache-control')]).toEqual(['miss', 'private, no-cache'])
    expect((await gateway.call(path)).headers.get('x-cache')).toBe('hit')
    const same = await gateway.call(path, undefined, { headers: { 'if-none-match': etag } })
    expect([same.status, same.body]).toEqual([304, null])
    await gateway.run('insert_record', { stream_id: mine, record: { date: 500, value: '6' } })
    const next = await gateway.call(path, undefined, { headers: { 'if-none-match': etag } })
    expect([next.status, next.headers.get('x-cache')]).toEqual([200, 'miss'])
    expect(next.body.result.at(-1)).toEqual({ date: 500, value: '6.000000000000000000' })
  })

  it('frozen at a past height is kept without a question to the node; at a future one it is not', async () => {
    const height = (await new NetClient(`${gateway.url}/streamnet/node`).request('user.chain_info', {})).block_height
    const path = (at: number) => `/get_records?stream_id=${mine}&date_from=0&frozen_at=${at}`
    const first = await gateway.call(path(height))
    expect([first.headers.get('x-cache'), first.headers.get('cache-control')]).toEqual(['miss', 'private, max-age=60'])
    await gateway.call(path(height + 1))
    await gateway.run('insert_record', { stream_id: mine, record: { date: 900, value: '9' } })
    const again = await gateway.call(path(height))
    expect([again.headers.get('x-cache'), again.body]).toEqual(['hit', first.body])
    const later = await gateway.call(path(height + 1))
    expect(later.body.result.at(-1)).toEqual({ date: 900, value: '9.000000000000000000' })
  })
})
