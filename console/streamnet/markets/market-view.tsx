/** One market: its question, its book, a form that trades, its settlement, and the positions of a wallet. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Depth } from '#gateway/contract/results.ts'
import { Facts, State } from '../../frame/components.tsx'
import { Loaded } from '../../frame/loaded.tsx'
import { formatNumber } from '../../frame/number.ts'
import { dateTime, duration, now } from '../../frame/time.ts'
import { useRead } from '../gateway.ts'
import { streamTitle } from '../name-book.ts'
import { hrefOf } from '../stream-name.ts'
import { WalletLink } from '../wallet-link.tsx'
import { type MarketState, useMarketEvents } from '../watch.ts'
import { Ladders } from './market-book.tsx'
import { type Collateral, describeState, QuestionTitle } from './market-figures.tsx'
import { Positions } from './positions.tsx'
import { type MarketInfo, useQuestion } from './question.ts'
import { Settlement } from './settlement.tsx'
import { quoteYes } from './trade.ts'
import { TradeForm } from './trade-form.tsx'

/** The view. */
export function MarketView({ id }: { readonly id: string }): JSX.Element {
  const { market, depths, pairs } = useMarket(id)
  return (
    <div class="stack">
      <p>
        <a href="/console/streams/markets">Markets</a>
      </p>
      <Loaded of={market} rows={4}>
        {(data) => (
          <>
            <Header market={data} depths={depths.data ?? []} pairs={pairs} />
            <Loaded of={depths} rows={6}>
              {(book) => (
                <>
                  <Ladders id={id} depths={book} />
                  {data.settled ? null : <TradeForm market={data} depths={book} />}
                </>
              )}
            </Loaded>
            {data.settled ? null : <Settlement market={data} />}
          </>
        )}
      </Loaded>
      <Positions market={id} />
    </div>
  )
}

/** A market, its book and its pairs of shares: read once, then as the event stream sends them, until it is settled. */
function useMarket(id: string) {
  const [sent, setSent] = useState<MarketState | null>(null)
  const market = useRead<MarketInfo>('get_market_info', { query_id: id })
  const depths = useRead<readonly Depth[]>('get_full_market_depth', { query_id: id })
  const shares = useRead<Collateral>('validate_market_collateral', { query_id: id })
  const info = sent?.info ?? market.data
  useMarketEvents(info === undefined || info.settled ? null : id, (state) => {
    setSent(state)
    shares.reload()
  })
  return {
    market: { ...market, data: info },
    depths: { ...depths, data: sent?.depth ?? depths.data },
    pairs: shares.data?.total_true,
  }
}

interface HeaderProps {
  readonly market: MarketInfo
  readonly depths: readonly Depth[]
  readonly pairs: number | undefined
}

function Header({ market, depths, pairs }: HeaderProps): JSX.Element {
  const question = useQuestion(market)
  const { bid, ask, middle } = quoteYes(depths)
  const left = market.settle_time - now.value / 1000
  return (
    <header class="stack">
      <h2>
        <QuestionTitle market={market} />
      </h2>
      <Facts
        facts={[
          ['State', <State tone={market.settled ? 'good' : 'normal'}>{describeState(market)}</State>],
          ['Price of yes', middle === null ? null : `${middle} ¢ (${bid ?? 'none'} bid, ${ask ?? 'none'} offered)`],
          ['Volume', pairs === undefined ? null : `${formatNumber(pairs)} pairs of shares`],
          [
            'Settles',
            `${dateTime(market.settle_time * 1000)}${market.settled || left < 0 ? '' : `, in ${duration(left)}`}`,
          ],
          [
            'Stream',
            question === undefined ? null : <a href={hrefOf(question.stream)}>{streamTitle(question.stream)}</a>,
          ],
          ['Collateral', market.bridge],
          ['Asked by', <WalletLink wallet={market.creator} />],
          ['Market', `${market.id}, hash ${market.hash}`],
        ]}
      />
    </header>
  )
}
