/** NodeObject: the ledger on disk, restarts, interval blocks, and broadcasts that wait. */

import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { LedgerStore } from '#devnode/ports.ts'
import { addClaim, findEpoch, putOpenEpoch } from '#devnode/state/epochs.ts'
import type { StreamnetEnv } from '#objects/streamnet/env.ts'
import { type NodeAnswer, NodeObject } from '#objects/streamnet/node.ts'
import { sqliteLedgerStore } from '#objects/streamnet/storage/node.ts'
import { encodeActionExecution } from '#streamnet/codec/payload.ts'
import { toTypedValue } from '#streamnet/codec/value.ts'
import { transactionToJson } from '#streamnet/rpc/transaction-json.ts'
import { createSyncSigner, transactionMessageSync } from '#streamnet/signing/sync-signer.ts'
import type { ActionArg, UnsignedTransaction } from '#streamnet/types.ts'
import { ledgerStoreContract } from '../../contracts/ledger-store.ts'

// The pool gives the bindings of wrangler.toml, which are these.
const bindings = env as unknown as StreamnetEnv
const signer = createSyncSigner('7'.padStart(64, '0'))

let made = 0
/** Names a new node and gives a fresh stub of it at each call, because a stub does not survive its object. */
function newNode(): () => DurableObjectStub<NodeObject> {
  made += 1
  const name = `node test ${made}`
  return () => bindings.NODE.getByName(name)
}

/** The ports of a node, of its object or of a stub of it. */
interface Ports {
  rpc(text: string, caller: 'gateway'): Promise<Pick<NodeAnswer, 'text'>>
  adminRpc(text: string): Promise<Pick<NodeAnswer, 'text'>>
}

async function rpc(node: Ports, method: string, params: object = {}) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const isOperators = method.startsWith('dev.')
  const { text } = await (isOperators ? node.adminRpc(body) : node.rpc(body, 'gateway'))
  return JSON.parse(text)
}

/** Writes to the ledger of a node that is then opened anew: an open one reads what it has written from memory. */
async function writeWhileClosed(node: DurableObjectStub<NodeObject>, write: (store: LedgerStore) => void) {
  await runInDurableObject(node, (_, state) => write(sqliteLedgerStore(state.storage)))
  await abortAllDurableObjects()
}

function sign(nonce: number, action: string, args: readonly ActionArg[], wallet = signer) {
  const unsigned: UnsignedTransaction = {
    description: '',
    payload: encodeActionExecution({ namespace: '', action, calls: [args.map(toTypedValue)] }),
    payloadType: 'execute',
    fee: 0n,
    nonce,
    chainId: 'sluice-dev',
    sender: wallet.address,
  }
  return transactionToJson({ ...unsigned, signature: wallet.signMessage(transactionMessageSync(unsigned)) })
}

afterEach(() => void vi.useRealTimers())

ledgerStoreContract('SQLite', (body) =>
  runInDurableObject(newNode()(), (_, state) => {
    state.storage.sql.exec('DELETE FROM ledger')
    body(sqliteLedgerStore(state.storage))
  }),
)

describe('NodeObject.rpc()', () => {
  it('keeps every block that it has announced through a restart', async () => {
    const node = newNode()
    const answer = await rpc(node(), 'user.broadcast', {
      tx: sign(1, 'create_stream', [`st${'a'.repeat(30)}`, 'primitive']),
    })
    const { tx_hash } = answer.result
    const before = await rpc(node(), 'user.tx_query', { tx_hash })
    expect(before.result.height).toBe(2)
    await abortAllDurableObjects()
    expect(await rpc(node(), 'user.tx_query', { tx_hash })).toEqual(before)
    expect((await rpc(node(), 'user.health')).result.height).toBe(2)
  })

  it('refuses development methods unless the node is marked for them', async () => {
    const node = newNode()
    const { error } = await rpc(node(), 'dev.mine', { blocks: 1 })
    expect(error).toMatchObject({ code: -32601, message: expect.stringContaining('not marked as a development node') })
    expect((await rpc(node(), 'user.health')).result.height).toBe(1)
  })

  it('answers a broadcast that waits when its block is made', async () => {
    const node = newNode()
    await writeWhileClosed(node(), (store) => {
      store.put('control-mining', '{"kind":"interval","intervalMs":60000}')
    })
    const id = { identifier: signer.address.slice(2), key_type: 'secp256k1' }
    const waiting = rpc(node(), 'user.broadcast', { tx: sign(1, 'create_stream', ['bad', 'primitive']), sync: 1 })
    // Two calls may overtake each other, and then the second nonce is wrong.
    await vi.waitFor(async () => expect((await rpc(node(), 'user.account', { id, status: 1 })).result.nonce).toBe(1), {
      timeout: 120_000,
    })
    const second = await rpc(node(), 'user.broadcast', { tx: sign(2, 'create_stream', ['bad', 'primitive']) })
    expect((await rpc(node(), 'user.tx_query', { tx_hash: second.result.tx_hash })).result.height).toBe(-1)
    expect(await runDurableObjectAlarm(node())).toBe(true)
    const { result } = await waiting
    expect(result.result).toMatchObject({ code: 65535, log: expect.stringContaining('network_writer') })
    expect((await rpc(node(), 'user.health')).result.height).toBe(2)
    expect((await rpc(node(), 'user.account', { id, status: 0 })).result.nonce).toBe(2)
  })

  it('answers a broadcast when its block is made, though an earlier one of the same hash has timed out', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await runInDurableObject(newNode()(), async (_, state) => {
      const development = { ...bindings, STREAMNET_DEVELOPMENT: 'true' }
      const node = new NodeObject(state, development)
      await rpc(node, 'dev.setAutomine', { enabled: false })
      const { result } = await rpc(node, 'dev.snapshot')
      const answers: string[] = []
      const broadcast = async (name: string) => {
        const answer = await rpc(node, 'user.broadcast', {
          tx: sign(1, 'create_stream', ['bad', 'primitive']),
          sync: 1,
        })
        answers.push(`${name}: ${answer.error?.data.code ?? 'in a block'}`)
      }
      void broadcast('first')
      await vi.advanceTimersByTimeAsync(10_000)
      await rpc(node, 'dev.revert', { snapshot: result.snapshot })
      void broadcast('second')
      await vi.advanceTimersByTimeAsync(10_000)
      expect(answers).toEqual(['first: 10'])
      await rpc(node, 'dev.mine')
      await vi.advanceTimersByTimeAsync(0)
      expect(answers).toEqual(['first: 10', 'second: in a block'])
    })
  })

  it('keeps waiting transactions through a restart, and makes their block afterwards', async () => {
    const node = newNode()
    await writeWhileClosed(node(), (store) => {
      store.put('control-mining', '{"kind":"interval","intervalMs":60000}')
    })
    const { result } = await rpc(node(), 'user.broadcast', { tx: sign(1, 'create_stream', ['bad', 'primitive']) })
    await abortAllDurableObjects()
    expect((await rpc(node(), 'user.tx_query', { tx_hash: result.tx_hash })).result.height).toBe(-1)
    expect(await runDurableObjectAlarm(node())).toBe(true)
    expect((await rpc(node(), 'user.tx_query', { tx_hash: result.tx_hash })).result.height).toBe(2)
  })
})

describe('NodeObject.rpc() of transactions that arrive together', () => {
  const wallets = Array.from({ length: 40 }, (_, at) => createSyncSigner((0x2000 + at).toString(16).padStart(64, '0')))
  const broadcast = (node: DurableObjectStub<NodeObject>, wallet: (typeof wallets)[number]) =>
    rpc(node, 'user.broadcast', { tx: sign(1, 'create_stream', ['bad', 'primitive'], wallet) })

  it('gives each a block, and keeps them all through a restart', async () => {
    const node = newNode()
    const stub = node()
    const answers = await Promise.all(wallets.map((wallet) => broadcast(stub, wallet)))
    await abortAllDurableObjects()
    const heights = []
    for (const { result } of answers) {
      heights.push((await rpc(node(), 'user.tx_query', { tx_hash: result.tx_hash })).result.height)
    }
    expect(heights.sort((left, right) => left - right)).toEqual(wallets.map((_, at) => at + 2))
  })

  it('keeps all but the one that cannot be written, of which nothing is left', async () => {
    const node = newNode()
    const [lost, ...kept] = wallets.slice(0, 5)
    await runInDurableObject(node(), (_, state) => {
      state.storage.sql.exec(`CREATE TRIGGER full BEFORE INSERT ON ledger WHEN NEW.key = 'account/${lost?.address}'
        BEGIN SELECT RAISE(ABORT, 'this row has no room'); END`)
    })
    const stub = node()
    const answers = await Promise.allSettled(wallets.slice(0, 5).map((wallet) => broadcast(stub, wallet)))
    expect(answers.map(({ status }) => status)).toEqual(['rejected', ...kept.map(() => 'fulfilled')])
    const nonceOf = async (wallet: (typeof wallets)[number] | undefined) => {
      const id = { identifier: wallet?.address.slice(2), key_type: 'secp256k1' }
      return (await rpc(node(), 'user.account', { id, status: 1 })).result.nonce
    }
    for (const isNew of [false, true]) {
      if (isNew) await abortAllDurableObjects()
      expect((await rpc(node(), 'user.health')).result.height).toBe(5)
      expect(await nonceOf(lost)).toBe(0)
      for (const wallet of kept) expect(await nonceOf(wallet)).toBe(1)
    }
  })
})

describe('NodeObject.alarm()', () => {
  it('ends an epoch with withdrawals when its ten minutes are over, without a transaction', async () => {
    const node = newNode()
    await writeWhileClosed(node(), (store) => {
      putOpenEpoch(store, 'hoodi_tt2', { start: 1, startTime: Math.floor(Date.now() / 1000) - 600 })
      addClaim(store, 'hoodi_tt2', 1, { recipient: signer.address, amount: 5n })
    })
    // A request that writes has the node look at what comes next.
    await rpc(node(), 'user.challenge')
    // The block that ends it, and the one that its vote would be in.
    await expect.poll(async () => (await rpc(node(), 'user.health')).result.height).toBe(3)
    await runInDurableObject(node(), async (_, state) => {
      expect(await state.storage.getAlarm()).toBeNull()
      expect(findEpoch(sqliteLedgerStore(state.storage), 'hoodi_tt2', 1)?.endHeight).toBe(2)
    })
  })
})
