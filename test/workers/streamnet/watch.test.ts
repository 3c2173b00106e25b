/** Live streams of the gateway: new records by height, and those that a listener has missed. */

import { describe, expect, it } from 'vitest'
import { type IncomingEvent, readEvents } from '#base/event-stream.ts'
import { generateStreamId } from '#streamnet/index.ts'
import { fullToken, gatewayAddress, startGateway } from '../../support/gateway-bundle.ts'
import { host } from '../../support/host.ts'

const live = generateStreamId('gateway live')
const foreign = 'token-of-another-stream-01'
const scopes = [`read:${gatewayAddress}/${generateStreamId('another')}`]
const gateway = host(() =>
  startGateway({ vars: { STREAMNET_TOKENS: JSON.stringify([{ name: 'foreign', token: foreign, scopes }]) } }),
)

describe('live stream', () => {
  const path = `/streams/${gatewayAddress}/${live}/events`

  async function listen(query: string, headers: Readonly<Record<string, string>> = {}) {
    const response = await fetch(`${gateway.url}/streamnet/v1${path}${query}`, {
      headers: { authorization: `Bearer ${fullToken}`, ...headers },
    })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    const events = readEvents(response.body)
    return {
      next: async (): Promise<IncomingEvent> => {
        const { value } = await events.next()
        if (!value) throw new Error('the stream has ended')
        return value
      },
      close: () => events.return(undefined),
    }
  }

  it('sends new records by height, and missed ones to a listener that reconnects', async () => {
    const insert = (date: number, value: string) =>
      gateway.run('insert_record', { stream_id: live, record: { date, value } })
    await gateway.run('deploy_stream', { stream_id: live })
    await insert(100, '1')
    const first = await listen('')
    const opening = await first.next()
    expect(JSON.parse(opening.data)).toEqual({ height: expect.any(Number), records: [] })
    expect(opening.lastEventId).toBe(`${JSON.parse(opening.data).height}-100`)
    await insert(200, '2')
    const event = await first.next()
    expect(event.event).toBe('records')
    expect(JSON.parse(event.data)).toEqual({
      height: Number(event.lastEventId.split('-')[0]),
      records: [{ date: 200, value: '2.000000000000000000' }],
    })
    await first.close()
    await insert(300, '3')
    await insert(200, '2.5')
    // As a browser comes back: to the same address, with the last id.
    const back = await listen('', { 'last-event-id': event.lastEventId })
    expect(JSON.parse((await back.next()).data).records).toEqual([
      { date: 200, value: '2.500000000000000000' },
      { date: 300, value: '3.000000000000000000' },
    ])
    await back.close()
  })

  it('refuses what it cannot watch before it opens', async () => {
    const at = (stream: string, query = '') => gateway.call(`/streams/${gatewayAddress}/${stream}/events${query}`)
    expect((await at(generateStreamId('never deployed'))).status).toBeGreaterThanOrEqual(400)
    expect(await at('st1')).toMatchObject({ status: 400, body: { code: 'invalid_argument' } })
    expect(await at(live, '?from=-1')).toMatchObject({ status: 400, body: { mistakes: [{ path: 'from' }] } })
    expect((await gateway.call(path, undefined, { token: foreign })).status).toBe(403)
  })
})
