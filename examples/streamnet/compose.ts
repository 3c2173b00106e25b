/**
 * Composes two streams with weights 1 and 3, and prints values and index of the result:
 *
 *   value 17.500000000000000000 index 100.000000000000000000
 *   value 25.000000000000000000 index 137.500000000000000000
 *
 * Run: STREAMNET_ENDPOINT=... STREAMNET_PRIVATE_KEY=... node bin/run.mjs examples/streamnet/compose.ts [NAME]
 * A new key needs the role to create streams: docs/tasks/publish-a-feed.md.
 */

import { NetClient } from '../../src/streamnet/index.ts'

const { STREAMNET_ENDPOINT: endpoint = 'http://127.0.0.1:8484', STREAMNET_PRIVATE_KEY: key } = process.env
const [name = 'example: compose'] = process.argv.slice(2)

const client = new NetClient(endpoint, key)
const [bread = '', rent = '', basket = ''] = ['bread', 'rent', 'basket'].map((part) =>
  client.generateStreamId({ name: `${name} ${part}` }),
)

await client.batchDeployStreams({
  definitions: [
    { streamId: bread, streamType: 'primitive' },
    { streamId: rent, streamType: 'primitive' },
    { streamId: basket, streamType: 'composed' },
  ],
})
await client.batchInsertRecords({
  batches: [
    {
      streamId: bread,
      inputs: [
        { date: 100, value: 10 },
        { date: 200, value: 10 },
      ],
    },
    {
      streamId: rent,
      inputs: [
        { date: 100, value: 20 },
        { date: 200, value: 30 },
      ],
    },
  ],
})
await client.setTaxonomy({ streamId: basket, childStreams: { [bread]: 1, [rent]: 3 } })

const range = { streamId: basket, dateFrom: 100, dateTo: 200 }
const [values, index] = await Promise.all([client.getRecords(range), client.getIndex(range)])
values.forEach(({ value }, row) => {
  console.log(`value ${value} index ${index[row]?.value}`)
})
