import { describe, expect, test } from 'vitest'
import type { createClient } from '#streamnet/client.ts'
import { watchMarketEvents } from '#streamnet/gateway/market.ts'
import { follow, gateway, sends } from '../../support/gateway-events.ts'

describe('watchMarketEvents()', () => {
  const info = { id: 3, hash: '0x01', query_components: '0x02', creator: '0x03', bridge: null, settled: false }
  const market = (height: number, volume: number, settled = false) => ({
    height,
    info: { ...info, settled },
    depth: [{ outcome: true, price: 50, buy_volume: volume, sell_volume: 0, total_amount: volume }],
  })
  const watch = (client: ReturnType<typeof createClient>) => watchMarketEvents(client, { ...gateway, queryId: 3 })

  test('gives each state once over connections that broke, and ends when the market is settled', async () => {
    const script = [
      sends('market', market(1, 0), market(2, 5)),
      sends('market', market(4, 5), market(5, 6), market(6, 6, true), market(7, 7)),
    ]
    const { seen, code, asked } = await follow(script, watch)
    expect(code).toBe('ended')
    expect(seen.map(({ info, depth }) => [info.settled, depth[0]?.buyVolume])).toEqual([
      [false, 0],
      [false, 5],
      [false, 6],
      [true, 6],
    ])
    const bytes = { hash: new Uint8Array([1]), queryComponents: new Uint8Array([2]), creator: new Uint8Array([3]) }
    expect(seen[0]?.info).toEqual({ id: 3, bridge: null, settled: false, ...bytes })
    expect(asked).toEqual(['/markets/3/events', '/markets/3/events after 2'])
  })

  test('ends with an event that is not a market, and asks for no market of a malformed id', async () => {
    const strange = [{ height: 1 }, { height: 1, info: {}, depth: [1] }, { height: 1, info: { hash: '01' }, depth: [] }]
    for (const data of strange) {
      expect((await follow([sends('market', data)], watch)).code).toBe('malformed_response')
    }
    const refused = await follow([], (client) => watchMarketEvents(client, { ...gateway, queryId: 0 }))
    expect([refused.code, refused.asked]).toEqual(['invalid_argument', []])
  })
})
