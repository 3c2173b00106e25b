import { describe, expect, test } from 'vitest'
import { BulkInserter, type BulkInserterOptions, computeProgress, progressLine } from '#streamnet/bulk/inserter.ts'
import type { TypedValue } from '#streamnet/types.ts'
import { bulkBatches, bulkSigner, bulkStreams, connectLoopback, makeBatch } from '../../support/bulk.ts'
import type { Failure } from '../../support/loopback-node.ts'

/** The stream ids of an insertion's only call. */
const streamsOf = (call: readonly TypedValue[] | undefined) => call?.[1]?.value as readonly string[]

const connect = (options: BulkInserterOptions = {}) => {
  const { node, client } = connectLoopback()
  return { node, client, inserter: new BulkInserter(client, options) }
}

describe('BulkInserter', () => {
  test('broadcasts chunks in order without waiting, then confirms them all', async () => {
    const { node, inserter } = connect()
    const hashes = await inserter.insertAll(bulkBatches)
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
    await inserter.insertAll(bulkBatches)
    const order = node
      .methodsOf()
      .slice(2)
      .map((method) => (method === 'user.broadcast' ? 'b' : 'q'))
    expect(order.join('')).toBe('bbqqbbqq')
  })

  test('keeps its nonce from one run to the next', async () => {
    const { node, inserter } = connect()
    await inserter.insertAll(bulkBatches)
    await inserter.insertAll(bulkBatches)
    expect(node.methodsOf().filter((method) => method === 'user.account')).toHaveLength(1)
    expect(node.nonces.get(bulkSigner.address)).toBe(8)
  })

  test('sends nothing without records', async () => {
    const { node, inserter } = connect()
    expect(await inserter.insertAll([])).toEqual([])
    expect(await inserter.insertAll([makeBatch(bulkStreams[0], 0)])).toEqual([])
    expect(node.requests).toEqual([])
  })

  interface Retried {
    readonly failure: Failure
    /** Attempts in all, and by how many milliseconds the wait between them grows. */
    readonly attempts: number
    readonly stepMs: number
    readonly message: string
  }
  const retried: readonly Retried[] = [
    { failure: 'mempool_full', attempts: 15, stepMs: 2000, message: 'mempool is full' },
    { failure: 'catching_up', attempts: 20, stepMs: 15_000, message: 'node is catching up' },
    { failure: 'refused', attempts: 10, stepMs: 2000, message: 'was refused' },
    { failure: 'no_backend', attempts: 10, stepMs: 2000, message: 'no available backend' },
  ]

  test.each(retried)('waits out $failure within $attempts attempts', async ({ failure, attempts, stepMs }) => {
    const { node, inserter } = connect()
    node.fail('user.broadcast', ...Array.from({ length: attempts - 1 }, () => failure))
    await inserter.insertAll(bulkBatches)
    expect(node.sleeps).toEqual(Array.from({ length: attempts - 1 }, (_, index) => (index + 1) * stepMs))
    expect(node.executed).toHaveLength(4)
  })

  test.each(retried)('gives up after $failure at $attempts attempts', async ({ failure, attempts, message }) => {
    const { node, inserter } = connect()
    node.fail('user.broadcast', ...Array.from({ length: attempts }, () => failure))
    const error = await inserter.insertAll(bulkBatches).catch((caught: unknown) => caught)
    expect(error).toMatchObject({
      code: 'bulk_insert_failed',
      name: 'BulkInsertError',
      txHashes: [],
      drainFailure: false,
      failedChunkIndex: 0,
      message: expect.stringMatching(/^bulk insert failed at chunk 0: /),
      cause: expect.objectContaining({ message: expect.stringContaining(message) }),
    })
    expect(node.pending()).toBe(0)
  })

  test('counts each chunk’s failures anew', async () => {
    const { node, inserter } = connect({ maxAttempts: 2 })
    for (let chunk = 0; chunk < 3; chunk++) {
      node.fail('user.broadcast', 'mempool_full')
      await inserter.insertAll([makeBatch(bulkStreams[0], 10)])
    }
    expect(node.sleeps).toEqual([2000, 2000, 2000])
  })

  test('asks for the nonce again when it was taken, and signs anew', async () => {
    const { node, inserter } = connect()
    node.fail('user.broadcast', 'invalid_nonce')
    await inserter.insertAll(bulkBatches)
    expect(node.methodsOf().filter((method) => method === 'user.account')).toHaveLength(2)
    // Twice a second to be sure that the number is not used up by this chunk, then the class's delay.
    expect(node.sleeps).toEqual([1000, 1000, 2000])
    expect(node.nonces.get(bulkSigner.address)).toBe(8)
  })

  test('finds a chunk by its hash when the answer was lost, and goes on', async () => {
    const { node, inserter } = connect()
    node.fail('user.broadcast', 'lost_after', 'half')
    const hashes = await inserter.insertAll(bulkBatches)
    expect(hashes).toHaveLength(4)
    expect(node.executed).toHaveLength(4)
  })

  test('stops when the outcome of a chunk is unknown, and names its hash', async () => {
    const { node, inserter } = connect()
    await inserter.insertAll(bulkBatches.slice(0, 1))
    node.fail('user.broadcast', 'lost_before')
    const error = await inserter.insertAll(bulkBatches).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ failedChunkIndex: 0, unresolvedTxHash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    // Resuming at failedChunkIndex * batchSize asks for the nonce again.
    await inserter.insertAll(bulkBatches)
    expect(node.methodsOf().filter((method) => method === 'user.account')).toHaveLength(2)
  })

  test('fails with all hashes when a confirmation fails', async () => {
    const { node, inserter } = connect({ confirmTimeoutSeconds: 2 })
    node.fail('user.tx_query', ...Array.from({ length: 12 }, () => 'node_internal' as const))
    const error = await inserter.insertAll(bulkBatches).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ drainFailure: true, failedChunkIndex: 4, unresolvedTxHash: undefined })
    expect(error).toMatchObject({ txHashes: { length: 4 } })
    expect(String(error)).toMatch(/bulk insert drain failed after 4 chunks broadcast: wait for tx [0-9a-f]{64}: /)
    expect(node.sleeps).toEqual([1000, 1000])
  })

  test('fails where it can be resumed when a confirmation fails before all is broadcast', async () => {
    const { node, inserter } = connect({ maxInflight: 2, confirmTimeoutSeconds: 1 })
    node.fail('user.tx_query', ...Array.from({ length: 4 }, () => 'node_internal' as const))
    const error = await inserter.insertAll(bulkBatches).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ drainFailure: false, failedChunkIndex: 2, txHashes: { length: 2 } })
    expect(node.executed).toHaveLength(2)
  })

  test('asks for inclusion, or for success by an option', async () => {
    const { node, client, inserter } = connect()
    node.fail('user.broadcast', 'chain_error')
    expect(await inserter.insertAll(bulkBatches)).toHaveLength(4)
    node.fail('user.broadcast', 'chain_error')
    const strict = new BulkInserter(client, { failOnChainError: true })
    await expect(strict.insertAll(bulkBatches)).rejects.toMatchObject({
      drainFailure: true,
      message: expect.stringContaining('Only stream owner can do this'),
    })
  })

  test('reports progress every N chunks and at the end', async () => {
    const lines: string[] = []
    const { inserter } = connect({ progressLogEveryN: 3, log: (line) => lines.push(line) })
    await inserter.insertAll(bulkBatches)
    expect(lines).toEqual([
      'bulk insert progress chunks_done=3 chunks_total=4 rows_done=30 elapsed_sec=0.0 chunks_per_sec=0.0 eta_sec=0.0',
      'bulk insert progress chunks_done=4 chunks_total=4 rows_done=35 elapsed_sec=0.0 chunks_per_sec=0.0 eta_sec=0.0',
    ])
    expect(progressLine(computeProgress({ chunksDone: 5, chunksTotal: 20, rowsDone: 50 }, 2500))).toBe(
      'bulk insert progress chunks_done=5 chunks_total=20 rows_done=50 elapsed_sec=2.5 chunks_per_sec=2.0 eta_sec=7.5',
    )
  })

  test('reports nothing when N is 0, and by default to the platform’s log', async () => {
    const silent = connect({ progressLogEveryN: 0 })
    await silent.inserter.insertAll(bulkBatches)
    expect(silent.node.lines).toEqual([])
    const usual = connect()
    await usual.inserter.insertAll(bulkBatches)
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
    const good = makeBatch(bulkStreams[0], 3)
    for (const bad of [
      { streamId: '', inputs: good.inputs },
      { streamId: 'short', inputs: good.inputs },
      { streamId: bulkStreams[0], inputs: [{ date: 1, value: 'x' }] },
      { streamId: bulkStreams[0], inputs: [{ date: 1.5, value: '1' }] },
    ]) {
      await expect(inserter.insertAll([good, bad])).rejects.toMatchObject({ code: 'invalid_argument' })
    }
    expect(node.requests).toEqual([])
    await expect(inserter.insertAll([{ ...good, streamId: '' }])).rejects.toThrow('batch is missing stream_id')
  })
})
