import { describe, expect, test } from 'vitest'
import { transactionFromJson } from '#streamnet/rpc/transaction-json.ts'
import { hashTransactionSync } from '#streamnet/signing/sync-signer.ts'
import { keys, startTestNode, type TestNode } from '../support/devnode.ts'
import type { RpcRequest } from '../support/loopback-node.ts'
import { vectorsOf } from '../support/streams-vectors.ts'

interface Capture {
  readonly path: string
  readonly requests: readonly RpcRequest[]
}

const firstStream = `st${'1'.padStart(30, '0')}`
const ok = { code: 0, log: '' }
const failed = (text: string) => ({ code: 65535, log: expect.stringContaining(text) })

/** The end of the last request: a result, an error number, or the outcome of the transaction it broadcast. */
const expectations: Readonly<
  Record<string, { readonly result?: unknown; readonly error?: number; readonly outcome?: unknown }>
> = {
  chain_info: { result: { chain_id: 'testchain', gas: false } },
  // An identifier with 0x is a decoding error on the network too.
  account: { error: -32602 },
  tx_info: { error: -202 },
  select_query: { error: -300 },
  call_kgw: { result: { error: 'Market not found: 1' } },
  call_private: { result: { error: 'Market not found: 1' } },
  execute_positional: { outcome: ok },
  execute_positional_sync: { outcome: ok, result: { result: { code: 0, gas: 0, log: '', events: [] } } },
  exec_sql: { outcome: failed('raw statements are not supported') },
  sdk_get_record: { result: { error: null, logs: '' } },
  sdk_get_first_record: { result: { error: null, logs: '' } },
  sdk_set_taxonomy: { outcome: failed('duplicate key value violates unique constraint "tax_child_unique_idx"') },
  sdk_list_streams: { result: { error: null, query_result: { values: expect.arrayContaining([expect.anything()]) } } },
  sdk_set_read_vis: { outcome: ok },
  sdk_grant: { outcome: ok },
  sdk_transfer: { outcome: ok },
  sdk_bridge: { outcome: ok },
  sdk_buy: { outcome: failed('ERROR: Market does not exist (query_id: 1)') },
}

/** A node where the captured requests expect to be: six transactions of the owner have been. */
function nodeBeforeCapture(operation: string): TestNode {
  const mode = operation === 'call_private' ? 'private' : 'open'
  const node = startTestNode({ chainId: 'testchain', mode })
  const ids = ['a', 'b', 'c', 'd', 'e'].map((letter) => `st${letter.repeat(30)}`)
  const first = operation.startsWith('execute_') ? `st${'f'.repeat(30)}` : firstStream
  node.must(keys.owner, 'create_stream', first, operation === 'sdk_set_taxonomy' ? 'composed' : 'primitive')
  node.rpc('dev.setBalance', { bridge: 'eth_truf', wallet: keys.owner.address, amount: `${10n ** 20n}` })
  for (const id of ids) node.must(keys.owner, 'create_stream', id, 'primitive')
  return node
}

describe('requests of the official client, as they were captured', () => {
  for (const { id, expected } of vectorsOf<{ operation: string }, Capture>('rpc_capture')) {
    test(id, () => {
      const operation = id.slice('rpc_capture/'.length)
      const wanted = expectations[operation]
      expect(wanted, 'the test has no expectation for this capture').toBeDefined()
      const node = nodeBeforeCapture(operation)
      const answers = expected.requests.map((request) => node.send(JSON.stringify(request)))
      const last = answers.at(-1)
      if (last === undefined || typeof last === 'string') throw new Error('there is no answer')
      expect(last.body.id).toBe(expected.requests.at(-1)?.id)
      if (wanted?.error !== undefined) expect(last.body).toMatchObject({ error: { code: wanted.error } })
      if (wanted?.result !== undefined) expect(last.body).toMatchObject({ result: wanted.result })
      if (wanted?.outcome === undefined) return
      const { tx } = (expected.requests.at(-1)?.params ?? {}) as { tx?: unknown }
      const tx_hash = hashTransactionSync(transactionFromJson(tx))
      expect(last.body).toMatchObject({ result: { tx_hash } })
      expect(node.rpc('user.tx_query', { tx_hash })).toMatchObject({ height: 8, tx_result: wanted.outcome })
    })
  }

  test('the price of every captured transaction can be asked without a signature', () => {
    const node = startTestNode({ chainId: 'testchain' })
    const estimates = vectorsOf<unknown, Capture>('rpc_capture')
      .flatMap(({ expected }) => expected.requests)
      .filter(({ method }) => method === 'user.estimate_price')
    expect(estimates.length).toBeGreaterThan(5)
    for (const { params } of estimates) expect(node.rpc('user.estimate_price', params)).toEqual({ price: '0' })
  })
})
