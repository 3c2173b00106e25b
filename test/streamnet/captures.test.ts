import { describe, expect, test } from 'vitest'
import { decodeBase64, encodeBase64 } from '#base/base64.ts'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { createClient } from '#streamnet/client.ts'
import {
  decodeActionCall,
  decodeActionExecution,
  decodeRawStatement,
  encodeActionCall,
  encodeActionExecution,
} from '#streamnet/codec/payload.ts'
import type { CallJson, TransactionJson } from '#streamnet/rpc/methods.ts'
import { transactionFromJson, transactionToJson } from '#streamnet/rpc/transaction-json.ts'
import { type SignInRequest, signInMessage } from '#streamnet/signing/message.ts'
import { createSigner, type Signer } from '#streamnet/signing/signer.ts'
import { callMessageSync } from '#streamnet/signing/sync-signer.ts'
import { signTransaction } from '#streamnet/transaction/sign.ts'
import { encodeRawStatement } from '../support/payloads.ts'
import { vectorsOf } from '../support/streams-vectors.ts'

const one = createSigner('01'.padStart(64, '0'))

// The official client signs as wallets do: its recovery byte is 27 or 28.
const wallet: Signer = {
  address: one.address,
  async signMessage(message) {
    const signature = (await one.signMessage(message)).slice()
    signature[64] = (signature[64] ?? 0) + 27
    return signature
  },
}

interface Captured {
  readonly jsonrpc: '2.0'
  readonly id: number
  readonly method: string
  readonly params: object
}

/** Takes a payload apart and puts it together again, nulls in the form of the official client. */
function rebuild(type: string, payload: Uint8Array): Uint8Array {
  if (type === 'call') return encodeActionCall(decodeActionCall(payload), 'element')
  if (type === 'raw_statement') return encodeRawStatement(decodeRawStatement(payload))
  return encodeActionExecution(decodeActionExecution(payload), 'element')
}

/** Makes the parameters of a captured request from their parts. */
async function remake({ method, params }: Captured): Promise<unknown> {
  if ('tx' in params) {
    // The capture's own shape.
    const json = params.tx as TransactionJson
    const payload = rebuild(json.body.type, decodeBase64(json.body.payload))
    if (method === 'user.estimate_price') {
      const { desc: description, type: payloadType, chain_id: chainId } = json.body
      return { tx: transactionToJson({ description, payload, payloadType, chainId, sender: one.address }) }
    }
    const { signature: _, ...unsigned } = transactionFromJson(json)
    return { ...params, tx: transactionToJson(await signTransaction({ ...unsigned, payload }, wallet)) }
  }
  if (method === 'user.call') {
    const call = params as CallJson
    const payload = rebuild('call', decodeBase64(call.body.payload))
    const body = { ...call.body, payload: encodeBase64(payload) }
    if (!call.body.challenge) return { ...call, body }
    const { namespace, action } = decodeActionCall(payload)
    const text = callMessageSync(namespace, action, payload, encodeHex(decodeBase64(call.body.challenge)))
    return { ...call, body, signature: encodeBase64(await wallet.signMessage(text)) }
  }
  return params
}

for (const { id, expected } of vectorsOf<unknown, { path: string; requests: readonly Captured[] }>('rpc_capture')) {
  test(`requests of ${id} are made byte for byte from their parts`, async () => {
    expect(expected.path).toBe('/rpc/v1')
    for (const request of expected.requests) expect(await remake(request)).toEqual(request.params)
  })
}

interface CallInput {
  readonly namespace: string
  readonly action: string
  readonly payload_hex: string
  readonly challenge_hex: string
}

interface SignInInput {
  readonly authn_param: SignInRequest
}

interface AuthExpected {
  readonly signed_text: string
  readonly params?: CallJson
  readonly authn_params?: { readonly signature: { readonly sig: string } }
}

for (const { id, input, expected } of vectorsOf<CallInput | SignInInput, AuthExpected>('view_auth')) {
  test(`texts and signatures follow vector ${id}`, async () => {
    const text =
      'authn_param' in input
        ? signInMessage(input.authn_param)
        : callMessageSync(input.namespace, input.action, decodeHex(input.payload_hex), input.challenge_hex)
    expect(text).toBe(expected.signed_text)
    const signature = expected.params?.signature ?? expected.authn_params?.signature.sig
    expect(encodeBase64(await wallet.signMessage(text))).toBe(signature)
  })
}

describe('a sign-in without a statement', () => {
  test('writes an empty line in its place', () => {
    const { statement: _, ...request } = {
      nonce: 'n',
      statement: '',
      issue_at: 'i',
      expiration_time: 'e',
      chain_id: 'c',
      domain: 'd',
      version: '1',
      uri: 'u',
    }
    expect(signInMessage(request)).toMatch(/^d wants you to sign in with your account:\n\n\nURI: u\nVersion: 1\n/)
  })
})

test('a capture of the chain’s information is the request this client sends', async () => {
  const bodies: unknown[] = []
  const client = createClient({
    endpoint: 'http://node.test',
    platform: {
      fetch: async (url, init) => {
        bodies.push([url, JSON.parse(String(init.body))])
        return Response.json({ jsonrpc: '2.0', id: 1, result: { chain_id: 'c', gas: false } })
      },
      sleep: async () => undefined,
      now: () => 0,
      deadline: () => new AbortController().signal,
      log: () => undefined,
    },
  })
  await client.chain()
  expect(bodies).toEqual([
    ['http://node.test/rpc/v1', { jsonrpc: '2.0', id: 1, method: 'user.chain_info', params: {} }],
  ])
})
