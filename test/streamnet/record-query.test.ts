import { describe, expect, test } from 'vitest'
import { createClient } from '#streamnet/client.ts'
import { getFirstRecord, getRecords } from '#streamnet/operations/records.ts'
import { parseCacheLog } from '#streamnet/record-query.ts'
import { readLogs } from '#streamnet/rpc/call.ts'
import { createSigner } from '#streamnet/signing/signer.ts'
import { createLoopbackNode } from '../support/loopback-node.ts'
import { vectorsOf } from '../support/streams-vectors.ts'

const streamId = `st${'0'.repeat(30)}`

describe('answers with the cache', () => {
  test('carry what the notices say', async () => {
    const node = createLoopbackNode()
    const client = createClient({
      endpoint: node.endpoint,
      platform: node.platform,
      signer: createSigner('11'.repeat(32)),
    })
    const logs = '1. hello\n2. {"cache_hit":true,"cache_height":7}'
    node.answers.set('get_record', { rows: [[1n, '2']], logs })
    node.answers.set('get_first_record', { rows: [], logs: '' })
    expect(await getRecords(client, { streamId, useCache: true })).toEqual({
      data: [{ date: 1, value: '2' }],
      cache: { hit: true, cacheHeight: 7 },
    })
    expect(await getFirstRecord(client, { streamId, useCache: false })).toEqual({ data: null, cache: null })
    expect(node.called.map(({ args }) => args.at(-1)?.value)).toEqual([true, false])
  })

  for (const { id, input, expected } of vectorsOf<{ logs: string }, Record<string, unknown> | null>('cache_log')) {
    test(`follow vector ${id}`, () => {
      const lines = readLogs(input.logs)
      if (expected && 'lines' in expected) return expect(lines).toEqual(expected.lines)
      const cache = parseCacheLog(lines)
      if (!expected) return expect(cache).toBeNull()
      expect(cache?.hit).toBe(expected.hit)
      if ('cache_height' in expected) expect(cache?.cacheHeight).toBe(expected.cache_height)
      if ('cache_disabled' in expected) expect(cache?.cacheDisabled).toBe(expected.cache_disabled)
    })
  }
})
