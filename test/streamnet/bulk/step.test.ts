import { describe, expect, test } from 'vitest'
import { type BulkState, isBulkDone, planChunks, startBulk } from '#streamnet/bulk/job.ts'
import { bulkDefaults } from '#streamnet/bulk/options.ts'
import { resumeBulk, stepBulk } from '#streamnet/bulk/step.ts'
import { bulkBatches, connectLoopback } from '../../support/bulk.ts'

describe('stepBulk()', () => {
  const options = bulkDefaults

  test('can be stopped after any step and taken up again from JSON, without a record lost or doubled', async () => {
    const { node, client } = connectLoopback()
    node.fail('user.broadcast', 'mempool_full', 'lost_after', 'catching_up')
    const chunks = planChunks(bulkBatches, 10)
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
    const { node, client } = connectLoopback()
    const chunks = planChunks(bulkBatches, 10)
    const signed = (await stepBulk(client, startBulk(chunks.length), chunks[0] ?? [], options)).state
    await stepBulk(client, signed, chunks[0] ?? [], options)
    const resumed = await resumeBulk(client, signed)
    expect(resumed).toMatchObject({ nextChunk: 1, nonce: 2, txHashes: [signed.sending?.hash] })
    expect(node.executed).toHaveLength(1)
  })

  test('a process that ended before sending sends the same bytes', async () => {
    const { node, client } = connectLoopback()
    const chunks = planChunks(bulkBatches, 10)
    const signed = (await stepBulk(client, startBulk(chunks.length), chunks[0] ?? [], options)).state
    const resumed = await resumeBulk(client, signed)
    expect(resumed).toBe(signed)
    const { state } = await stepBulk(client, resumed, [], options)
    expect(state.txHashes).toEqual([signed.sending?.hash])
    expect(node.executed).toHaveLength(1)
  })

  test('a chunk that a node has taken is not signed anew while the node does not say so', async () => {
    const { node, client } = connectLoopback()
    const chunk = planChunks(bulkBatches, 10)[0] ?? []
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
