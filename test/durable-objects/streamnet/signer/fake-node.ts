/** A signer inside its object over a node that answers as a test says. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { StreamnetEnv } from '#objects/streamnet/env.ts'
import { SignerObject } from '#objects/streamnet/signer.ts'
import { generateStreamId } from '#streamnet/index.ts'
import type { TransactionJson } from '#streamnet/rpc/methods.ts'
import { transactionFromJson } from '#streamnet/rpc/transaction-json.ts'
import { hashTransactionSync } from '#streamnet/signing/sync-signer.ts'

// The pool gives the bindings of wrangler.toml, which are these.
const bindings = env as unknown as StreamnetEnv

/** The key that signers sign with. */
export const signingKey = '5e'.repeat(32)

/** A stream to write to. */
export const streamId = generateStreamId('signed')

/** A write that deploys a stream and does not wait for its block. */
export function deploy(name: string, idempotencyKey?: string) {
  return { operation: 'deploy_stream', params: { streamId: generateStreamId(name), wait: false }, idempotencyKey }
}

/** A job that inserts records into the stream. */
export function newJob(records: number) {
  const inputs = Array.from({ length: records }, (_, index) => ({ date: index + 1, value: '1' }))
  return { batches: [{ streamId, inputs }], options: {}, who: 'test', areas: [] }
}

/** The result of a write, which must have succeeded. */
export function resultOf(outcome: { readonly ok: boolean }) {
  if (!('result' in outcome)) throw new Error(JSON.stringify(outcome))
  return JSON.parse(String(outcome.result))
}

/** The scopes of a token that may do everything. */
export const everything = [{ verb: 'write', area: '*' }] as const

/** The outcome of the next broadcast. */
export type Fate = 'accepted' | 'accepted, answer lost' | 'lost' | 'never answered' | 'pool full'

/** A node that takes no nonce but the next, and answers as a test says. */
export function createFakeNode() {
  const accepted: TransactionJson[] = []
  const found = new Map<string, TransactionJson>()
  const node = {
    accepted,
    /** Consumed one a broadcast; `accepted` when empty. */
    fates: [] as Fate[],
    /** Called before each broadcast is looked at. */
    onBroadcast: async () => undefined as unknown,
    isSilent: false,
    /** The height of transactions that were accepted; -1 while they are in no block. */
    height: 1,
    /** The codes of transactions in their blocks, by nonce; 0 where it is not here. */
    codes: new Map<number | null, number>(),
    /** Called before each transaction is looked for. */
    onQuery: () => undefined as unknown,
    /** Methods that a gateway of the network has no node for at the moment. */
    unserved: [] as string[],
    nonces: () => accepted.map(({ body }) => body.nonce),
  }
  const accept = (tx: TransactionJson) => {
    accepted.push(tx)
    found.set(hashTransactionSync(transactionFromJson(tx)), tx)
  }
  async function broadcast(tx: TransactionJson) {
    await node.onBroadcast()
    const fate = node.fates.shift() ?? 'accepted'
    if (fate === 'lost') throw new TypeError('Network connection lost')
    if (fate === 'never answered') return new Promise<never>(() => undefined)
    const hash = hashTransactionSync(transactionFromJson(tx))
    if (fate === 'pool full') return refuse(11, 'mempool is full', hash)
    const expected = accepted.length + 1
    if (tx.body.nonce !== expected) {
      return refuse(4, `invalid nonce for account x: got ${tx.body.nonce}, expected ${expected}`, hash)
    }
    accept(tx)
    if (fate === 'accepted, answer lost') throw new TypeError('Network connection lost')
    return { result: { tx_hash: hash } }
  }
  const refuse = (code: number, message: string, hash: string) => ({
    error: { code: -201, message: 'broadcast error', data: { code, hash, message } },
  })
  const methods: Readonly<Record<string, (params: never) => unknown>> = {
    'user.chain_info': () => ({
      result: { chain_id: 'fake', block_height: 1, block_hash: '00'.repeat(32), gas: false },
    }),
    'user.account': () => ({ result: { balance: '0', nonce: accepted.length } }),
    'user.broadcast': ({ tx }: { tx: TransactionJson }) => broadcast(tx),
    'user.tx_query': ({ tx_hash: hash }: { tx_hash: string }) =>
      found.has(hash)
        ? {
            result: {
              tx_hash: hash,
              height: node.height,
              tx: found.get(hash),
              tx_result: { code: node.codes.get(found.get(hash)?.body.nonce ?? 0) ?? 0, gas: 0, log: '', events: [] },
            },
          }
        : { error: { code: -202, message: 'transaction not found' } },
  }
  const namespace = {
    getByName: () => ({
      async rpc(text: string) {
        if (node.isSilent) throw new TypeError('Network connection lost')
        const { id, method, params } = JSON.parse(text)
        if (method === 'user.tx_query') node.onQuery()
        if (node.unserved.includes(method)) return { status: 503, text: 'no available backend', isCut: false }
        const answer = (await methods[method]?.(params as never)) as object
        return { status: 200, text: JSON.stringify({ jsonrpc: '2.0', id, ...answer }), isCut: false }
      },
    }),
  }
  // The few members of a namespace that the object uses.
  return {
    node,
    environment: { ...bindings, STREAMNET_PRIVATE_KEY: signingKey, NODE: namespace } as unknown as StreamnetEnv,
  }
}

/** Runs a test inside an object's storage; `open` makes the object anew over it, as after an eviction. */
export async function inSigner(
  body: (
    open: () => SignerObject,
    node: ReturnType<typeof createFakeNode>['node'],
    state: DurableObjectState,
  ) => Promise<void>,
): Promise<void> {
  await runInDurableObject(bindings.SIGNER.getByName(`signer test ${crypto.randomUUID()}`), async (_, state) => {
    const { node, environment } = createFakeNode()
    await body(() => new SignerObject(state, environment), node, state)
  })
}
