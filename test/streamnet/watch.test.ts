import { describe, expect, test } from 'vitest'
import { createClient } from '#streamnet/client.ts'
import { StreamNetError } from '#streamnet/errors.ts'
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

  test('refuses an invalid interval', async () => {
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

describe('watchBlocks() beside a node that goes away', () => {
  test('goes on with the block that it could not read', async () => {
    const { node, client, steps, setDown } = startWatched()
    const head = (node.rpc('user.chain_info') as { block_height: number }).block_height
    // Away after the height was told, before the block is.
    const request: typeof client.request = (method, params) => {
      if (method === 'chain.block' && steps.length === 1) setDown(true)
      return client.request(method, params)
    }
    steps.push(() => void node.rpc('dev.mine', { blocks: 2 }))
    steps.push(() => setDown(false))
    const seen = await collect(watchBlocks({ ...client, request }))
    expect(seen.map(({ height }) => height)).toEqual([head + 1, head + 2])
  })

  test('says so when another chain has grown beyond the last block', async () => {
    const { node, client, steps } = startWatched()
    steps.push(
      () => void node.rpc('dev.mine', { blocks: 1 }),
      () => {
        node.rpc('dev.reset')
        node.rpc('dev.increaseTime', { seconds: 60 })
        node.rpc('dev.mine', { blocks: 9 })
      },
    )
    await expect(collect(watchBlocks(client))).rejects.toThrow(/^Cannot watch blocks: block \d+ does not follow/)
  })

  test('ends by its signal, which a request that took too long does not', async () => {
    const { client, steps } = startWatched(() => {})
    let isSlow = true
    const request: typeof client.request = (method, params) => {
      if (!isSlow) return client.request(method, params)
      isSlow = false
      throw new StreamNetError('timeout', 'Cannot call: no answer in time', {})
    }
    expect(await collect(watchBlocks({ ...client, request }))).toEqual([])
    expect([isSlow, steps.length]).toEqual([false, 0])
    const ended = {
      ...client,
      signal: AbortSignal.abort(),
      request: () => Promise.reject(new StreamNetError('aborted', 'x', {})),
    }
    await expect(collect(watchBlocks(ended))).rejects.toMatchObject({ code: 'aborted' })
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
