/**
 * Creates a stream, publishes two records and reads them back:
 *
 *   st39830c44932bc42a3bffef72310948 is a primitive stream of 0x7E5F...
 *   2023-11-14T22:13:20.000Z 101.500000000000000000
 *   2023-11-15T22:13:20.000Z 102.250000000000000000
 *
 * Run: STREAMNET_ENDPOINT=... STREAMNET_PRIVATE_KEY=... node bin/run.mjs examples/streamnet/publish.ts [NAME]
 * A new key needs the role to create streams: docs/tasks/publish-a-feed.md.
 */

import { NetClient } from '../../src/streamnet/index.ts'

const { STREAMNET_ENDPOINT: endpoint = 'http://127.0.0.1:8484', STREAMNET_PRIVATE_KEY: key } = process.env
const [name = 'example: publish'] = process.argv.slice(2)

const client = new NetClient(endpoint, key)
const streamId = client.generateStreamId({ name })
const dataProvider = client.getCurrentAccount()

const [here] = await client.batchStreamExists({ locators: [{ streamId, dataProvider }] })
if (!here?.exists) await client.deployStream({ streamId })
console.log(`${streamId} is a ${await client.getType({ streamId })} stream of ${dataProvider}`)

await client.insertRecords({
  streamId,
  records: [
    { date: 1_700_000_000, value: '101.5' },
    { date: 1_700_086_400, value: '102.25' },
  ],
})
for (const { date, value } of await client.getRecords({ streamId, dateFrom: 1_700_000_000, dateTo: 1_700_086_400 })) {
  console.log(new Date(date * 1000).toISOString(), value)
}
