/** The explorer's routes and the tickets of event streams, on a real gateway in front of a node. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEvents } from '#base/event-stream.ts'
import { createClient, generateStreamId, watchBlockEvents, watchChanges } from '#streamnet/index.ts'
import { fullToken, gatewayAddress, type RunningGateway, startGateway } from '../../support/gateway-bundle.ts'

const streamId = generateStreamId('explored')
const live = `/streams/${gatewayAddress}/${streamId}/events`
const reader = 'a-token-for-one-stream'

let gateway: RunningGateway

beforeAll(async () => {
  const tokens = [{ name: 'one', token: reader, scopes: [`read:${gatewayAddress}/${streamId}`] }]
  gateway = await startGateway({ rebuild: true, vars: { STREAMNET_TOKENS: JSON.stringify(tokens) } })
  await gateway.run('deploy_stream', { stream_id: streamId, stream_type: 'primitive' })
  await gateway.run('insert_record', { stream_id: streamId, record: { date: 1_700_000_000, value: '2.5' } })
})
afterAll(() => gateway?.stop())

describe('GET /transactions and /blocks', () => {
  it('are listed newest first, with payloads decoded', async () => {
    const { body } = await gateway.call('/transactions?limit=2')
    const { transactions, height } = body.result
    expect(transactions.map(({ payload }: { payload: { action: string } }) => payload.action)).toEqual([
      'insert_record',
      'create_stream',
    ])
    expect(transactions[0]).toMatchObject({
      height,
      sender: gatewayAddress,
      code: 0,
      payload: { args: [[gatewayAddress, streamId, '1700000000', '2.500000000000000000']] },
    })
    const blocks = await gateway.call(`/blocks?limit=1&before=${height + 1}`)
    expect(blocks.body.result.blocks).toMatchObject([{ height, transactions: 1 }])
    expect((await gateway.call(`/blocks/${height}`)).body.result.list[0].hash).toBe(transactions[0].hash)
    const { result } = (await gateway.call(`/transactions/${transactions[0].hash}`)).body
    expect(result).toMatchObject({ height, event: { method: 'insertRecords', caller: gatewayAddress } })
  })

  it('refuse what is out of bounds, unknown, or beyond the scopes of a token', async () => {
    const status = async (path: string, token?: string) =>
      (await gateway.call(path, undefined, token === undefined ? {} : { token })).status
    expect((await gateway.call('/blocks?limit=0&before=x')).body.mistakes).toHaveLength(2)
    expect(await status('/transactions?limit=101')).toBe(400)
    expect(await status('/blocks/999999')).toBe(404)
    expect(await status('/blocks/0')).toBe(400)
    expect(await status(`/transactions/${'0'.repeat(64)}`)).toBe(404)
    for (const path of ['/blocks', '/blocks/1', '/transactions', `/transactions/${'0'.repeat(64)}`]) {
      expect([path, await status(path, reader)]).toEqual([path, 403])
      expect([path, await status(path, 'wrong')]).toEqual([path, 401])
    }
    expect((await gateway.call('/blocks', {})).status).toBe(405)
  })
})

it('watchChanges() goes on behind the change that it saw last', async () => {
  const client = createClient({ endpoint: gateway.url })
  const watched = { gateway: `${gateway.url}/streamnet/v1`, token: reader, dataProvider: gatewayAddress, streamId }
  const first = watchChanges(client, { ...watched, from: 1_700_000_000 })
  const opening = (await first.next()).value
  await first.return()
  const record = { date: 1_700_000_100, value: '3.5' }
  await gateway.run('insert_record', { stream_id: streamId, record })
  const seen = []
  for await (const { records } of watchChanges(client, { ...watched, from: 1_700_000_000, lastEventId: opening?.id })) {
    seen.push(...records)
    if (seen.length > 0) break
  }
  expect(seen).toEqual([{ date: record.date, value: '3.500000000000000000' }])
  await expect(watchChanges(client, { ...watched, token: 'wrong' }).next()).rejects.toMatchObject({
    code: 'unauthenticated',
  })
})

describe('GET /blocks/events', () => {
  const client = createClient({ endpoint: 'http://node.invalid' })
  const insert = (date: number) =>
    gateway.run('insert_record', { stream_id: streamId, record: { date, value: `${date}` } })

  it('sends the blocks since a height, new ones, and to one that reconnects those between', async () => {
    const { result } = (await gateway.call('/blocks')).body
    const listed = result.blocks.map(({ height, hash }: { height: number; hash: string }) => [height, hash]).reverse()
    const watched = { gateway: `${gateway.url}/streamnet/v1`, token: fullToken }
    const seen: (readonly [number, string])[] = []
    for await (const { height, hash } of watchBlockEvents(client, { ...watched, fromHeight: 1 })) {
      seen.push([height, hash])
      if (height === result.height) await insert(1_700_000_200)
      if (height > result.height) break
    }
    expect(seen.slice(0, -1)).toEqual(listed)
    await insert(1_700_000_300)
    const resumed = watchBlockEvents(client, { ...watched, fromHeight: seen.length + 1 })
    const { value } = await resumed.next()
    await resumed.return()
    expect(value).toMatchObject({ height: seen.length + 1, previousHash: seen.at(-1)?.[1], transactions: 1 })
  })

  it('and those of markets need the scope for everything, and say what is wrong', async () => {
    const answer = async (path: string, token?: string) => {
      const { status, body } = await gateway.call(path, undefined, token === undefined ? {} : { token })
      return [status, body.code]
    }
    for (const path of ['/blocks/events', '/markets/1/events']) {
      expect(await answer(path, reader)).toEqual([403, 'forbidden'])
      expect(await answer(path, 'wrong')).toEqual([401, 'unauthorized'])
      expect((await gateway.call(path, {})).status).toBe(405)
    }
    expect(await answer('/markets/1/events')).toEqual([404, 'not_found'])
    expect(await answer('/markets/0/events')).toEqual([400, 'invalid_params'])
    expect((await gateway.call('/blocks/events?last_event_id=x')).body.mistakes).toMatchObject([
      { path: 'last_event_id' },
    ])
  })

  it('takes a ticket, which opens no other event stream', async () => {
    const { body } = await gateway.call('/blocks/events/ticket', undefined, { method: 'POST' })
    const open = (path: string) => fetch(`${gateway.url}/streamnet/v1${path}?ticket=${body.result.ticket}`)
    expect((await open('/markets/1/events')).status).toBe(401)
    const stream = await open('/blocks/events')
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    await stream.body?.cancel()
  })
})

describe('tickets', () => {
  const open = (ticket: string, path = live) => fetch(`${gateway.url}/streamnet/v1${path}?ticket=${ticket}`)
  const draw = async (token?: string) =>
    (await gateway.call(`${live}/ticket`, undefined, { method: 'POST', ...(token && { token }) })).body.result

  it('open the event stream once, with the rights of the token that drew them', async () => {
    const { ticket, expires_in } = await draw(reader)
    expect([ticket.length, expires_in]).toEqual([64, 60])
    const stream = await open(ticket)
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    for await (const { event } of readEvents(stream.body)) {
      expect(event).toBe('records')
      break
    }
    expect((await open(ticket)).status).toBe(401)
  })

  it('are good only for their stream, and for nothing that this deployment did not sign', async () => {
    const { ticket } = await draw()
    expect((await open(ticket, `/streams/${gatewayAddress}/${generateStreamId('other')}/events`)).status).toBe(401)
    expect((await open('0'.repeat(64))).status).toBe(401)
    expect((await gateway.call(`${live}/ticket`, undefined, { method: 'POST', token: null })).status).toBe(401)
    expect((await gateway.call(`/list_streams?ticket=${ticket}`, undefined, { token: null })).status).toBe(401)
    const stream = await open(ticket)
    expect(stream.status).toBe(200)
    await stream.body?.cancel()
  })

  it('are given and taken where only SLUICE_TOKENS lets callers in', async () => {
    const token = 'an-operator-of-this-test'
    const operated = await startGateway({
      vars: { STREAMNET_TOKEN: '', SLUICE_TOKENS: JSON.stringify([{ name: 'ops', token, scopes: ['*'] }]) },
    })
    try {
      await operated.call('/deploy_stream', { stream_id: streamId, stream_type: 'primitive' }, { token })
      const { body } = await operated.call(`${live}/ticket`, undefined, { method: 'POST', token })
      const path = `${operated.url}/streamnet/v1${live}?ticket=${body.result.ticket}`
      const stream = await fetch(path)
      expect(stream.status).toBe(200)
      await stream.body?.cancel()
    } finally {
      await operated.stop()
    }
  })
})
