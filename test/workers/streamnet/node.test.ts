/** The development node in the built bundle, on a real socket. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningBundle, startBundle } from '../../support/bundle.ts'

const dev = { STREAMNET_DEVELOPMENT: 'true', STREAMNET_SEED_NETWORK: 'true' }

let bundle: RunningBundle

beforeAll(async () => {
  bundle = await startBundle({ worker: 'streamnet', rebuild: true, vars: dev })
})
afterAll(() => bundle.stop())

async function post(path: string, body: string, type = 'application/json') {
  const response = await fetch(bundle.url + path, { method: 'POST', body, headers: { 'content-type': type } })
  return { status: response.status, text: await response.text() }
}

async function rpc(method: string, params: object = {}, path = '/streamnet/node/rpc/v1') {
  const { text } = await post(path, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  return JSON.parse(text)
}

describe('POST /rpc/v1', () => {
  it('answers health at every path it is mounted at', async () => {
    const { result } = await rpc('user.health')
    expect(result).toMatchObject({ chain_id: 'sluice-dev', healthy: true, mode: 'open', gas: false })
    expect((await rpc('user.ping', { message: 'x' }, '/rpc/v1')).result).toEqual({ message: 'pong' })
  })
})
