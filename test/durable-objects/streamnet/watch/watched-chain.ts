/** A chain of a height with a market, and listeners of the subjects that watch it. */

import { type IncomingEvent, readEvents } from '#base/event-stream.ts'
import { createEventListener, type EventListener } from '#objects/base/event-listener.ts'
import type { Subject } from '#objects/streamnet/watch/subject.ts'
import { type Client, createClient, StreamNetError } from '#streamnet/index.ts'

/** Makes a chain, and a client of its node. */
export function createChain(height: number) {
  const market = { settled: false, volume: 0 }
  const state = {
    height,
    /** The last height whose block is gone. */
    pruned: 0,
    /** Views of the node that were read. */
    reads: 0,
  }
  const client: Client = {
    ...createClient({ endpoint: 'http://node.invalid' }),
    // Only the methods that subjects ask for.
    request: (async (method: string, params: { readonly height: number }) =>
      method === 'user.chain_info' ? { block_height: state.height } : readBlock(params.height)) as Client['request'],
    async view(action) {
      state.reads += 1
      const row = action === 'get_market_info' ? describeMarket(market.settled) : describeLevel(market.volume)
      return { columnNames: Object.keys(row), columnTypes: [], rows: [Object.values(row)], logs: [] }
    },
  }

  function readBlock(height: number) {
    if (height > state.height || height <= state.pruned) {
      throw new StreamNetError('not_found', 'block not found', { reason: 'block not found' })
    }
    const header = { prev_hash: `hash ${height - 1}`, stamp_ms: height * 1000 }
    return { hash: `hash ${height}`, block: { header, txns: [] } }
  }
  return Object.assign(state, {
    client,
    /** Changes the market by one block. */
    change(changed: Partial<typeof market>) {
      state.height += 1
      Object.assign(market, changed)
    },
    /** Opens a listener; `events` and `blocks` end it, and tell what it was sent. */
    async listen(subject: Subject, lastEventId?: string) {
      const query = new URLSearchParams(lastEventId === undefined ? {} : { last_event_id: lastEventId })
      const listener = await subject.open(client, query, createEventListener)
      const events = () => readAll(listener)
      return { listener, events, blocks: async () => (await events()).map(tellBlocks) }
    },
  })
}

const describeLevel = (volume: number) => ({ outcome: true, price: 50n, buy_volume: BigInt(volume), sell_volume: 0n })

const describeMarket = (settled: boolean) => ({
  hash: new Uint8Array([1]),
  query_components: new Uint8Array([2]),
  bridge: 'hoodi_tt2',
  settle_time: 100n,
  settled,
  winning_outcome: null,
  max_spread: 5n,
  min_order_size: 1n,
  created_at: 1n,
  settled_at: null,
  creator: new Uint8Array([3]),
})

async function readAll(listener: EventListener): Promise<readonly IncomingEvent[]> {
  listener.close('read')
  const events: IncomingEvent[] = []
  for await (const event of readEvents(listener.body)) events.push(event)
  return events
}

/** The id of an event, and the heights of its blocks. */
function tellBlocks({ lastEventId, data }: IncomingEvent): [id: string, heights: readonly number[]] {
  return [lastEventId, JSON.parse(data).blocks.map(({ height }: { height: number }) => height)]
}
