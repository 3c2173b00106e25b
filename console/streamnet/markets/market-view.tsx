/** One market: its question, its book, a form that trades, its settlement, and the positions of a wallet. */

import type { JSX } from 'preact'
import { Facts, formatNumber, State } from '../../frame/components.tsx'
import { Loaded } from '../../frame/loaded.tsx'
import { dateTime, duration, now } from '../../frame/time.ts'
import { useRead } from '../gateway.ts'
import { streamTitle } from '../name-book.ts'
import { hrefOf } from '../stream-name.ts'
import { WalletLink } from '../wallet-link.tsx'
import { Ladders } from './market-book.tsx'
import { type Book, describeState, QuestionTitle, useBook } from './market-figures.tsx'
import { Positions } from './positions.tsx'
import { type MarketInfo, useQuestion } from './question.ts'
import { Settlement } from './settlement.tsx'
import { quoteYes } from './trade.ts'
import { TradeForm } from './trade-form.tsx'

/** The view. */
export function MarketView({ id }: { readonly id: string }): JSX.Element {
  const info = useRead<MarketInfo>('get_market_info', { query_id: id }, 5_000)
  const book = useBook(id, 5_000)
  return (
    <div class="stack">
      <p>
        <a href="/console/streams/markets">Markets</a>
      </p>
      <Loaded of={info} rows={4}>
        {(market) => (
          <>
            <Header market={market} book={book.data} />
            <Loaded of={book} rows={6}>
              {({ depths }) => (
                <>
                  <Ladders id={id} depths={depths} />
                  {market.settled ? null : <TradeForm market={market} depths={depths} onTraded={book.reload} />}
                </>
              )}
            </Loaded>
            {market.settled ? null : <Settlement market={market} onSettled={info.reload} />}
          </>
        )}
      </Loaded>
      <Positions market={id} />
    </div>
  )
}

interface HeaderProps {
  readonly market: MarketInfo
  readonly book: Book | undefined
}

function Header({ market, book }: HeaderProps): JSX.Element {
  const question = useQuestion(market)
  const { bid, ask, middle } = quoteYes(book?.depths ?? [])
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
          ['Volume', book === undefined ? null : `${formatNumber(book.pairs)} pairs of shares`],
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
