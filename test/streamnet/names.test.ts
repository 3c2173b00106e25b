import { expect, test } from 'vitest'
import { generateStreamId } from '#streamnet/ids.ts'
import { findStreamByName, listStreamNames, setStreamName } from '#streamnet/names.ts'
import { deployStream } from '#streamnet/operations/streams.ts'
import { keys } from '../support/devnode.ts'
import { connectClient, startMarketNode } from '../support/markets.ts'

const streamId = generateStreamId('named')
const other = generateStreamId('other')
const dataProvider = keys.owner.address

function connect() {
  const node = startMarketNode()
  node.rpc('dev.grantRole', { wallet: dataProvider })
  return connectClient(node)
}

test('a stream has the name that was given last, and one name of two streams is a collision', async () => {
  const client = connect()
  for (const id of [streamId, other]) await deployStream(client, { streamId: id, streamType: 'primitive' })
  expect(await listStreamNames(client)).toEqual([])
  for (const name of ['bread', 'price of bread']) await setStreamName(client, { streamId, name })
  await setStreamName(client, { streamId: other, name: 'price of ‘eggs’' })
  const named = await listStreamNames(client)
  expect(named).toEqual([
    { dataProvider, streamId, name: 'price of bread' },
    { dataProvider, streamId: other, name: 'price of ‘eggs’' },
  ])
  expect(findStreamByName(named, 'price of bread').streamId).toBe(streamId)
  expect(() => findStreamByName(named, 'price of braed')).toThrow('did you mean "price of bread"?')

  await setStreamName(client, { streamId: other, name: 'price of bread' })
  const collided = await listStreamNames(client)
  expect(() => findStreamByName(collided, 'price of bread')).toThrow(
    `2 are named "price of bread" (${dataProvider}/${streamId}, ${dataProvider}/${other})`,
  )
})

test('an empty name and one beyond 200 characters are refused before anything is sent', async () => {
  for (const name of ['', '  ', 'x'.repeat(201)]) {
    await expect(setStreamName(connect(), { streamId, name })).rejects.toMatchObject({ code: 'invalid_argument' })
  }
})
