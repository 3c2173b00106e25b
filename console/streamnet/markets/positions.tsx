/** Holdings, bids and asks of a wallet in markets, and the history of its orders. */

import type { JSX } from 'preact'
import type { Position } from '#gateway/contract/results.ts'
import { Button, Empty, Panel, Problem } from '../../frame/components.tsx'
import { Loaded } from '../../frame/loaded.tsx'
import { formatNumber } from '../../frame/number.ts'
import { useAction } from '../../frame/resource.ts'
import { type Column, Table } from '../../frame/table.tsx'
import { useRead, write } from '../gateway.ts'
import { useWallet } from '../wallet.tsx'
import { marketColumn, outcomeColumn, sharesColumn } from './market-columns.tsx'
import { OrderEvents } from './order-events.tsx'

const kinds: Readonly<Record<string, string>> = {
  holding: 'holds',
  buy_order: 'offers to buy',
  sell_order: 'offers to sell',
}

/** The tables of the wallet that a field chooses, in one market. */
export function Positions({ market }: { readonly market: string }): JSX.Element {
  const { wallet, isOwn, isMissing, field } = useWallet()
  return (
    <Panel title={`Positions of a wallet in market ${market}`}>
      {field}
      {isMissing ? <Empty title="This gateway has no wallet">Type the address of a wallet above.</Empty> : null}
      {wallet === null ? null : <PositionTables wallet={wallet} isOwn={isOwn} market={market} />}
    </Panel>
  )
}

interface PositionTablesProps {
  readonly wallet: string
  /** True where it is the gateway's own, whose orders can be taken back here. */
  readonly isOwn: boolean
  /** Only this one; all when undefined. */
  readonly market: string | undefined
}

/** Shares and orders of a wallet, and the history of its orders. */
export function PositionTables({ wallet, isOwn, market }: PositionTablesProps): JSX.Element {
  const positions = useRead<readonly Position[]>('get_positions_by_wallet', { wallet }, 5_000)
  const { isBusy, error, run } = useAction()
  const cancel = async ({ query_id, outcome, price }: Position) => {
    await write('cancel_order', { query_id, outcome, price })
    positions.reload()
  }
  const takeBack: Column<Position> = {
    head: 'Order',
    width: '7rem',
    cell: (position) =>
      position.price === 0 ? null : (
        <Button disabled={isBusy} onClick={() => run(() => cancel(position))}>
          Take back
        </Button>
      ),
  }
  return (
    <div class="stack">
      <Loaded of={positions}>
        {(data) => (
          <Table<Position>
            caption="Positions"
            name="positions"
            rows={data.filter(({ query_id }) => market === undefined || String(query_id) === market)}
            rowKey={({ query_id, outcome, price }) => `${query_id} ${outcome} ${price}`}
            seen={8}
            empty={
              <Empty
                title={`This wallet has no position in ${market === undefined ? 'any market' : `market ${market}`}`}
              >
                The form of a market trades for the gateway's own wallet.
              </Empty>
            }
            columns={[...(market === undefined ? [marketColumn] : []), ...columns, ...(isOwn ? [takeBack] : [])]}
          />
        )}
      </Loaded>
      <Problem error={error} />
      <OrderEvents wallet={wallet} market={market} />
    </div>
  )
}

const columns: readonly Column<Position>[] = [
  outcomeColumn,
  { head: 'What', value: ({ position_type: type }) => kinds[type] ?? type },
  {
    head: 'Price ¢',
    isNumber: true,
    // The network writes a bid as a price below 0, and a holding as 0.
    value: ({ price }) => Math.abs(price),
    cell: ({ price }) => (price === 0 ? '-' : formatNumber(Math.abs(price))),
  },
  sharesColumn,
]
