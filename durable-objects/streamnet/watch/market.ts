/** The state of one market, for its listeners. */

import { runOperation } from '#gateway/handle.ts'
import { toJson } from '#gateway/json.ts'
import type { Client } from '#streamnet/index.ts'
import type { EventListener } from '../../base/event-listener.ts'
import { encodeEvent, encodeGreeting, readHeight, type Subject } from './subject.ts'

/** The state of a market, and a height up to which it holds. */
interface Market {
  readonly height: number
  /** JSON of its data and its book. */
  readonly state: string
}

/**
 * Makes the subject of a market. A listener is sent its state first, so that one that comes back has missed nothing.
 *
 * @param queryId - the market's id.
 */
export function createMarketSubject(queryId: number): Subject {
  /** The state that each listener was sent last. */
  const sent = new Map<EventListener, Market>()
  return {
    async open(client, _, enter) {
      const now = await readMarket(client, queryId)
      const listener = enter([encodeGreeting(`market ${queryId}`), marketEvent(now)])
      sent.set(listener, now)
      return listener
    },
    async look(client) {
      const head = await readHeight(client)
      if ([...sent.values()].every(({ height }) => height === head)) return false
      const now = await readMarket(client, queryId)
      const behind = [...sent].filter(([, { state }]) => state !== now.state)
      for (const [listener] of behind) listener.offer(marketEvent(now))
      for (const listener of sent.keys()) sent.set(listener, now)
      return behind.length > 0
    },
    leave: (listener) => void sent.delete(listener),
  }
}

/** Reads a market after the height, so that what changes meanwhile is seen by the next look. */
async function readMarket(client: Client, queryId: number): Promise<Market> {
  const height = await readHeight(client)
  const info = await runOperation(client, 'get_market_info', { queryId })
  const depth = await runOperation(client, 'get_full_market_depth', { queryId })
  return { height, state: JSON.stringify(toJson({ info, depth })) }
}

function marketEvent({ height, state }: Market): Uint8Array {
  return encodeEvent('market', String(height), { height, ...JSON.parse(state) })
}
