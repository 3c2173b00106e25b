/**
 * Publishes a value to a stream, which it makes when it is not there, and reads it back:
 *
 *   STREAMNET_ENDPOINT=http://127.0.0.1:8484 STREAMNET_PRIVATE_KEY=... npm start -- 21.5
 *
 * A new key needs the role to create streams.
 */

import { NetClient } from 'sluice/streamnet'

const { STREAMNET_ENDPOINT: endpoint = 'http://127.0.0.1:8484', STREAMNET_PRIVATE_KEY: key } = process.env
const [value = '21.5'] = process.argv.slice(2)

const client = new NetClient(endpoint, key)
const streamId = client.generateStreamId({ name: 'example: temperature' })
const dataProvider = client.getCurrentAccount()

const [here] = await client.batchStreamExists({ locators: [{ streamId, dataProvider }] })
if (!here?.exists) await client.deployStream({ streamId })
const date = Math.floor(Date.now() / 1000)
await client.insertRecords({ streamId, records: [{ date, value }] })
for (const record of await client.getRecords({ streamId, dateFrom: date, dateTo: date })) console.log(record.value)
