import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createTransport, readBudget } from '#streamnet/rpc/transport.ts'
import { createLoopbackNode, type Failure } from '../../support/loopback-node.ts'

const connect = (options: { headers?: Record<string, string> } = {}) => {
  const node = createLoopbackNode()
  return { node, transport: createTransport({ endpoint: node.endpoint, platform: node.platform, ...options }) }
}

describe('createTransport()', () => {
  test.each([
    ['http://node.test', 'http://node.test/rpc/v1'],
    ['http://node.test/', 'http://node.test/rpc/v1'],
    ['https://node.test/rpc/v1', 'https://node.test/rpc/v1'],
    ['https://node.test/base//', 'https://node.test/base/rpc/v1'],
    ['http://[::1]:8484?x=1', 'http://[::1]:8484/rpc/v1?x=1'],
  ])('makes of %s the address %s', (endpoint, expected) => {
    expect(createTransport({ endpoint }).url.href).toBe(expected)
  })

  test.each(['', 'node.test', 'ftp://node.test', 'http://', 'http://user:secret@node.test'])(
    'refuses the endpoint %j and does not repeat it',
    (endpoint) => {
      expect(() => createTransport({ endpoint })).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
      expect(() => createTransport({ endpoint })).not.toThrow('secret')
    },
  )

  test('posts JSON-RPC with counting ids, no redirects and the given headers', async () => {
    const { node, transport } = connect({ headers: { 'x-trace': 'a' } })
    await transport.request('user.chain_info', {})
    await transport.request('user.chain_info', {})
    expect(node.requests.map(({ id }) => id)).toEqual([1, 2])
    expect(node.requests[0]?.headers.get('x-trace')).toBe('a')
    expect(node.requests[0]?.headers.get('content-type')).toBe('application/json')
  })

  test('sends every cookie that was set, each with its newest value', async () => {
    const answers = [['session=1; Path=/', 'route=a'], [], ['route=b; Secure'], []]
    const sent: (string | null)[] = []
    const node = createLoopbackNode()
    const fetch: typeof node.platform.fetch = async (url, init) => {
      sent.push(new Headers(init.headers).get('cookie'))
      const response = await node.platform.fetch(url, init)
      for (const cookie of answers.shift() ?? []) response.headers.append('set-cookie', cookie)
      return response
    }
    const transport = createTransport({ endpoint: node.endpoint, platform: { ...node.platform, fetch } })
    for (let request = 0; request < 4; request++) await transport.request('user.chain_info', {})
    expect(sent).toEqual([null, 'session=1; route=a', 'session=1; route=a', 'session=1; route=b'])
  })
})

const strange: readonly [Failure, string, string][] = [
  ['html', 'malformed_response', 'answered 200 with HTML'],
  ['nothing', 'malformed_response', 'answered 200 with nothing'],
  ['half', 'malformed_response', 'expected JSON-RPC'],
  ['not_json', 'malformed_response', 'answered 500 with "definitely not JSON"'],
  ['other_id', 'malformed_response', 'expected JSON-RPC'],
  ['neither', 'malformed_response', 'expected JSON-RPC'],
  ['no_backend', 'no_backend', 'no available backend'],
  ['rate_limited', 'rate_limited', '429'],
  ['refused', 'connection_refused', 'was refused'],
  ['lost_before', 'connection_lost', 'was lost'],
  ['lost_after', 'connection_lost', 'was lost'],
  ['timeout', 'timeout', 'no answer from node.test in time'],
  ['rpc_error', 'rpc_error', 'unknown action'],
]

test.each(strange)('%s is %s, once and without a retry', async (failure, code, message) => {
  const { node, transport } = connect()
  node.fail('user.chain_info', failure)
  const answer = transport.request('user.chain_info', {})
  await expect(answer).rejects.toMatchObject({ code, message: expect.stringContaining(message) })
  await expect(answer).rejects.toMatchObject({ message: expect.stringContaining('user.chain_info') })
  expect(node.requests).toHaveLength(1)
})

test.each(['refused', 'lost_before', 'timeout', 'no_backend'] as const)(
  'a budget repeats a request after %s',
  async (failure) => {
    const { node, transport } = connect()
    node.fail('user.chain_info', failure, failure)
    await transport.request('user.chain_info', {}, readBudget)
    expect(node.sleeps).toEqual([250, 500])
    node.fail('user.chain_info', failure, failure, failure)
    await expect(transport.request('user.chain_info', {}, readBudget)).rejects.toThrow('Cannot call')
    expect(node.requests).toHaveLength(6)
  },
)

test.each(['html', 'rpc_error', 'other_id'] as const)('a budget does not repeat %s', async (failure) => {
  const { node, transport } = connect()
  node.fail('user.chain_info', failure)
  await expect(transport.request('user.chain_info', {}, readBudget)).rejects.toThrow('Cannot call')
  expect(node.requests).toHaveLength(1)
})

test('headers with secrets are in no error', async () => {
  const { node, transport } = connect({ headers: { authorization: 'Bearer hush' } })
  for (const [failure] of strange) {
    node.fail('user.chain_info', failure)
    const error = await transport.request('user.chain_info', {}).catch((caught: unknown) => caught)
    expect(inspect(error, { depth: 9 })).not.toContain('hush')
  }
})
