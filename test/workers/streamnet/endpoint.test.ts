/** A gateway and its settings: an endpoint that fails, and a deployment that is not complete. */

import { createServer, type Server, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateStreamId } from '#streamnet/index.ts'
import { fullToken, gatewayKey, type RunningGateway, startGateway } from '../../support/gateway-bundle.ts'
import { host } from '../../support/host.ts'
import { listen } from '../../support/listen.ts'

const mine = generateStreamId('gateway settings')

describe('an endpoint', () => {
  let server: Server
  let behave: (respond: ServerResponse) => void = () => undefined
  let upstream: RunningGateway

  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume().on('end', () => behave(response))
    })
    upstream = await startGateway({ vars: { STREAMNET_ENDPOINT: `http://127.0.0.1:${await listen(server)}` } })
  })
  afterAll(async () => {
    await upstream?.stop()
    server.closeAllConnections()
    server.close()
  })

  it.each([
    ['HTML', (response: ServerResponse) => response.end('<html>'), 502, 'malformed_response'],
    [
      'no backend',
      (response: ServerResponse) => response.writeHead(503).end('no available backend'),
      503,
      'no_backend',
    ],
    ['a broken connection', (response: ServerResponse) => response.destroy(), 502, 'connection_lost'],
  ])('that answers with %s: %s', async (_, behaviour, status, code) => {
    behave = behaviour
    const { status: answered, body } = await upstream.call('/get_type', { stream_id: mine })
    expect([answered, body.code]).toEqual([status, code])
    expect(JSON.stringify(body)).not.toContain(gatewayKey)
  })

  it('that does not answer: 504 in bounded time', async () => {
    behave = () => undefined
    const started = Date.now()
    const { status, body } = await upstream.call('/get_type', { stream_id: mine })
    expect([status, body.code]).toEqual([504, 'timeout'])
    expect(Date.now() - started).toBeLessThan(25_000)
  })
})

describe('a deployment', () => {
  const gateway = host(() => startGateway({ vars: { STREAMNET_TOKEN: '', STREAMNET_PRIVATE_KEY: '' } }))

  it('without tokens refuses every call', async () => {
    expect(await gateway.call('/list_streams', {})).toMatchObject({
      status: 401,
      body: { detail: expect.stringContaining('no tokens') },
    })
  })

  it('without a key reads, and refuses every write', async () => {
    await gateway.restart({ STREAMNET_TOKEN: fullToken })
    expect((await gateway.call('/list_streams', {})).status).toBe(200)
    expect(await gateway.call('/deploy_stream', { stream_id: mine })).toMatchObject({
      status: 503,
      body: { code: 'key_missing' },
    })
    expect(await gateway.call('/get_current_account', {})).toMatchObject({ status: 400 })
  })

  it('with a wrong setting answers 500, without the value of the setting', async () => {
    await gateway.restart({ STREAMNET_TOKEN: fullToken, STREAMNET_PRIVATE_KEY: 'beef', STREAMNET_TOKENS: '{}' })
    const answer = await gateway.call('/list_streams', {})
    expect(answer).toMatchObject({ status: 500, body: { code: 'invalid_settings' } })
    expect(JSON.stringify(answer.body)).not.toContain('beef')
  })
})
