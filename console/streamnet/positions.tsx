/** Holdings, bids and asks of a wallet in markets, and the history of its orders. */

import type { JSX } from 'preact'
import type { Position } from '#gateway/contract/results.ts'
import { Empty, formatNumber } from '../frame/components.tsx'
import { useResource } from '../frame/resource.ts'
import { type Column, Table } from '../frame/table.tsx'
import { read } from './gateway.ts'
import { marketColumn, outcomeColumn, sharesColumn } from './market-columns.tsx'
import { OrderEvents } from './order-events.tsx'
import { useWallet, WalletPanel } from './wallet.tsx'

const kinds: Readonly<Record<string, string>> = {
  holding: 'holds',
  buy_order: 'offers to buy',
  sell_order: 'offers to sell',
}

/** The table, with the field that chooses the wallet. @param market - Only this one; all when absent. */
export function Positions({ market }: { readonly market: string | undefined }): JSX.Element {
  const choice = useWallet()
  const { wallet } = choice
  const positions = useResource(
    async (signal) => (wallet === null ? [] : read<readonly Position[]>('get_positions_by_wallet', { wallet }, signal)),
    `positions ${wallet}`,
    5_000,
  )
  const where = market === undefined ? 'any market' : `market ${market}`
  return (
    <WalletPanel
      title={market === undefined ? 'Positions of a wallet' : `Positions of a wallet in market ${market}`}
      choice={choice}
      resource={positions}
    >
      <div class="stack">
        <Table<Position>
          caption="Positions"
          name="positions"
          rows={(positions.data ?? []).filter(({ query_id }) => market === undefined || String(query_id) === market)}
          rowKey={({ query_id, outcome, price }) => `${query_id} ${outcome} ${price}`}
          seen={8}
          empty={
            <Empty title={`This wallet has no position in ${where}`}>
              <p>
                <a href="/docs/streams?operation=place_buy_order">place_buy_order</a> makes a bid, and{' '}
                <a href="/docs/streams?operation=place_split_limit_order">place_split_limit_order</a> a pair of shares.
                The gateway runs both for its own wallet.
              </p>
            </Empty>
          }
          columns={market === undefined ? [marketColumn, ...columns] : columns}
        />
        {wallet === null ? null : <OrderEvents wallet={wallet} market={market} />}
      </div>
    </WalletPanel>
  )
}

const columns: readonly Column<Position>[] = [
  outcomeColumn,
  { key: 'kind', head: 'What', value: ({ position_type: type }) => kinds[type] ?? type },
  {
    key: 'price',
    head: 'Price ¢',
    isNumber: true,
    // The network writes a bid as a price below 0, and a holding as 0.
    value: ({ price }) => Math.abs(price),
    cell: ({ price }) => (price === 0 ? '-' : formatNumber(Math.abs(price))),
  },
  sharesColumn,
]
