/** The list of markets, each with its question, its price and its volume, or the one that the address names. */

import type { JSX } from 'preact'
import type { Depth, Market } from '#gateway/contract/results.ts'
import { Empty } from '../../frame/components.tsx'
import { Loaded } from '../../frame/loaded.tsx'
import { navigate } from '../../frame/router.ts'
import { type Column, Table } from '../../frame/table.tsx'
import { dateTime } from '../../frame/time.ts'
import { mostMarkets, useRead } from '../gateway.ts'
import { type Collateral, describeState, QuestionTitle } from './market-figures.tsx'
import { MarketForm } from './market-form.tsx'
import { MarketView } from './market-view.tsx'
import { quoteYes } from './trade.ts'

/** Milliseconds between two looks at the list, and at each of its books. */
const pollMs = 10_000

/** The market that the address names, or the list with the form that makes one. */
export function Markets({ id }: { readonly id: string | undefined }): JSX.Element {
  return id === undefined ? <MarketList /> : <MarketView key={id} id={id} />
}

function MarketList(): JSX.Element {
  const markets = useRead<readonly Market[]>('list_markets', { limit: mostMarkets }, pollMs)
  return (
    <div class="stack">
      <Loaded of={markets} rows={6}>
        {(data) => <MarketTable markets={data} />}
      </Loaded>
      <MarketForm />
    </div>
  )
}

function MarketTable({ markets }: { readonly markets: readonly Market[] }): JSX.Element {
  return (
    <>
      <Table<Market>
        caption="Markets"
        name="markets"
        rows={markets}
        rowKey={({ hash }) => hash}
        onOpen={({ id }) => navigate(`/console/streams/markets/${id}`)}
        seen={12}
        empty={
          <Empty title="No markets">
            A market asks a question about a stream: ask one below. The seed network on the development tab has two.
          </Empty>
        }
        columns={columns}
      />
      <p class="quiet">
        The price is the middle between the best bid and the best offer of yes; the volume counts the pairs of shares
        that exist.
        {markets.length < mostMarkets
          ? ''
          : ` The newest ${mostMarkets} markets; an older one is at /console/streams/markets/ID.`}
      </p>
    </>
  )
}

const columns: readonly Column<Market>[] = [
  { head: 'Question', value: ({ id }) => id, cell: (market) => <QuestionTitle market={market} /> },
  { head: 'Yes ¢', isNumber: true, cell: ({ id }) => <Price id={id} /> },
  { head: 'Volume', isNumber: true, cell: ({ id }) => <Volume id={id} /> },
  { head: 'State', isWide: true, width: '7rem', value: describeState },
  {
    head: 'Settles',
    isWide: true,
    width: '9.5rem',
    value: ({ settle_time }) => settle_time,
    cell: ({ settle_time }) => dateTime(settle_time * 1000).slice(0, 16),
  },
]

function Price({ id }: Pick<Market, 'id'>): JSX.Element {
  const { data } = useRead<readonly Depth[]>('get_full_market_depth', { query_id: id }, pollMs)
  if (data === undefined) return <span class="quiet">…</span>
  const { middle } = quoteYes(data)
  return middle === null ? <span class="quiet">-</span> : <b>{middle}</b>
}

function Volume({ id }: Pick<Market, 'id'>): JSX.Element {
  const { data } = useRead<Collateral>('validate_market_collateral', { query_id: id }, pollMs)
  return data === undefined ? <span class="quiet">…</span> : <span>{data.total_true}</span>
}
