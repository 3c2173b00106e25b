/** The blocks of the chain, for their listeners. */

import { listBlocks, pageSizes } from '#gateway/chain.ts'
import { parseEventId } from '#gateway/changes.ts'
import type { Client } from '#streamnet/index.ts'
import type { EventListener } from '../../base/event-listener.ts'
import { encodeEvent, encodeGreeting, readHeight, type Subject } from './subject.ts'

/** The most blocks that one look reads; those behind them come with the next one. */
const mostBlocks = 1000

/**
 * Makes the subject of all blocks. A listener that comes back is sent at most the last 100 of those that it missed.
 * After the chain was taken back, listeners are sent its new blocks too.
 */
export function createBlockSubject(): Subject {
  /** The height of the last block that each listener was sent. */
  const sentHeights = new Map<EventListener, number>()
  return {
    async open(client, query, enter) {
      const height = await readHeight(client)
      const seen = parseEventId(query.get('last_event_id'))?.height ?? height
      const missed = await readBlocks(client, Math.max(Math.min(seen, height), height - pageSizes.most), height)
      const listener = enter([encodeGreeting('blocks'), blocksEvent(height, missed)])
      sentHeights.set(listener, height)
      return listener
    },
    async look(client) {
      const head = await readHeight(client)
      for (const [listener, height] of sentHeights) sentHeights.set(listener, Math.min(height, head))
      const first = Math.min(head, ...sentHeights.values())
      const to = Math.min(head, first + mostBlocks)
      const blocks = await readBlocks(client, first, to)
      // From here on nothing is awaited: a listener may have come meanwhile, and another look may be on its way.
      for (const [listener, seen] of sentHeights) {
        if (seen >= to) continue
        sentHeights.set(listener, to)
        const wanted = blocks.filter(({ height }) => height > seen)
        listener.offer(blocksEvent(to, wanted))
      }
      return first < to
    },
    leave: (listener) => void sentHeights.delete(listener),
  }
}

type Blocks = Awaited<ReturnType<typeof listBlocks>>['blocks']

/** Reads the blocks above a height, up to another, in their order; those that the node has pruned are left out. */
async function readBlocks(client: Client, above: number, to: number): Promise<Blocks> {
  const blocks: Blocks = []
  for (let from = above; from < to; from += pageSizes.most) {
    const last = Math.min(from + pageSizes.most, to)
    const page = await listBlocks(client, last - from, { height: last + 1 })
    blocks.push(...page.blocks.toReversed())
  }
  return blocks
}

function blocksEvent(height: number, blocks: Blocks): Uint8Array {
  return encodeEvent('blocks', String(height), { height, blocks })
}
