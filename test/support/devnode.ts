/** A development node in memory, and the few calls that tests make of it. */

import { encodeBase64 } from '#base/base64.ts'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { createMemoryStore } from '#devnode/memory/store.ts'
import { type Node, openNode } from '#devnode/node.ts'
import { openLedger } from '#devnode/open-ledger.ts'
import type { LedgerStore } from '#devnode/ports.ts'
import { profiles } from '#devnode/profiles.ts'
import { adminMethods, handleRpc, type MethodTable, publicMethods } from '#devnode/rpc.ts'
import type { NodeSettings } from '#devnode/settings.ts'
import { encodeActionCall, encodeActionExecution } from '#streamnet/codec/payload.ts'
import { toTypedValue } from '#streamnet/codec/value.ts'
import { decodeCell } from '#streamnet/rpc/cell.ts'
import type { QueryResultJson, RpcResponse } from '#streamnet/rpc/methods.ts'
import { transactionToJson } from '#streamnet/rpc/transaction-json.ts'
import { createSyncSigner, type SyncSigner, transactionMessageSync } from '#streamnet/signing/sync-signer.ts'
import type { ActionArg, Scalar, SignedTransaction, UnsignedTransaction } from '#streamnet/types.ts'

/** Public throw-away keys: the one that may do everything, one that may nothing yet, and the operator's. */
export const keys = {
  owner: createSyncSigner('1'.padStart(64, '0')),
  stranger: createSyncSigner('ab'.repeat(32)),
  operator: createSyncSigner('2'.padStart(64, '0')),
} as const

/** Settings of a node for tests. */
export const testSettings: NodeSettings = {
  chainId: 'test-chain',
  profile: profiles.seed,
  isDevelopment: true,
  mode: 'open',
  access: 'open',
  keptBodyBytes: 64_000_000,
  maxReadRows: 100_000,
  maxStoreBytes: 1_000_000_000,
  hasGas: false,
  operator: keys.operator.address,
  nodeKey: '2'.padStart(64, '0'),
  settlesMarkets: true,
  agentActivationHeight: 1,
  managers: [keys.owner.address],
  writers: [keys.owner.address],
  hasLocalStreams: true,
  requiresLocalSignature: false,
  replayWindowMs: 60_000,
}

/** A node that a test talks to. */
export interface TestNode {
  readonly store: LedgerStore
  /** The platform's clock in UNIX milliseconds; tests move it. */
  nowMs: number
  /** Changes the ledger as one request does. */
  transact<T>(run: (node: Node) => T): T
  /** As `send`, to the operator's port. */
  sendAdmin(text: string): { readonly status: number; readonly body: RpcResponse } | 'cut' | 'wait'
  /** Sends text, gives the status and the body; a broken connection and a wait have their names. */
  send(text: string): { readonly status: number; readonly body: RpcResponse } | 'cut' | 'wait'
  /** As `send`, to the methods of a caller. */
  sendTo(methods: MethodTable, text: string): ReturnType<TestNode['send']>
  /** Calls a method and gives its result. @throws Error with code and text of a refusal. */
  rpc(method: string, params?: object): unknown
  /** Signs and broadcasts an action; gives code and log of its block, or throws as `rpc` does. */
  execute(
    signer: SyncSigner,
    action: string,
    ...calls: readonly (readonly ActionArg[])[]
  ): { code: number; log: string; hash: string }
  /** As `execute`, and fails the test when the transaction does. */
  must(signer: SyncSigner, action: string, ...args: readonly ActionArg[]): { hash: string }
  /** Calls a view and gives rows of typed cells; the error of an action is thrown as its text. */
  view(action: string, args: readonly ActionArg[], caller?: SyncSigner): readonly (readonly unknown[])[]
  /** Calls a view and gives the whole answer. */
  call(action: string, args: readonly ActionArg[], caller?: SyncSigner): CallAnswer
}

/** The other signature of the same key over the same digest: the order minus s, and the recovery byte turned. */
export function malleate(signature: Uint8Array): Uint8Array {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const s = order - BigInt(`0x${encodeHex(signature.subarray(32, 64))}`)
  const turned = (signature[64] ?? 0) >= 27 ? 55 - (signature[64] ?? 0) : 1 - (signature[64] ?? 0)
  return Uint8Array.from([...signature.subarray(0, 32), ...decodeHex(s.toString(16).padStart(64, '0')), turned])
}

/** The result of `user.call`. */
export interface CallAnswer {
  readonly query_result: QueryResultJson
  readonly logs: string
  readonly error: string | null
}

/** Starts a node on an empty ledger. */
export function startTestNode(overrides: Partial<NodeSettings> = {}): TestNode {
  const settings = { ...testSettings, ...overrides }
  const { store, transact } = openLedger(createMemoryStore(), (run) => run())
  let nextId = 1
  const answer = (methods: MethodTable, text: string) => {
    const outcome = node.transact((inner) =>
      handleRpc({ node: inner, randomHex: () => 'c0'.repeat(32) }, methods, text),
    )
    return outcome.kind === 'answer' ? outcome : outcome.kind
  }
  const node: TestNode = {
    store,
    nowMs: 1_760_000_000_000,
    transact: (run) => transact((store) => run({ store, settings, nowMs: node.nowMs })),
    send: (text) => answer(publicMethods, text),
    sendAdmin: (text) => answer(adminMethods, text),
    sendTo: answer,
    rpc(method, params = {}) {
      const send = method.startsWith('dev.') ? node.sendAdmin : node.send
      const answer = send(JSON.stringify({ jsonrpc: '2.0', id: nextId++, method, params }))
      if (typeof answer === 'string') throw new Error(answer)
      if ('error' in answer.body) {
        const { code, message, data } = answer.body.error
        throw new Error(`${code} ${message} ${JSON.stringify(data ?? null)}`)
      }
      return answer.body.result
    },
    execute(signer, action, ...calls) {
      const transaction = signTransaction(signer, {
        chainId: settings.chainId,
        nonce: nextNonce(node, signer),
        payload: encodeActionExecution({ namespace: '', action, calls: calls.map((args) => args.map(toTypedValue)) }),
      })
      const { tx_hash } = broadcast(node, transaction)
      const { tx_result } = node.rpc('user.tx_query', { tx_hash }) as { tx_result: { code: number; log: string } }
      return { code: tx_result.code, log: tx_result.log, hash: tx_hash }
    },
    must(signer, action, ...args) {
      const { code, log, hash } = node.execute(signer, action, args)
      if (code !== 0) throw new Error(`${action} failed: ${log}`)
      return { hash }
    },
    call(action, args, caller) {
      const payload = encodeActionCall({ namespace: '', action, args: args.map(toTypedValue) })
      return node.rpc('user.call', {
        body: { payload: encodeBase64(payload), challenge: null },
        auth_type: 'secp256k1_ep',
        sender: caller?.address.slice(2) ?? '',
        signature: null,
      }) as CallAnswer
    },
    view(action, args, caller) {
      const { query_result, error } = node.call(action, args, caller)
      if (error !== null) throw new Error(error)
      const types = query_result.column_types ?? []
      return (query_result.values ?? []).map((row) =>
        row.map((cell, index) => {
          const type = types[index]
          if (type === undefined) throw new Error('a cell has no column')
          return decodeCell(cell, type) as Scalar
        }),
      )
    },
  }
  node.transact(openNode)
  return node
}

/** Broadcasts a transaction; gives the result, or throws as `rpc` does. */
export function broadcast(node: TestNode, transaction: SignedTransaction): { readonly tx_hash: string } {
  return node.rpc('user.broadcast', { tx: transactionToJson(transaction) }) as { readonly tx_hash: string }
}

/** Calls a view and gives its rows, the cells by the names of their columns. */
export function namedRows(
  node: TestNode,
  action: string,
  args: readonly ActionArg[],
): readonly Readonly<Record<string, unknown>>[] {
  const names = node.call(action, args).query_result.column_names ?? []
  return node.view(action, args).map((row) => Object.fromEntries(row.map((cell, at) => [names[at], cell])))
}

/** Everything that a node keeps, as text, to see that a refusal has changed nothing. */
export function dumpState(node: TestNode): string {
  return JSON.stringify(node.rpc('dev.dumpState'))
}

/** The payload of a transaction that calls an action once. */
export function executionPayload(action: string, ...args: readonly ActionArg[]): Uint8Array {
  return encodeActionExecution({ namespace: '', action, calls: [args.map(toTypedValue)] })
}

/** The nonce a signer's next transaction needs, those that wait included. */
export function nextNonce(node: TestNode, signer: SyncSigner): number {
  const id = { identifier: signer.address.slice(2), key_type: 'secp256k1' }
  const account = node.rpc('user.account', { id, status: 1 }) as { nonce: number }
  return account.nonce + 1
}

/** Fills in and signs a transaction. */
export function signTransaction(
  signer: SyncSigner,
  fields: Pick<UnsignedTransaction, 'chainId' | 'nonce' | 'payload'> & Partial<UnsignedTransaction>,
): SignedTransaction {
  const unsigned: UnsignedTransaction = {
    description: '',
    payloadType: 'execute',
    fee: 0n,
    sender: signer.address,
    ...fields,
  }
  return { ...unsigned, signature: signer.signMessage(transactionMessageSync(unsigned)) }
}

/** A transaction of about so many bytes that fails in its block. */
export function failingTransaction(nonce: number, bytes: number): SignedTransaction {
  const payload = executionPayload('no_such_action', 'x'.repeat(bytes))
  return signTransaction(keys.stranger, { chainId: testSettings.chainId, nonce, payload })
}
