/**
 * Inserts a thousand records in chunks of ten, confirms them all, and counts what is there:
 *
 *   bulk insert progress chunks_done=50 chunks_total=100 rows_done=500 elapsed_sec=0.4 chunks_per_sec=125.0 eta_sec=0.4
 *   bulk insert progress chunks_done=100 chunks_total=100 rows_done=1000 elapsed_sec=0.8 chunks_per_sec=125.0 eta_sec=0.0
 *   100 transactions, 1000 records
 *
 * Run: STREAMNET_ENDPOINT=... STREAMNET_PRIVATE_KEY=... node bin/run.mjs examples/streamnet/bulk-insert.ts [NAME]
 * A new key needs the role to create streams: docs/tasks/publish-a-feed.md.
 */

import { BulkInsertError, BulkInserter, NetClient } from '../../src/streamnet/index.ts'

const { STREAMNET_ENDPOINT: endpoint = 'http://127.0.0.1:8484', STREAMNET_PRIVATE_KEY: key } = process.env
const [name = 'example: bulk insert'] = process.argv.slice(2)

const client = new NetClient(endpoint, key)
const streamId = client.generateStreamId({ name })
await client.deployStream({ streamId })

const inputs = Array.from({ length: 1000 }, (_, day) => ({ date: 1_600_000_000 + day * 86_400, value: 100 + day / 10 }))
try {
  const inserter = new BulkInserter(client, { progressLogEveryN: 50, failOnChainError: true })
  const hashes = await inserter.insertAll([{ streamId, inputs }])
  const records = await client.getRecords({ streamId, dateFrom: 1_600_000_000, dateTo: 1_700_000_000 })
  console.log(`${hashes.length} transactions, ${records.length} records`)
} catch (error) {
  if (!(error instanceof BulkInsertError)) throw error
  // Everything before this record is broadcast; whatever is unresolved is asked for first.
  console.error(`${error.message}; resume at record ${error.failedChunkIndex * 10}`, error.unresolvedTxHash ?? '')
  process.exitCode = 1
}
