import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { actions } from '#devnode/actions/catalogue.ts'
import { adminMethods, publicMethods } from '#devnode/rpc.ts'
import { encodeActionExecution } from '#streamnet/codec/payload.ts'
import { numeric, toTypedValue } from '#streamnet/codec/value.ts'
import { transactionToJson } from '#streamnet/rpc/transaction-json.ts'
import { hashTransactionSync } from '#streamnet/signing/sync-signer.ts'
import type { ActionArg } from '#streamnet/types.ts'
import { keys, signTransaction, startTestNode } from '../support/devnode.ts'
import { sweep } from '../support/sweep.ts'

/** JSON-RPC answers that are the node's own fault; none may ever be seen. */
const isOwnFault = (answer: unknown) => JSON.stringify(answer).includes('"code":-32603,"message":"internal')

const names = [...publicMethods.keys(), ...adminMethods.keys()].filter((name) => !/^dev\.(mine|dump|load)/.test(name))

describe('handleRpc()', () => {
  const node = startTestNode()

  test('answers any text without an internal error', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(isOwnFault(node.send(text))).toBe(false)
      }),
      { seed: 6, numRuns: sweep(200) },
    )
  })

  test('answers any parameters of any method without an internal error', () => {
    const known = fc.constantFrom(
      'tx',
      'tx_hash',
      'body',
      'sender',
      'id',
      'query',
      'params',
      'stream_id',
      'value',
      'event_time',
      'wallet',
    )
    const params = fc.dictionary(known, fc.jsonValue({ maxDepth: 3 }))
    fc.assert(
      fc.property(fc.constantFrom(...names), params, (method, params) => {
        const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
        expect(isOwnFault(node.send(text))).toBe(false)
        expect(isOwnFault(node.sendAdmin(text))).toBe(false)
      }),
      { seed: 6, numRuns: sweep(500) },
    )
  })

  test('takes any byte of a signed transaction for another, and lets none in that was not signed', () => {
    const payload = encodeActionExecution({ namespace: '', action: 'whoami', calls: [] })
    const transaction = signTransaction(keys.owner, { chainId: 'test-chain', nonce: 1, payload })
    const signed = transactionToJson(transaction)
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'user.broadcast', params: { tx: signed } })
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom(...'0aZ"{}:,9 /='), (at, character) => {
        fc.pre(text[at] !== character)
        const answer = startTestNode().send(text.slice(0, at) + character + text.slice(at + 1))
        expect(isOwnFault(answer)).toBe(false)
        // What is let in is the transaction that was signed: the request's id and white space are not part of it.
        const accepted = /"tx_hash":"(\w+)"/.exec(JSON.stringify(answer))?.[1]
        expect(accepted ?? hashTransactionSync(transaction)).toBe(hashTransactionSync(transaction))
      }),
      { seed: 6, numRuns: sweep(120) },
    )
  })
})

describe('invoke()', () => {
  const scalar: fc.Arbitrary<ActionArg> = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.boolean(),
    fc.constant(null),
    fc.constant(numeric('1.5')),
    fc.constantFrom(keys.owner.address, `st${'a'.repeat(30)}`, 'system', 'network_writer', 'created_at DESC'),
    fc.constant([keys.owner.address]),
    fc.constant([`st${'a'.repeat(30)}`]),
    fc.constant(['primitive']),
    fc.constant([1n, 2n]),
    fc.constant(numeric(['1', '0'])),
  )

  test('any action with any arguments succeeds or is refused, and leaves a node that goes on', () => {
    const node = startTestNode()
    fc.assert(
      fc.property(fc.constantFrom(...actions.keys()), fc.array(scalar, { maxLength: 8 }), (action, args) => {
        const { code, log } = node.execute(keys.owner, action, args.map(toTypedValue))
        expect(log).not.toContain('internal error')
        expect([0, 65535]).toContain(code)
      }),
      { seed: 6, numRuns: sweep(200) },
    )
    expect(node.rpc('user.health')).toMatchObject({ healthy: true, height: sweep(200) + 1 })
  })

  test('an argument of a megabyte is refused or kept, and the node goes on', () => {
    const node = startTestNode()
    const id = `st${'a'.repeat(30)}`
    node.must(keys.owner, 'create_stream', id, 'primitive')
    const insert = (key: string, value: string) =>
      node.execute(keys.owner, 'insert_metadata', [keys.owner.address, id, key, value, 'string'])
    const large = 'ü'.repeat(1_000_000)
    expect(() => insert('note', large)).toThrow('transaction has')
    expect(() => insert(large, 'note')).toThrow('transaction has')
    const fitting = 'ü'.repeat(900_000)
    expect(insert('note', fitting).code).toBe(0)
    expect(node.execute(keys.owner, 'delete_stream', [keys.owner.address, fitting]).log.length).toBeLessThanOrEqual(
      10_000,
    )
    node.must(keys.owner, 'insert_metadata', keys.owner.address, id, 'note', 'short', 'string')
  })
})
