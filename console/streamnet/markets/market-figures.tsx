/** Parts of a market that lists and its own view show: its question, its state, its book. */

import type { JSX } from 'preact'
import type { Depth, Market } from '#gateway/contract/results.ts'
import { type Resource, useResource } from '../../frame/resource.ts'
import { read, useRead } from '../gateway.ts'
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

/** The book of a market with the pairs of shares that exist, read again while the component is mounted. */
export function useBook(id: number | string, everyMs: number): Resource<Book> {
  return useResource(
    async (stopping) => {
      const [depths, shares] = await Promise.all([
        read<readonly Depth[]>('get_full_market_depth', { query_id: id }, stopping),
        read<{ readonly total_true: number }>('validate_market_collateral', { query_id: id }, stopping),
      ])
      return { depths, pairs: shares.total_true }
    },
    `book ${id}`,
    everyMs,
  )
}

/** The open orders of a market by price, and its pairs of shares. */
export interface Book {
  readonly depths: readonly Depth[]
  readonly pairs: number
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
