/** The state of a market that listeners are sent: first as it is, then after each change. */

import { describe, expect, it } from 'vitest'
import { createMarketSubject } from '#objects/streamnet/watch/market.ts'
import { createChain } from './watched-chain.ts'

const told = (events: readonly { readonly data: string; readonly lastEventId: string }[]) =>
  events.map(({ data, lastEventId }) => {
    const { height, info, depth } = JSON.parse(data)
    expect(String(height)).toBe(lastEventId)
    return [height, info.settled, depth[0].buy_volume]
  })

describe('createMarketSubject()', () => {
  it('sends the state first, and after each change of the book or of the market, by one look for all', async () => {
    const chain = createChain(1)
    const market = createMarketSubject(1)
    const early = await chain.listen(market)
    chain.change({ volume: 7 })
    const late = await chain.listen(market)
    const before = chain.reads
    await market.look(chain.client)
    chain.height += 1
    expect([await market.look(chain.client), await market.look(chain.client)]).toEqual([false, false])
    expect(chain.reads - before).toBe(4)
    chain.change({ settled: true })
    await market.look(chain.client)
    expect(told(await early.events())).toEqual([
      [1, false, 0],
      [2, false, 7],
      [4, true, 7],
    ])
    expect(told(await late.events())).toEqual([
      [2, false, 7],
      [4, true, 7],
    ])
  })

  it('sends a listener that reconnects the state that it missed', async () => {
    const chain = createChain(1)
    const market = createMarketSubject(1)
    market.leave((await chain.listen(market)).listener)
    chain.change({ volume: 3 })
    await market.look(chain.client)
    expect(told(await (await chain.listen(market, '1')).events())).toEqual([[2, false, 3]])
  })

  it('has members as the operations of the gateway write them', async () => {
    const listener = await createChain(1).listen(createMarketSubject(9))
    const [event] = await listener.events()
    expect([event?.event, JSON.parse(event?.data ?? '')]).toEqual([
      'market',
      {
        height: 1,
        info: expect.objectContaining({
          id: 9,
          hash: '0x01',
          query_components: '0x02',
          settled_at: null,
          creator: '0x03',
        }),
        depth: [{ outcome: true, price: 50, buy_volume: 0, sell_volume: 0, total_amount: 0 }],
      },
    ])
  })
})
