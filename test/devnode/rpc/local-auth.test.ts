import { describe, expect, test } from 'vitest'
import type { ExactJson } from '#base/canonical-json.ts'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { encodeLocalAuth } from '#streamnet/signing/local-auth.ts'
import { createSyncSigner, digestLocalAuthSync, type SyncSigner } from '#streamnet/signing/sync-signer.ts'
import { malleate, startTestNode, type TestNode } from '../../support/devnode.ts'
import { vectorsOf } from '../../support/streams-vectors.ts'

const idOf = (name: string) => `st${name.padStart(30, '0')}`
const [prices, wages] = [idOf('1'), idOf('2')]

interface AuthInput {
  readonly auth?: null
  readonly ver?: string
  readonly sig?: string
  readonly ts?: number
  readonly ts_offset_ms?: number
  readonly key?: string
  readonly repeat?: boolean
}

describe('authenticateLocal()', () => {
  const operator = createSyncSigner('11'.repeat(32))
  const params = { stream_id: prices, stream_type: 'primitive' } as const
  const signed = (signer: SyncSigner, ts: number, body: Record<string, ExactJson> = params) => ({
    ...body,
    _auth: encodeLocalAuth(signer.signDigest(digestLocalAuthSync('local.create_stream', body, ts)), ts),
  })
  const startSigned = () => startTestNode({ requiresLocalSignature: true, operator: operator.address })
  const send = (node: TestNode, body: object) =>
    node.sendAdmin(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'local.create_stream', params: body }))

  test('lets the operator in, and takes either form of the recovery byte', () => {
    const node = startSigned()
    expect(send(node, signed(operator, node.nowMs))).toMatchObject({ body: { result: {} } })
    const body = { ...params, stream_id: wages }
    const { _auth, ...rest } = signed(operator, node.nowMs, body)
    const low = `${_auth.sig.slice(0, -2)}${_auth.sig.endsWith('1b') ? '00' : '01'}`
    expect(send(node, { ...rest, _auth: { ..._auth, sig: low } })).toMatchObject({ body: { result: {} } })
  })

  test('comes before the room that is left: how much a node keeps is for its operator', () => {
    const node = startTestNode({ requiresLocalSignature: true, operator: operator.address, maxStoreBytes: 1 })
    expect(send(node, params)).toMatchObject({
      body: { error: { message: 'tn_local: unauthenticated', data: { reason: 'missing _auth' } } },
    })
    expect(send(node, signed(operator, node.nowMs))).toMatchObject({
      body: { error: { message: expect.stringContaining('failed to store') } },
    })
  })

  test('takes a call once, in either form of its signature', () => {
    const node = startSigned()
    const { _auth, ...rest } = signed(operator, node.nowMs)
    const sig = `0x${encodeHex(malleate(decodeHex(_auth.sig.slice(2))))}`
    const copy = { ...rest, _auth: { ..._auth, sig } }
    const refused = { status: 400, body: { error: { data: { reason: expect.stringContaining('canonical') } } } }
    expect(send(node, copy)).toMatchObject(refused)
    expect(send(node, { ...rest, _auth })).toMatchObject({ body: { result: {} } })
    expect(send(node, copy)).toMatchObject(refused)
  })

  test('refuses 100,000 nested lists before it reads them', () => {
    const node = startSigned()
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const text = `{"jsonrpc":"2.0","id":1,"method":"local.create_stream","params":{"stream_id":${deep}}}`
    expect(node.sendAdmin(text)).toMatchObject({
      status: 400,
      body: { error: { code: -32600, message: 'invalid request: the body nests deeper than 100 levels' } },
    })
  })

  test('is ignored when it is switched off', () => {
    const node = startTestNode()
    expect(send(node, { ...params, _auth: 'garbage' })).toMatchObject({ body: { result: {} } })
  })

  for (const { id, input, expected } of vectorsOf<AuthInput, object>('local_auth')) {
    if (!id.includes('reject_')) continue
    test(id, () => {
      const node = startSigned()
      const ts = node.nowMs + (input.ts_offset_ms ?? 0)
      const { _auth, ...rest } = signed(input.key === undefined ? operator : createSyncSigner(input.key), ts)
      const { auth, key, repeat, ts_offset_ms, ...changes } = input
      const body = auth === null ? rest : { ...rest, _auth: { ..._auth, ...changes } }
      if (repeat === true) send(node, body)
      expect(send(node, body)).toMatchObject({ status: 400, body: { error: expected } })
    })
  }
})
