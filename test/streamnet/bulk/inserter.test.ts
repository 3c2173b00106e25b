import { describe, expect, test } from 'vitest'
import { delayAfter } from '#base/retry.ts'
import { BulkInserter, type BulkInserterOptions, computeProgress, progressLine } from '#streamnet/bulk-inserter.ts'
import { type BulkState, isBulkDone, planChunks, resumeBulk, startBulk, stepBulk } from '#streamnet/bulk-job.ts'
import { bulkDefaults, parseBulkOptions, retryBudget, retryClass } from '#streamnet/bulk-options.ts'
import { createClient } from '#streamnet/client.ts'
import { fromRpcError } from '#streamnet/rpc/errors.ts'
import { createSigner } from '#streamnet/signing/signer.ts'
import type { TypedValue } from '#streamnet/types.ts'
import { createLoopbackNode, type Failure } from '../support/loopback-node.ts'
import { vectorsOf } from '../support/streams-vectors.ts'

const key = '11'.repeat(32)
const ids = [`st${'0'.repeat(30)}`, `st${'1'.repeat(30)}`]
const batch = (streamId: string, count: number) => ({
  streamId,
  inputs: Array.from({ length: count }, (_, date) => ({ date, value: `${date}.5` })),
})
const batches = [batch(ids[0] ?? '', 15), batch(ids[1] ?? '', 20)]

/** The stream ids of an insertion's only call. */
const streamsOf = (call: readonly TypedValue[] | undefined) => call?.[1]?.value as readonly string[]

const connect = (options: BulkInserterOptions = {}) => {
  const node = createLoopbackNode()
  const client = createClient({ endpoint: node.endpoint, platform: node.platform, signer: createSigner(key) })
  return { node, client, inserter: new BulkInserter(client, options) }
}

interface BulkInput {
  readonly catchup_max_attempts?: number
  readonly backoff_s?: number
  readonly infra_max_attempts?: number
  readonly error_text?: string
  readonly broadcast_code?: number
  readonly batch_size?: number
  readonly records?: readonly number[]
}

interface BulkExpected {
  readonly delays_s?: readonly number[]
  readonly total_s?: number
  readonly class?: string
  readonly chunks?: readonly number[]
}

// The vectors say `infra`; the code spells it out.
const spelled: Readonly<Record<string, string>> = { infra: 'infrastructure' }

for (const { id, input, expected } of vectorsOf<BulkInput, BulkExpected>('bulk_inserter')) {
  test(`bulk insertion follows vector ${id}`, () => {
    if (input.catchup_max_attempts !== undefined || input.infra_max_attempts !== undefined) {
      const options = parseBulkOptions({
        catchupMaxAttempts: input.catchup_max_attempts ?? 20,
        catchupBackoffSeconds: input.backoff_s ?? 15,
        infraMaxAttempts: input.infra_max_attempts ?? 10,
      })
      const budget = retryBudget(input.backoff_s ? 'catchup' : 'infrastructure', options)
      const delays = Array.from({ length: budget.maxAttempts }, (_, index) => delayAfter(index + 1, budget)).filter(
        (delay) => delay !== undefined,
      )
      expect(delays.map((ms) => ms / 1000)).toEqual(expected.delays_s)
      expect(delays.reduce((sum, ms) => sum + ms, 0) / 1000).toBe(expected.total_s)
    } else if (input.records !== undefined) {
      const plan = planChunks(
        input.records.map((count) => batch(ids[0] ?? '', count)),
        input.batch_size ?? 10,
      )
      expect(plan.map((chunk) => chunk.length)).toEqual(expected.chunks)
    } else {
      const data = { code: input.broadcast_code, message: '', hash: '' }
      const error = input.error_text
        ? new Error(input.error_text)
        : fromRpcError('user.broadcast', { code: -201, message: 'broadcast error', data })
      expect(retryClass(error)).toBe(spelled[expected.class ?? ''] ?? expected.class)
    }
  })
}

describe('BulkInserter', () => {
  test('broadcasts chunks in order without waiting, then confirms them all', async () => {
    const { node, inserter } = connect()
    const hashes = await inserter.insertAll(batches)
    expect(hashes).toEqual([...node.included.keys()])
    const streams = node.executed.map(({ calls }) => streamsOf(calls[0]))
    expect(streams.map((list) => list.length)).toEqual([10, 10, 10, 5])
    // A chunk may mix streams.
    expect(new Set(streams[1]).size).toBe(2)
    const methods = node.methodsOf()
    expect(methods.slice(0, 6)).toEqual([
      'user.account',
      'user.chain_info',
      ...Array.from({ length: 4 }, () => 'user.broadcast'),
    ])
    expect(methods.slice(6)).toEqual(Array.from({ length: 4 }, () => 'user.tx_query'))
  })

  test('drains after every maxInflight broadcasts', async () => {
    const { node, inserter } = connect({ maxInflight: 2 })
    await inserter.insertAll(batches)
    const order = node
      .methodsOf()
      .slice(2)
      .map((method) => (method === 'user.broadcast' ? 'b' : 'q'))
    expect(order.join('')).toBe('bbqqbbqq')
  })

  test('keeps its nonce from one run to the next', async () => {
    const { node, inserter } = connect()
    await inserter.insertAll(batches)
    await inserter.insertAll(batches)
    expect(node.methodsOf().filter((method) => method === 'user.account')).toHaveLength(1)
    expect(node.nonces.get(createSigner(key).address)).toBe(8)
  })

  test('inserts nothing of nothing', async () => {
    const { node, inserter } = connect()
    expect(await inserter.insertAll([])).toEqual([])
    expect(await inserter.insertAll([batch(ids[0] ?? '', 0)])).toEqual([])
    expect(node.requests).toEqual([])
  })

  const retried: readonly [Failure, number, number, number, string][] = [
    ['mempool_full', 15, 2000, 105, 'mempool is full'],
    ['catching_up', 20, 15_000, 190, 'node is catching up'],
    ['refused', 10, 2000, 45, 'was refused'],
    ['no_backend', 10, 2000, 45, 'no available backend'],
  ]

  test.each(retried)('waits out %s within its budget of %i', async (failure, budget, step, steps) => {
    const { node, inserter } = connect()
    node.fail('user.broadcast', ...Array.from({ length: budget - 1 }, () => failure))
    await inserter.insertAll(batches)
    expect(node.sleeps).toEqual(Array.from({ length: budget - 1 }, (_, index) => (index + 1) * step))
    expect(node.sleeps.reduce((sum, ms) => sum + ms, 0)).toBe(steps * step)
    expect(node.executed).toHaveLength(4)
  })

  test.each(retried)('gives up after %s has met its budget of %i', async (failure, budget, _, __, text) => {
    const { node, inserter } = connect()
    node.fail('user.broadcast', ...Array.from({ length: budget }, () => failure))
    const error = await inserter.insertAll(batches).catch((caught: unknown) => caught)
    expect(error).toMatchObject({
      code: 'bulk_insert_failed',
      name: 'BulkInsertError',
      txHashes: [],
      drainFailure: false,
      failedChunkIndex: 0,
      message: expect.stringMatching(/^bulk insert failed at chunk 0: /),
      cause: expect.objectContaining({ message: expect.stringContaining(text) }),
    })
    expect(node.pending()).toBe(0)
  })

  test('counts each chunk’s failures anew', async () => {
    const { node, inserter } = connect({ maxAttempts: 2 })
    for (let chunk = 0; chunk < 3; chunk++) {
      node.fail('user.broadcast', 'mempool_full')
      await inserter.insertAll([batch(ids[0] ?? '', 10)])
    }
    expect(node.sleeps).toEqual([2000, 2000, 2000])
  })

  test('asks for the nonce again when it was taken, and signs anew', async () => {
    const { node, inserter } = connect()
    node.fail('user.broadcast', 'invalid_nonce')
    await inserter.insertAll(batches)
    expect(node.methodsOf().filter((method) => method === 'user.account')).toHaveLength(2)
    // Twice a second to be sure that the number is not used up by this chunk, then the class's delay.
    expect(node.sleeps).toEqual([1000, 1000, 2000])
    expect(node.nonces.get(createSigner(key).address)).toBe(8)
  })

  test('finds a chunk by its hash when the answer was lost, and goes on', async () => {
    const { node, inserter } = connect()
    node.fail('user.broadcast', 'lost_after', 'half')
    const hashes = await inserter.insertAll(batches)
    expect(hashes).toHaveLength(4)
    expect(node.executed).toHaveLength(4)
  })

  test('stops when the outcome of a chunk is unknown, and names its hash', async () => {
    const { node, inserter } = connect()
    const done = inserter.insertAll(batches.slice(0, 1))
    await done
    node.fail('user.broadcast', 'lost_before')
    const error = await inserter.insertAll(batches).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ failedChunkIndex: 0, unresolvedTxHash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    // Resuming at failedChunkIndex * batchSize asks for the nonce again.
    await inserter.insertAll(batches)
    expect(node.methodsOf().filter((method) => method === 'user.account')).toHaveLength(2)
  })

  test('a failed confirmation is a drain failure with all hashes', async () => {
    const { node, inserter } = connect({ confirmTimeoutSeconds: 2 })
    node.fail('user.tx_query', ...Array.from({ length: 12 }, () => 'node_internal' as const))
    const error = await inserter.insertAll(batches).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ drainFailure: true, failedChunkIndex: 4, unresolvedTxHash: undefined })
    expect(error).toMatchObject({ txHashes: { length: 4 } })
    expect(String(error)).toMatch(/bulk insert drain failed after 4 chunks broadcast: wait for tx [0-9a-f]{64}: /)
    expect(node.sleeps).toEqual([1000, 1000])
  })

  test('asks for inclusion, or for success by an option', async () => {
    const { node, client, inserter } = connect()
    node.fail('user.broadcast', 'chain_error')
    expect(await inserter.insertAll(batches)).toHaveLength(4)
    node.fail('user.broadcast', 'chain_error')
    const strict = new BulkInserter(client, { failOnChainError: true })
    await expect(strict.insertAll(batches)).rejects.toMatchObject({
      drainFailure: true,
      message: expect.stringContaining('Only stream owner can do this'),
    })
  })

  test('reports progress every N chunks and at the end', async () => {
    const lines: string[] = []
    const { inserter } = connect({ progressLogEveryN: 3, log: (line) => lines.push(line) })
    await inserter.insertAll(batches)
    expect(lines).toEqual([
      'bulk insert progress chunks_done=3 chunks_total=4 rows_done=30 elapsed_sec=0.0 chunks_per_sec=0.0 eta_sec=0.0',
      'bulk insert progress chunks_done=4 chunks_total=4 rows_done=35 elapsed_sec=0.0 chunks_per_sec=0.0 eta_sec=0.0',
    ])
    expect(progressLine(computeProgress(5, 20, 50, 2500))).toBe(
      'bulk insert progress chunks_done=5 chunks_total=20 rows_done=50 elapsed_sec=2.5 chunks_per_sec=2.0 eta_sec=7.5',
    )
  })

  test('reports nothing when N is 0, and by default to the platform’s log', async () => {
    const silent = connect({ progressLogEveryN: 0 })
    await silent.inserter.insertAll(batches)
    expect(silent.node.lines).toEqual([])
    const usual = connect()
    await usual.inserter.insertAll(batches)
    expect(usual.node.lines).toHaveLength(1)
  })

  test.each<[string, BulkInserterOptions]>([
    ['more than the network’s cap', { batchSize: 11 }],
    ['no records in a chunk', { batchSize: 0 }],
    ['a fraction', { batchSize: 1.5 }],
    ['nothing in flight', { maxInflight: 0 }],
    ['no attempt', { maxAttempts: 0 }],
    ['a negative interval', { progressLogEveryN: -1 }],
  ])('refuses %s', (_, options) => {
    expect(() => connect(options)).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
  })

  test('refuses a missing client, a missing signer and invalid records before it sends a request', async () => {
    const { node, client, inserter } = connect()
    expect(() => new BulkInserter(undefined as unknown as typeof client)).toThrow('expected a client')
    expect(() => new BulkInserter({ ...client, signer: undefined })).toThrow(
      'could not resolve data provider for the current signer',
    )
    const good = batch(ids[0] ?? '', 3)
    for (const bad of [
      { streamId: '', inputs: good.inputs },
      { streamId: 'short', inputs: good.inputs },
      { streamId: ids[0] ?? '', inputs: [{ date: 1, value: 'x' }] },
      { streamId: ids[0] ?? '', inputs: [{ date: 1.5, value: '1' }] },
    ]) {
      await expect(inserter.insertAll([good, bad])).rejects.toMatchObject({ code: 'invalid_argument' })
    }
    expect(node.requests).toEqual([])
    await expect(inserter.insertAll([{ ...good, streamId: '' }])).rejects.toThrow('batch is missing stream_id')
  })
})

describe('stepBulk()', () => {
  const options = bulkDefaults

  test('can be stopped after any step and taken up again from JSON, without a record lost or doubled', async () => {
    const { node, client } = connect()
    node.fail('user.broadcast', 'mempool_full', 'lost_after', 'catching_up')
    const chunks = planChunks(batches, 10)
    let state: BulkState = startBulk(chunks.length)
    while (!isBulkDone(state)) {
      // Every step by another process: state travels as text, and what was being sent is settled first.
      const kept: BulkState = await resumeBulk(client, JSON.parse(JSON.stringify(state)))
      state = isBulkDone(kept) ? kept : (await stepBulk(client, kept, chunks[kept.nextChunk] ?? [], options)).state
    }
    expect(state.txHashes).toEqual([...node.included.keys()])
    expect(node.executed).toHaveLength(4)
  })

  test('a process that ended after sending finds its chunk by the hash it kept', async () => {
    const { node, client } = connect()
    const chunks = planChunks(batches, 10)
    const signed = (await stepBulk(client, startBulk(chunks.length), chunks[0] ?? [], options)).state
    await stepBulk(client, signed, chunks[0] ?? [], options)
    const resumed = await resumeBulk(client, signed)
    expect(resumed).toMatchObject({ nextChunk: 1, nonce: 2, txHashes: [signed.sending?.hash] })
    expect(node.executed).toHaveLength(1)
  })

  test('a process that ended before sending sends the same bytes', async () => {
    const { node, client } = connect()
    const chunks = planChunks(batches, 10)
    const signed = (await stepBulk(client, startBulk(chunks.length), chunks[0] ?? [], options)).state
    const resumed = await resumeBulk(client, signed)
    expect(resumed).toBe(signed)
    const { state } = await stepBulk(client, resumed, [], options)
    expect(state.txHashes).toEqual([signed.sending?.hash])
    expect(node.executed).toHaveLength(1)
  })

  test('a chunk that a node has taken is not signed anew while the node does not say so', async () => {
    const { node, client } = connect()
    const chunk = planChunks(batches, 10)[0] ?? []
    const signed = (await stepBulk(client, startBulk(1), chunk, options)).state
    await stepBulk(client, signed, chunk, options)
    // Three answers for taking it up, three for the refusal of the number that it has used itself.
    node.fail('user.tx_query', ...Array.from({ length: 6 }, () => 'node_internal' as const))
    const resumed = await resumeBulk(client, signed)
    expect(resumed).toBe(signed)
    await expect(stepBulk(client, resumed, chunk, options)).rejects.toMatchObject({
      unresolvedTxHash: signed.sending?.hash,
    })
    const { state } = await stepBulk(client, resumed, chunk, options)
    expect(state.txHashes).toEqual([signed.sending?.hash])
    expect(node.executed).toHaveLength(1)
  })
})
