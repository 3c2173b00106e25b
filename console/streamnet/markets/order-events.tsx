/** The history of a wallet's orders in markets: placed, filled, cancelled, settled; newest first. */

import type { JSX } from 'preact'
import type { OrderEvent } from '#gateway/contract/results.ts'
import { Empty } from '../../frame/components.tsx'
import { Loaded } from '../../frame/loaded.tsx'
import { formatNumber } from '../../frame/number.ts'
import { useResource } from '../../frame/resource.ts'
import { type Column, Table } from '../../frame/table.tsx'
import { dateTime } from '../../frame/time.ts'
import { read } from '../gateway.ts'
import { WalletLink } from '../wallet-link.tsx'
import { mostPages, pageRows, readPages } from './event-pages.ts'
import { marketColumn, outcomeColumn, sharesColumn } from './market-columns.tsx'

/** Words for each kind of event; another kind is shown by its name. */
const kinds: Readonly<Record<string, string>> = {
  buy_placed: 'offered to buy',
  sell_placed: 'offered to sell',
  bid_changed: 'changed the bid',
  ask_changed: 'changed the ask',
  split_placed: 'made a pair of shares',
  direct_buy_fill: 'bought',
  direct_sell_fill: 'sold',
  mint_fill: 'bought, with a new pair',
  burn_fill: 'sold, and a pair was given back',
  cancelled: 'took the order back',
  settled: 'was settled',
}

interface OrderEventsProps {
  readonly wallet: string
  /** Only this market; all when absent. */
  readonly market: string | undefined
}

/** The table. */
export function OrderEvents({ wallet, market }: OrderEventsProps): JSX.Element {
  const events = useResource(
    (signal) =>
      readPages((offset) => {
        const asked = { wallet, query_id: market, limit: pageRows, offset }
        return read<readonly OrderEvent[]>('get_order_events_by_wallet', asked, signal)
      }),
    `order events ${wallet} ${market}`,
    5_000,
  )
  return (
    <>
      <h3>History of its orders</h3>
      <Loaded of={events} rows={4}>
        {(data) => <EventTable events={data} market={market} />}
      </Loaded>
    </>
  )
}

interface EventTableProps {
  /** Oldest first, as the network gives them. */
  readonly events: readonly OrderEvent[]
  readonly market: string | undefined
}

function EventTable({ events, market }: EventTableProps): JSX.Element {
  return (
    <>
      {events.length < mostPages * pageRows ? null : (
        <p class="quiet">The oldest {formatNumber(events.length)} events; later ones are not shown.</p>
      )}
      <Table<OrderEvent>
        caption="History of orders"
        name="order-events"
        rows={[...events].reverse()}
        rowKey={({ id }) => String(id)}
        seen={8}
        empty={
          <Empty title="This wallet never placed an order here">
            What happens to an order appears here: placed, filled, cancelled, settled.
          </Empty>
        }
        columns={market === undefined ? [marketColumn, ...columns] : columns}
      />
    </>
  )
}

const columns: readonly Column<OrderEvent>[] = [
  { head: 'What', value: ({ event_type: type }) => kinds[type] ?? type },
  { ...outcomeColumn, width: '5rem' },
  { head: 'Price ¢', isNumber: true, value: ({ price }) => Math.abs(price) },
  sharesColumn,
  {
    head: 'With',
    isWide: true,
    value: ({ counterparty_address: other }) => other ?? '',
    cell: ({ counterparty_address: other }) => (other === null ? '-' : <WalletLink wallet={other} />),
  },
  {
    head: 'Time',
    isWide: true,
    width: '11rem',
    value: ({ block_timestamp: seconds }) => seconds,
    cell: ({ block_timestamp: seconds }) => dateTime(seconds * 1000),
  },
]
