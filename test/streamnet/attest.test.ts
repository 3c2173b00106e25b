import { describe, expect, test } from 'vitest'
import { attest, NetClient, numeric, type Platform, toChecksumAddress } from '#streamnet/index.ts'
import { keys, startTestNode, type TestNode } from '../support/devnode.ts'

const streamId = `st${'a'.repeat(30)}`
const provider = keys.owner.address

/** A node with a stream and money, and a client of it whose sleep makes a block. */
function startWithClient(): { readonly node: TestNode; readonly client: NetClient } {
  const node = startTestNode()
  node.rpc('dev.setBalance', { bridge: 'hoodi_tt', wallet: provider, amount: `${1000n * 10n ** 18n}` })
  node.must(keys.owner, 'create_stream', streamId, 'primitive')
  node.must(keys.owner, 'insert_record', provider, streamId, 100, numeric('42'))
  const platform: Platform = {
    fetch: async (_url, init) => {
      const answer = node.send(String(init.body))
      if (typeof answer === 'string') throw new TypeError(answer)
      return Response.json(answer.body, { status: answer.status })
    },
    sleep: async (ms) => {
      node.nowMs += ms
      node.rpc('dev.mine')
    },
    now: () => node.nowMs,
    deadline: () => new AbortController().signal,
    log: () => {},
  }
  return { node, client: new NetClient('http://node.test', keys.owner, { platform }) }
}

const question = {
  dataProvider: provider,
  streamId,
  actionName: 'price_above_threshold',
  args: [provider, streamId, 100, numeric('40'), null],
}

describe('attest()', () => {
  test('asks, waits for the signature and says who signed what', async () => {
    const { client } = startWithClient()
    const { attestation, validatorAddress, requestTxId, document } = await attest(client, question)
    expect(attestation).toMatchObject({ dataProvider: provider, streamId, result: [{ values: [true] }] })
    expect(validatorAddress).toBe(toChecksumAddress(keys.operator.address))
    expect(document).toEqual(await client.getSignedAttestation({ requestTxId }))
  })

  test('asks again when the signature was lost, and takes the request that is signed', async () => {
    const { node, client } = startWithClient()
    node.rpc('dev.failNext', { error: 'signature_lost', times: 2 })
    const { requestTxId } = await attest(client, { ...question, signatureTimeoutMs: 3000 })
    const listed = await client.listAttestations()
    expect(listed).toHaveLength(3)
    expect(listed[0]?.requestTxId).toBe(requestTxId)
    expect(listed.every(({ signedHeight }) => signedHeight !== null)).toBe(true)
  })

  test('gives up after so many requests, with the hash of the last', async () => {
    const { node, client } = startWithClient()
    node.rpc('dev.failNext', { error: 'signature_lost', times: 9 })
    const failure = attest(client, { ...question, signatureTimeoutMs: 2000, maxRequests: 2 })
    await expect(failure).rejects.toMatchObject({ code: 'timeout', data: { hash: expect.any(String) } })
    expect(await client.listAttestations()).toHaveLength(2)
  })

  test('refuses a signature by a validator that is not in the list', async () => {
    const { client } = startWithClient()
    const strangers = { ...question, validators: [keys.stranger.address] }
    await expect(attest(client, strangers)).rejects.toThrow('expected a known validator')
    const known = { ...question, validators: [toChecksumAddress(keys.operator.address)] }
    expect((await attest(client, known)).attestation.actionId).toBe(6)
  })

  test('refuses an attestation of another action about the same stream', async () => {
    const { client } = startWithClient()
    const { document } = await attest(client, question)
    const columnTypes = [{ name: 'bytea', is_array: false, metadata: null }]
    const table = { columnNames: ['payload'], columnTypes, rows: [[document]], logs: [] }
    const confused = {
      ...client,
      view: async (action: string) => (action === 'get_signed_attestation' ? table : undefined),
    }
    expect((await attest(confused, question)).document).toEqual(document)
    const other = attest(confused, { ...question, actionName: 'price_below_threshold' })
    await expect(other).rejects.toMatchObject({ code: 'malformed_response' })
  })

  test('ends its wait also when the time is not a number', async () => {
    const { node, client } = startWithClient()
    node.rpc('dev.failNext', { error: 'signature_lost', times: 50 })
    const failure = attest(client, { ...question, signatureTimeoutMs: Number.NaN, maxRequests: 1 })
    await expect(failure).rejects.toMatchObject({ code: 'timeout' })
  })

  test('does not ask again what the network refuses, or what cannot be asked', async () => {
    const { client } = startWithClient()
    const refused = { ...question, actionName: 'insert_record' }
    await expect(attest(client, refused)).rejects.toMatchObject({ code: 'transaction_failed' })
    await expect(attest(client, { ...question, maxRequests: 0 })).rejects.toMatchObject({ code: 'invalid_argument' })
    expect(await client.listAttestations()).toEqual([])
  })
})
