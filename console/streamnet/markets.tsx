/** Markets: the list, and one opened to its book as two mirrored ladders in cents. */

import type { JSX } from 'preact'
import type { Depth, Market } from '#gateway/contract/results.ts'
import { Empty, formatNumber, Panel, State } from '../frame/components.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { navigate } from '../frame/router.ts'
import { Table } from '../frame/table.tsx'
import { dateTime } from '../frame/time.ts'
import { mostMarkets, useRead } from './gateway.ts'
import { Positions } from './positions.tsx'
import { short } from './stream-name.ts'

/** The list, and the book of the market that the address names. */
export function Markets({ id }: { readonly id: string | undefined }): JSX.Element {
  const markets = useRead<readonly Market[]>('list_markets', { limit: mostMarkets }, 10_000)
  return (
    <div class="stack">
      <Loaded of={markets} rows={6}>
        {(data) => <MarketTable markets={data} open={id} />}
      </Loaded>
      {id === undefined ? <p class="quiet">Open a market to see its book.</p> : <Book key={id} id={id} />}
      <Positions market={id} />
    </div>
  )
}

interface MarketTableProps {
  readonly markets: readonly Market[]
  readonly open: string | undefined
}

function MarketTable({ markets, open }: MarketTableProps): JSX.Element {
  return (
    <>
      <Table<Market>
        caption="Markets"
        name="markets"
        rows={markets}
        rowKey={(market) => String(market.id)}
        onOpen={(market) => navigate(`/console/streams/markets/${market.id}`)}
        isOpen={(market) => String(market.id) === open}
        seen={8}
        empty={
          <Empty title="No markets">
            <p>
              A market asks a question about a stream.{' '}
              <a href="/docs/streams?operation=create_price_above_threshold_market">
                create_price_above_threshold_market
              </a>{' '}
              makes one, and the seed network on the development tab has two.
            </p>
          </Empty>
        }
        columns={[
          {
            key: 'id',
            head: 'Market',
            width: '6rem',
            value: (market) => market.id,
            cell: (market) => String(market.id),
          },
          {
            key: 'state',
            head: 'State',
            value: ({ settled, winning_outcome: won }) => (settled ? `settled: ${won ? 'yes' : 'no'}` : 'open'),
          },
          {
            key: 'settles',
            head: 'Settles',
            value: ({ settle_time }) => settle_time,
            cell: ({ settle_time }) => dateTime(settle_time * 1000),
          },
          {
            key: 'hash',
            head: 'Hash',
            isWide: true,
            value: ({ hash }) => hash,
            cell: ({ hash }) => <span class="mono">{short(hash)}</span>,
          },
        ]}
      />
      {markets.length < mostMarkets ? null : (
        <p class="quiet">The newest {mostMarkets} markets; an older one is at /console/streams/markets/ID.</p>
      )}
    </>
  )
}

function Book({ id }: { readonly id: string }): JSX.Element {
  const book = useRead<readonly Depth[]>('get_full_market_depth', { query_id: id }, 5_000)
  return (
    <Loaded of={book} rows={6}>
      {(depths) => <Ladders id={id} depths={depths} />}
    </Loaded>
  )
}

function Ladders({ id, depths }: { readonly id: string; readonly depths: readonly Depth[] }): JSX.Element {
  if (depths.length === 0) {
    return (
      <Empty title={`The book of market ${id} is empty`}>
        <p>
          <a href="/docs/streams?operation=place_split_limit_order">place_split_limit_order</a> makes the first pair of
          shares and offers one of them.
        </p>
      </Empty>
    )
  }
  const most = Math.max(1, ...depths.map((depth) => Math.max(depth.buy_volume, depth.sell_volume)))
  return (
    <Panel title={`Book of market ${id}`}>
      <div class="columns">
        {[true, false].map((outcome) => (
          <Ladder
            key={String(outcome)}
            name={outcome ? 'Yes' : 'No'}
            rows={depths.filter((one) => one.outcome === outcome)}
            most={most}
          />
        ))}
      </div>
    </Panel>
  )
}

interface LadderProps {
  readonly name: string
  readonly rows: readonly Depth[]
  readonly most: number
}

function Ladder({ name, rows, most }: LadderProps): JSX.Element {
  const sorted = [...rows].sort((one, other) => other.price - one.price)
  const bid = Math.max(...rows.filter(({ buy_volume }) => buy_volume > 0).map(({ price }) => price))
  const ask = Math.min(...rows.filter(({ sell_volume }) => sell_volume > 0).map(({ price }) => price))
  const isQuoted = Number.isFinite(bid) && Number.isFinite(ask)
  return (
    <table class="ladder">
      <caption>
        <State tone="normal">{name}</State>{' '}
        <span class="quiet">
          {isQuoted ? `${bid} bid, ${ask} ask, spread ${ask - bid} ¢` : 'not quoted on both sides'}
        </span>
      </caption>
      <thead>
        <tr>
          <th scope="col" class="num">
            Bought
          </th>
          <th scope="col" class="num">
            Price ¢
          </th>
          <th scope="col">Sold</th>
        </tr>
      </thead>
      <tbody>
        {sorted.map(({ price, buy_volume: bought, sell_volume: sold }) => (
          <tr key={price}>
            <td class="num">
              <i class="volume buy" style={{ width: `${(bought / most) * 100}%` }} />
              <span>{bought > 0 ? formatNumber(bought) : ''}</span>
            </td>
            <th scope="row" class="num">
              {price}
            </th>
            <td>
              <i class="volume sell" style={{ width: `${(sold / most) * 100}%` }} />
              <span>{sold > 0 ? formatNumber(sold) : ''}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
