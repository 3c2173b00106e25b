/** Parts of a market that lists and its own view show: its question, its state, its shares. */

import type { JSX } from 'preact'
import type { Market } from '#gateway/contract/results.ts'
import { useRead } from '../gateway.ts'
import { describeQuestion, type MarketInfo, useQuestion } from './question.ts'

/** The state of a market in a word or two. */
export function describeState({ settled, winning_outcome: won }: Pick<Market, 'settled' | 'winning_outcome'>): string {
  return settled ? `settled: ${won === true ? 'yes' : 'no'}` : 'open'
}

/** The question of a market; its number until that is read. */
export function QuestionTitle({ market }: { readonly market: Pick<Market, 'id' | 'hash'> }): JSX.Element {
  const question = useQuestion(market)
  const text = question === undefined ? `Market ${market.id}` : describeQuestion(question)
  return <span title={text}>{text}</span>
}

/** The shares of a market that exist, of which a part is read. */
export interface Collateral {
  /** Shares of yes: pairs, as there is one of no for each. */
  readonly total_true: number
}

/** A market by its question where only its number is known, with the way to its view. */
export function MarketLink({ id }: { readonly id: number }): JSX.Element {
  const { data } = useRead<MarketInfo>('get_market_info', { query_id: id })
  return (
    <a href={`/console/streams/markets/${id}`}>
      {data === undefined ? `Market ${id}` : <QuestionTitle market={data} />}
    </a>
  )
}
