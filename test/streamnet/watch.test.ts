import { describe, expect, test } from 'vitest'
import { createClient } from '#streamnet/client.ts'
import { generateStreamId } from '#streamnet/ids.ts'
import { defaultPlatform } from '#streamnet/platform.ts'
import { watchBlocks, watchMarket, watchRecords } from '#streamnet/watch.ts'
import { keys } from '../support/devnode.ts'
import { openMarket, publishValue, startMarketNode } from '../support/markets.ts'

const streamId = generateStreamId('market-test')

/** A node and a client that runs the next step of a script each time it pauses. */
function startWatched(...script: readonly (() => void)[]) {
  const node = startMarketNode()
  node.rpc('dev.grantRole', { wallet: keys.owner.address })
  const rest = [...script]
  let isDown = false
  const fetch: typeof defaultPlatform.fetch = async (_, init) => {
    if (isDown) throw new TypeError('fetch failed')
    const answer = node.send(String(init.body))
    if (typeof answer === 'string') throw new Error(answer)
    return Response.json(answer.body, { status: answer.status })
  }
  const sleep = async (ms: number) => {
    // Pauses between attempts of one read are shorter.
    if (ms < 1000) return
    const step = rest.shift()
    if (step === undefined) throw new Error('the script has ended')
    step()
  }
  const platform = { ...defaultPlatform, fetch, sleep, log: () => {} }
  const client = createClient({ endpoint: 'http://node.invalid', signer: keys.owner, platform })
  const setDown = (value: boolean) => {
    isDown = value
  }
  return { node, client, steps: rest, setDown }
}

async function collect<T>(watched: AsyncIterable<T>): Promise<readonly T[]> {
  const seen: T[] = []
  try {
    for await (const one of watched) seen.push(one)
  } catch (error) {
    if (!(error instanceof Error && error.message === 'the script has ended')) throw error
  }
  return seen
}

describe('watchRecords()', () => {
  test('gives each record once, in order, also those of a time when the node was away, and resumes', async () => {
    const { node, client, steps, setDown } = startWatched()
    publishValue(node, '10', 100)
    const insert = (...dates: readonly number[]) => {
      for (const date of dates) publishValue(node, `${date}`, date)
    }
    steps.push(
      () => insert(200),
      () => setDown(true),
      () => {
        setDown(false)
        insert(300, 400)
      },
      () => {},
    )
    const dates = (await collect(watchRecords(client, { streamId }))).map(({ date }) => date)
    expect(dates).toEqual([200, 300, 400])
    expect((await collect(watchRecords(client, { streamId, after: 200 }))).map(({ date }) => date)).toEqual([300, 400])
  })

  test('refuses an interval that is none', async () => {
    const { node, client } = startWatched()
    publishValue(node, '10', 100)
    await expect(collect(watchRecords(client, { streamId, intervalMs: 0 }))).rejects.toThrow('interval_ms must be')
  })
})

describe('watchBlocks()', () => {
  test('leaves no block out, and says so when the chain became shorter', async () => {
    const { node, client, steps } = startWatched()
    const head = (node.rpc('user.chain_info') as { block_height: number }).block_height
    steps.push(
      () => void node.rpc('dev.mine', { blocks: 3 }),
      () => void node.rpc('dev.reset'),
    )
    const seen: number[] = []
    const watching = (async () => {
      for await (const { height } of watchBlocks(client)) seen.push(height)
    })()
    await expect(watching).rejects.toMatchObject({ code: 'malformed_response' })
    expect(seen).toEqual([head + 1, head + 2, head + 3])
  })
})

describe('watchMarket()', () => {
  test('gives the market now and after each change of its book', async () => {
    const { node, client, steps } = startWatched()
    publishValue(node, '10', 100)
    const queryId = openMarket(node)
    steps.push(
      () => {},
      () => void node.must(keys.owner, 'place_split_limit_order', queryId, 60, 5),
      () => {},
    )
    const seen = await collect(watchMarket(client, { queryId }))
    expect(seen.map(({ depth }) => depth.length)).toEqual([0, 1])
    expect(seen[0]?.info).toMatchObject({ id: queryId, settled: false })
  })
})
