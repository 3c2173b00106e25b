/** The gateway over HTTP: its paths and methods, the answers to what the chain refuses, and its own documents. */

import { beforeAll, describe, expect, it } from 'vitest'
import { routes } from '#gateway/routes.ts'
import { catalogue } from '#streamnet/catalogue.ts'
import { generateStreamId } from '#streamnet/index.ts'
import { describeApi } from '#workers/streamnet/openapi.ts'
import { gatewayAddress, startGateway } from '../../support/gateway-bundle.ts'
import { host } from '../../support/host.ts'

const mine = generateStreamId('gateway http')
const gateway = host(() => startGateway())

beforeAll(() => gateway.run('deploy_stream', { stream_id: mine }))

describe('a path', () => {
  it('of an unknown operation: 404 with the nearest names', async () => {
    const { status, body } = await gateway.call('/get_record', {})
    expect(status).toBe(404)
    expect(body).toMatchObject({ code: 'unknown_operation', detail: expect.stringContaining('get_records') })
    for (const path of ['/constructor', '/__proto__', '/toString', '/%00', `/${'a'.repeat(5000)}`]) {
      expect((await gateway.call(path, {})).body.code).toBe('unknown_operation')
    }
  })

  it.each<[method: string, path: string, allow: string | null]>([
    ['PUT', '/list_streams', 'GET, HEAD, POST'],
    ['DELETE', '/insert_record', 'POST'],
    ['OPTIONS', '/insert_all', 'POST'],
    ['POST', '', 'GET, HEAD'],
    ['POST', '/openapi.json', 'GET, HEAD'],
    ['PATCH', '/jobs', 'GET, HEAD'],
    ['POST', '/jobs', 'GET, HEAD'],
    ['POST', '/jobs/1', 'GET, HEAD, DELETE'],
    ['POST', '/jobs/1/tx_hashes', 'GET, HEAD'],
    ['GET', '/jobs/1/resume', 'POST'],
    ['POST', `/streams/${gatewayAddress}/${mine}/events`, 'GET, HEAD'],
    ['PUT', '/no_such_operation', null],
    ['GET', '/jobs/1/2/3', null],
    ['GET', '/list_streams/', null],
  ])('with another method is 405 with those that it takes, or 404: %s %s allows %s', async (method, path, allow) => {
    const { status, headers, body } = await gateway.call(path, undefined, { method })
    expect([status, headers.get('allow')]).toEqual([allow ? 405 : 404, allow])
    expect(body.code).toBe(allow ? 'method_not_allowed' : 'unknown_operation')
  })

  it('of a write takes no GET, which changes nothing', async () => {
    const { status, headers, body } = await gateway.call(`/destroy_stream?stream_id=${mine}`)
    expect([status, headers.get('allow'), body.code]).toEqual([405, 'POST', 'method_not_allowed'])
    expect(await gateway.run('get_type', { stream_id: mine })).toBe('primitive')
  })

  it('of a read answers HEAD with the headers of GET and no body', async () => {
    const { status, headers, body } = await gateway.call(`/get_type?stream_id=${mine}`, undefined, { method: 'HEAD' })
    expect([status, headers.get('content-type'), body]).toEqual([200, 'application/json; charset=utf-8', null])
  })
})

describe('a refusal of the network', () => {
  it('on the chain is 422 with hash, log and the reason in the words of the network', async () => {
    const { status, body } = await gateway.call('/deploy_stream', { stream_id: mine })
    expect(status).toBe(422)
    expect(body).toMatchObject({
      code: 'transaction_failed',
      hint: 'The stream exists already.',
      data: { hash: expect.stringMatching(/^[0-9a-f]{64}$/), log: expect.stringContaining('ERROR') },
    })
  })

  it.each<[procedure: string, args: readonly unknown[], text: string]>([
    ['no_such_action', [], 'does not exist in namespace "main"'],
    ['whoami', [1], 'expected at most 0 arguments, but got 1'],
    ['stream_exists', [1, 2], 'to be of type text, but got int8'],
    ['auto_digest', [1], 'the development node keeps everything and digests nothing'],
  ])('before an action runs is 422, since the caller named it: %s with %j', async (procedure, args, text) => {
    const { status, body } = await gateway.call('/call_procedure', { procedure, args })
    expect([status, body.code]).toEqual([422, 'rpc_error'])
    expect(body.detail).toContain(text)
  })
})

describe('documents', () => {
  it('list every operation, without a token', async () => {
    const { status, body } = await gateway.call('', undefined, { token: null })
    expect(status).toBe(200)
    expect(body.operations.map(({ name }: { name: string }) => name)).toEqual([
      ...catalogue.map(({ name }) => name),
      'insert_all',
    ])
  })

  it('describe the interface, without a token', async () => {
    const { body } = await gateway.call('/openapi.json', undefined, { token: null })
    expect(body).toEqual(JSON.parse(JSON.stringify(describeApi())))
  })

  // Nothing here changes anything. The answers of two routes are not JSON.
  it.each(routes().filter(({ path }) => path !== '/metrics' && path !== '/blocks/events'))(
    'describe a route that the gateway has: $method $path',
    async ({ method, path }) => {
      const body = method === 'post' ? { no_such_parameter: 1 } : undefined
      const answer = await gateway.call(path.replace(/\{\w+\}/g, 'x'), body, { method: method.toUpperCase() })
      expect(answer.body?.code).not.toBe('unknown_operation')
    },
  )
})
