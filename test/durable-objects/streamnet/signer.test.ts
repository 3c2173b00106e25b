/** SignerObject: nonces in order, idempotency keys through crashes, jobs that go on. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import type { StreamnetEnv } from '#objects/streamnet/env.ts'
import { SignerObject } from '#objects/streamnet/signer.ts'
import { createSigner, generateStreamId } from '#streamnet/index.ts'
import type { TransactionJson } from '#streamnet/rpc/methods.ts'
import { transactionFromJson } from '#streamnet/rpc/transaction-json.ts'
import { hashTransactionSync } from '#streamnet/signing/sync-signer.ts'

// The pool gives the bindings of wrangler.toml, which are these.
const bindings = env as unknown as StreamnetEnv
const key = '5e'.repeat(32)
const streamId = generateStreamId('signed')
const deploy = (name: string, idempotencyKey?: string) => ({
  operation: 'deploy_stream',
  params: { streamId: generateStreamId(name), wait: false },
  idempotencyKey,
})

/** The outcome of the next broadcast. */
type Fate = 'accepted' | 'accepted, answer lost' | 'lost' | 'never answered' | 'pool full'

/** A node that takes no nonce but the next, and answers as a test says. */
function createFakeNode() {
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
              tx_result: { code: 0, gas: 0, log: '', events: [] },
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
  return { node, environment: { ...bindings, STREAMNET_PRIVATE_KEY: key, NODE: namespace } as unknown as StreamnetEnv }
}

let made = 0
/** Runs a test inside an object's storage; `open` makes the object anew over it, as after an eviction. */
async function inSigner(
  body: (
    open: () => SignerObject,
    node: ReturnType<typeof createFakeNode>['node'],
    state: DurableObjectState,
  ) => Promise<void>,
): Promise<void> {
  made += 1
  await runInDurableObject(bindings.SIGNER.getByName(`signer test ${made}`), async (_, state) => {
    const { node, environment } = createFakeNode()
    await body(() => new SignerObject(state, environment), node, state)
  })
}

const resultOf = (outcome: { readonly ok: boolean }): string => {
  if (!('result' in outcome)) throw new Error(JSON.stringify(outcome))
  return JSON.parse(String(outcome.result))
}

describe('SignerObject.write()', () => {
  it('gives fifty writes at once the nonces 1 to 50, in the order they came', async () => {
    await inSigner(async (open, node) => {
      const signer = open()
      const outcomes = await Promise.all(Array.from({ length: 50 }, (_, index) => signer.write(deploy(`w${index}`))))
      expect(node.nonces()).toEqual(Array.from({ length: 50 }, (_, index) => index + 1))
      expect(outcomes.map(resultOf)).toEqual(node.accepted.map((tx) => hashTransactionSync(transactionFromJson(tx))))
      const [first] = node.accepted
      expect(first?.sender).toBe(createSigner(key).address.slice(2))
    })
  })

  it('lets a failed write not stop the next, and corrects a number that another program has used', async () => {
    await inSigner(async (open, node) => {
      const signer = open()
      node.fates = ['accepted', 'pool full', 'accepted']
      const outcomes = await Promise.all(['a', 'b', 'c'].map((name) => signer.write(deploy(name))))
      expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, true])
      expect(node.nonces()).toEqual([1, 2])
      // A transaction of the same key from elsewhere.
      const [other] = node.accepted
      if (other) node.accepted.push(other)
      expect((await signer.write(deploy('d'))).ok).toBe(true)
      expect(node.nonces().at(-1)).toBe(4)
    })
  })

  it('refuses with the codes of the client, without the key', async () => {
    await inSigner(async (open, node) => {
      node.fates = ['pool full']
      const refused = await open().write(deploy('x'))
      expect(refused).toMatchObject({ ok: false, problem: { code: 'mempool_full' } })
      expect(JSON.stringify(refused)).not.toContain(key)
      expect(await open().write({ ...deploy('x'), operation: 'no_such' })).toMatchObject({
        problem: { code: 'unknown_operation' },
      })
    })
  })

  it('refuses to sign with another key than the one it has promised for', async () => {
    await inSigner(async (open, _, state) => {
      await open().write(deploy('x'))
      const { environment } = createFakeNode()
      const stranger = new SignerObject(state, { ...environment, STREAMNET_PRIVATE_KEY: '6f'.repeat(32) })
      expect(await stranger.write(deploy('y'))).toMatchObject({ problem: { code: 'key_missing' } })
    })
  })
})

describe('SignerObject.write() with an idempotency key', () => {
  it('makes one transaction of requests that come at once, later, or after an eviction', async () => {
    await inSigner(async (open, node) => {
      const signer = open()
      const together = await Promise.all(Array.from({ length: 10 }, () => signer.write(deploy('once', 'k'))))
      const later = await open().write(deploy('once', 'k'))
      expect(new Set([...together, later].map(resultOf)).size).toBe(1)
      expect(together.map(({ isReplay }) => isReplay)).toEqual([false, ...Array(9).fill(true)])
      expect(later.isReplay).toBe(true)
      expect(node.accepted).toHaveLength(1)
      expect(await open().write(deploy('other', 'k'))).toMatchObject({ problem: { code: 'idempotency_conflict' } })
    })
  })

  it('stopped after sending: the same bytes are found, and nothing is signed anew', async () => {
    await inSigner(async (open, node) => {
      node.fates = ['accepted', 'never answered']
      await open().write(deploy('before'))
      void open().write(deploy('cut off', 'k'))
      // The note is on disk before the broadcast leaves.
      await reached(() => node.fates.length === 0)
      const again = await open().write(deploy('cut off', 'k'))
      expect(again.ok).toBe(true)
      expect(node.nonces()).toEqual([1, 2])
      expect((await open().write(deploy('cut off', 'k'))).isReplay).toBe(true)
      expect(node.accepted).toHaveLength(2)
    })
  })

  it('an answer that got lost: the transaction is found by its hash', async () => {
    await inSigner(async (open, node) => {
      node.fates = ['accepted, answer lost']
      expect((await open().write(deploy('lost answer', 'k'))).ok).toBe(true)
      expect(node.accepted).toHaveLength(1)
    })
  })

  it('a transaction that got lost is sent again as it was; one whose nonce is gone is signed anew', async () => {
    await inSigner(async (open, node) => {
      node.fates = ['lost']
      expect(await open().write(deploy('lost', 'k'))).toMatchObject({ problem: { code: 'connection_lost' } })
      // Another client's transaction takes the number.
      expect((await open().write(deploy('other'))).ok).toBe(true)
      expect((await open().write(deploy('lost', 'k'))).ok).toBe(true)
      expect(node.nonces()).toEqual([1, 2])
    })
  })

  it('a transaction that was sent stays the one of its key when the wait for its block fails', async () => {
    await inSigner(async (open, node) => {
      const request = { ...deploy('waited for', 'k'), params: { streamId: generateStreamId('waited for') } }
      node.unserved = ['user.tx_query']
      expect(await open().write(request)).toMatchObject({ problem: { code: 'no_backend' } })
      expect(await open().write(request)).toMatchObject({ ok: false })
      node.unserved = []
      expect(await open().write(request)).toMatchObject({ ok: true, isReplay: true })
      expect(node.nonces()).toEqual([1])
    })
  })

  it('a transaction that may have arrived is not signed again while its outcome is unknown', async () => {
    await inSigner(async (open, node) => {
      node.fates = ['accepted, answer lost']
      node.unserved = ['user.tx_query']
      expect(await open().write(deploy('perhaps', 'k'))).toMatchObject({ problem: { code: 'connection_lost' } })
      // Its number is used up, by itself.
      expect(await open().write(deploy('perhaps', 'k'))).toMatchObject({ problem: { code: 'connection_lost' } })
      node.unserved = ['user.tx_query', 'user.broadcast']
      expect(await open().write(deploy('perhaps', 'k'))).toMatchObject({ problem: { code: 'no_backend' } })
      node.unserved = []
      expect(await open().write(deploy('perhaps', 'k'))).toMatchObject({ ok: true, isReplay: true })
      expect(node.nonces()).toEqual([1])
    })
  })

  it('waits for a block no longer when it looks for a transaction again than when it sends one', async () => {
    await inSigner(async (open, node) => {
      const request = (timeoutMs?: number) => ({
        ...deploy('waits', 'k'),
        params: { streamId: generateStreamId('waits'), ...(timeoutMs && { timeoutMs }) },
      })
      const clock = vi.spyOn(Date, 'now')
      let now = Date.now()
      clock.mockImplementation(() => now)
      node.height = -1
      node.onQuery = () => {
        now += 25_000
      }
      for (const attempt of [1, 2]) {
        const outcome = await open().write(request(100_000))
        expect([attempt, outcome]).toMatchObject([
          attempt,
          { problem: { code: 'timeout', message: expect.stringContaining('in no block after 60000 ms') } },
        ])
      }
      clock.mockRestore()
    })
  })

  it('forgets a refusal: the key may be used again', async () => {
    await inSigner(async (open, node) => {
      node.fates = ['pool full']
      expect((await open().write(deploy('full', 'k'))).ok).toBe(false)
      expect(await open().write(deploy('full', 'k'))).toMatchObject({ ok: true, isReplay: false })
    })
  })
})

const batches = (records: number) => [
  { streamId, inputs: Array.from({ length: records }, (_, index) => ({ date: index + 1, value: '1' })) },
]
const job = (records: number) => ({ batches: batches(records), options: {}, who: 'test', areas: [] })
const { address } = createSigner(key)
const everything = [{ verb: 'write', area: '*' }] as const
const idOf = (outcome: { readonly ok: boolean }): string => {
  if (!('result' in outcome)) throw new Error(JSON.stringify(outcome))
  return JSON.parse(String(outcome.result)).job_id
}

describe('SignerObject jobs', () => {
  it('check every row before they begin, and keep every digit of a date', async () => {
    await inSigner(async (open, node) => {
      const bad = [{ streamId: 'st1', inputs: [{ date: 1, value: '1' }] }]
      expect(await open().startJob({ ...job(1), batches: bad })).toMatchObject({
        problem: { code: 'invalid_argument' },
      })
      expect(await open().startJob({ ...job(1), options: { batchSize: 11 } })).toMatchObject({ ok: false })
      expect(open().jobs(everything, 10)).toEqual([])
      const big = [{ streamId, inputs: [{ date: 2n ** 53n - 1n, value: '1' }] }]
      await open().startJob({ ...job(1), batches: big })
      await open().alarm()
      expect(node.accepted).toHaveLength(1)
    })
  })

  it('go on where they were after an eviction in the middle of a broadcast', async () => {
    await inSigner(async (open, node) => {
      const id = idOf(await open().startJob(job(95)))
      node.fates = [...Array<Fate>(4).fill('accepted'), 'never answered']
      // The evicted object does not come back when its request is overdue.
      const deadlines = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal)
      void open().alarm()
      await reached(() => node.fates.length === 0)
      deadlines.mockRestore()
      expect(open().job(id)?.status).toMatchObject({ phase: 'running', chunks_done: 4 })
      await open().alarm()
      expect(open().job(id)?.status).toMatchObject({
        phase: 'done',
        rows_done: 95,
        chunks_confirmed: 10,
        problem: null,
      })
      expect(node.nonces()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
      expect(new Set(open().jobHashes(id, 0, 100)).size).toBe(10)
    })
  })

  it('share their key with writes: no nonce is used twice, none is left out', async () => {
    await inSigner(async (open, node) => {
      const signer = open()
      await signer.startJob(job(200))
      const working = signer.alarm()
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, (_, index) => signer.write(deploy(`between ${index}`))),
      )
      await working
      expect(outcomes.every(({ ok }) => ok)).toBe(true)
      expect(node.nonces()).toEqual(Array.from({ length: 30 }, (_, index) => index + 1))
    })
  })

  it('wait for a pool that is full, and say until when', async () => {
    await inSigner(async (open, node, state) => {
      const id = idOf(await open().startJob(job(10)))
      node.fates = ['pool full']
      await open().alarm()
      const waiting = open().job(id)?.status
      expect(waiting).toMatchObject({ phase: 'running', chunks_done: 0, retry_at: expect.any(Number) })
      expect(await state.storage.getAlarm()).toBe(waiting?.retry_at)
    })
  })

  it('outlast a node that does not answer, and fail only when the budget is spent', async () => {
    await inSigner(async (open, node) => {
      const id = idOf(await open().startJob(job(10)))
      node.isSilent = true
      await open().alarm()
      expect(open().job(id)?.status).toMatchObject({ phase: 'queued', retry_at: expect.any(Number) })
      const attempts = { ...job(10), options: { maxAttempts: 1 } }
      node.isSilent = false
      node.fates = ['pool full']
      await open().cancelJob(id)
      const second = idOf(await open().startJob(attempts))
      await open().alarm()
      expect(open().job(second)?.status).toMatchObject({
        phase: 'failed',
        failed_chunk_index: 0,
        problem: { code: 'bulk_insert_failed', message: expect.stringContaining('mempool is full') },
      })
      expect((await open().resumeJob(second)).ok).toBe(true)
      await open().alarm()
      expect(open().job(second)?.status.phase).toBe('done')
      expect(await open().resumeJob(second)).toMatchObject({ problem: { code: 'job_ended' } })
      expect(await open().cancelJob('none')).toMatchObject({ problem: { code: 'job_not_found' } })
    })
  })

  it('stop when they are cancelled; what is broadcast stays', async () => {
    await inSigner(async (open, node) => {
      const signer = open()
      const id = idOf(await signer.startJob(job(500)))
      node.onBroadcast = async () => {
        if (node.accepted.length === 5) await signer.cancelJob(id)
      }
      await signer.alarm()
      expect(signer.job(id)?.status.phase).toBe('cancelled')
      expect(node.accepted.length).toBeLessThanOrEqual(7)
    })
  })

  it('do not wait for the next attempt of one that is cancelled', async () => {
    await inSigner(async (open, node, state) => {
      const first = idOf(await open().startJob(job(10)))
      const second = idOf(await open().startJob(job(10)))
      node.fates = ['pool full']
      await open().alarm()
      expect(open().job(first)?.status.retry_at).not.toBeNull()
      // As after many attempts, between which the waits grow to hours.
      await state.storage.setAlarm(Date.now() + 7_200_000)
      await open().cancelJob(first)
      // None is set while one runs.
      expect((await state.storage.getAlarm()) ?? 0).toBeLessThan(Date.now() + 3_600_000)
      await open().alarm()
      expect(open().job(second)?.status.phase).toBe('done')
    })
  })

  it('refuse more than may wait', async () => {
    await inSigner(async (open) => {
      const signer = open()
      for (let index = 0; index < 100; index++) await signer.startJob(job(1))
      expect(await signer.startJob(job(1))).toMatchObject({ problem: { code: 'too_many' } })
      expect(signer.jobs(everything, 200)).toHaveLength(100)
    })
  })

  it('are listed to whose scopes cover their streams, however many others are newer', async () => {
    await inSigner(async (open) => {
      const signer = open()
      const mine = idOf(await signer.startJob({ ...job(1), areas: [`${address}/${streamId}`] }))
      for (let index = 0; index < 60; index++) await signer.startJob({ ...job(1), areas: ['0xother'] })
      const listed = signer.jobs([{ verb: 'write', area: address }], 50)
      expect(listed).toMatchObject([{ job_id: mine }])
      expect(signer.jobs([{ verb: 'read', area: '*' }], 50)).toEqual([])
      expect(signer.jobs(everything, 50)).toHaveLength(50)
    })
  })

  it('set an alarm when they are started', async () => {
    made += 1
    const stub = bindings.SIGNER.getByName(`signer test ${made}`)
    await runInDurableObject(stub, async (_, state) => {
      await new SignerObject(state, createFakeNode().environment).startJob(job(1))
      expect(await state.storage.getAlarm()).not.toBeNull()
      await state.storage.deleteAlarm()
      // Opened again without an alarm, as after a crash in the middle of one.
      new SignerObject(state, createFakeNode().environment)
      await reachedAsync(async () => (await state.storage.getAlarm()) !== null)
      await state.storage.deleteAlarm()
    })
  })
})

async function reached(isTrue: () => boolean): Promise<void> {
  await reachedAsync(async () => isTrue())
}

async function reachedAsync(isTrue: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 10_000; attempt++) {
    if (await isTrue()) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('it does not happen')
}

describe('SignerObject, idempotency keys', () => {
  it('are 20,000 at most, those of jobs among them; a new one is taken again once old ones are a day old', async () => {
    await inSigner(async (open, node, state) => {
      const signer = open()
      const batches = [{ streamId, inputs: [{ date: 1, value: '1' }] }]
      const job = { batches, options: {}, who: 'test', areas: [], idempotencyKey: 'of a job' }
      state.storage.sql.exec(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
         INSERT INTO writes (key, fingerprint, at) SELECT 'key ' || i, '', ? FROM n`,
        Date.now(),
      )
      const refusal = { ok: false, problem: { code: 'too_many' } }
      expect(await signer.write(deploy('bounded', 'of a write'))).toMatchObject(refusal)
      expect(await signer.startJob(job)).toMatchObject(refusal)
      expect([signer.jobs(everything, 200), node.accepted]).toEqual([[], []])
      state.storage.sql.exec("UPDATE writes SET at = 0 WHERE key = 'key 1' OR key = 'key 2'")
      expect(await signer.startJob(job)).toMatchObject({ ok: true, isReplay: false })
      expect(await signer.startJob(job)).toMatchObject({ ok: true, isReplay: true })
      expect(await signer.write(deploy('bounded', 'of a write'))).toMatchObject({ ok: true })
    })
  })
})
