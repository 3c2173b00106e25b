import { describe, expect, test } from 'vitest'
import { createClient } from '#streamnet/client.ts'
import { NetClient } from '#streamnet/net-client.ts'
import { getRecords } from '#streamnet/operations/records.ts'
import { getType } from '#streamnet/operations/streams.ts'
import { proveCall } from '#streamnet/rpc/prove-call.ts'
import { createSigner } from '#streamnet/signing/signer.ts'
import { createLoopbackNode } from '../../support/loopback-node.ts'

const key = '11'.repeat(32)
const streamId = `st${'0'.repeat(30)}`
const dataProvider = '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf'

const connect = (options: Parameters<typeof createLoopbackNode>[0] = {}, signer = createSigner(key)) => {
  const node = createLoopbackNode(options)
  return { node, client: createClient({ endpoint: node.endpoint, platform: node.platform, signer, proveCall }) }
}

describe('callAction()', () => {
  test('reads without a sender when there is no signer', async () => {
    const node = createLoopbackNode()
    const client = createClient({ endpoint: node.endpoint, platform: node.platform })
    expect(await getRecords(client, { streamId, dataProvider })).toEqual([])
    expect(node.requests[0]?.params).toMatchObject({ sender: '', signature: '', auth_type: 'secp256k1_ep' })
    await expect(getRecords(client, { streamId })).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  test('signs over a challenge where the node is private', async () => {
    const { node, client } = connect({ isPrivate: true })
    await getRecords(client, { streamId })
    await getRecords(client, { streamId })
    expect(node.called).toHaveLength(2)
    expect(node.methodsOf().filter((method) => method === 'user.challenge')).toHaveLength(2)
  })

  test('proves who reads for a signer of another kind, once told how', async () => {
    const { address, signMessage } = createSigner(key)
    const node = createLoopbackNode({ isPrivate: true })
    const options = { endpoint: node.endpoint, platform: node.platform, signer: { address, signMessage } }
    await expect(getRecords(createClient(options), { streamId })).rejects.toMatchObject({ code: 'unauthenticated' })
    await getRecords(createClient({ ...options, proveCall }), { streamId })
    await new NetClient(node.endpoint, options.signer, { platform: node.platform }).getRecords({ streamId })
    expect(node.called).toHaveLength(2)
  })

  test('cannot read a private node without a signer', async () => {
    const node = createLoopbackNode({ isPrivate: true })
    const client = createClient({ endpoint: node.endpoint, platform: node.platform })
    await expect(getRecords(client, { streamId, dataProvider })).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('a private node refuses the signature of another key', async () => {
    const held = createSigner('22'.repeat(32))
    const { client } = connect({ isPrivate: true }, { ...createSigner(key), signMessage: held.signMessage })
    await expect(getRecords(client, { streamId })).rejects.toMatchObject({
      code: 'unauthenticated',
      data: { reason: 'invalid signature on call message' },
    })
  })

  test('signs in at a gateway once for all calls it refused, and keeps the cookie', async () => {
    const { node, client } = connect({ isGateway: true })
    await Promise.all([1, 2, 3].map(() => getRecords(client, { streamId })))
    await getRecords(client, { streamId })
    expect(node.methodsOf().filter((method) => method === 'kgw.authn')).toHaveLength(1)
    expect(node.requests.at(-1)?.headers.get('cookie')).toBe('kgw_session=19e7e376e7c213b7e7e7e46cc70a5dd086daff2a')
  })

  test.each([
    ['domain', 'https://evil.test'],
    ['version', '2'],
  ] as const)('signs nothing for a gateway with another %s', async (name, value) => {
    const { node, client } = connect({ isGateway: true })
    node.signInRequest[name] = value
    await expect(getRecords(client, { streamId })).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(node.methodsOf()).not.toContain('kgw.authn')
  })

  test('signs nothing for another chain than the client was made for', async () => {
    const node = createLoopbackNode({ isGateway: true })
    const options = {
      endpoint: node.endpoint,
      platform: node.platform,
      signer: createSigner(key),
      proveCall,
      chainId: 'other',
    }
    await expect(getRecords(createClient(options), { streamId })).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(node.methodsOf()).not.toContain('kgw.authn')
  })

  test.each([
    ['Not allowed to read stream', 'permission_denied'],
    ['Only stream owner can set allow_zeros', 'permission_denied'],
    ['Caller does not have the required system:network_writer role', 'permission_denied'],
    ['Stream does not exist: data_provider=a stream_id=b', 'not_found'],
    ['Market not found: 4', 'not_found'],
    ['division by zero (SQLSTATE 22012)', 'action_failed'],
  ])('the text "%s" is %s and stays in the message', async (error, code) => {
    const { node, client } = connect()
    node.answers.set('get_record', { error })
    await expect(getRecords(client, { streamId })).rejects.toMatchObject({
      code,
      message: `Cannot call get_record: ${error}`,
      data: { reason: error },
    })
  })

  test('a stream without a type is not found', async () => {
    const { client } = connect()
    await expect(getType(client, { streamId })).rejects.toMatchObject({
      code: 'not_found',
      data: { reason: 'no type found, check if the stream is initialized' },
    })
  })
})
