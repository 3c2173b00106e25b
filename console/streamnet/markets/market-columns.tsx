/** Columns that every table of a wallet in markets has. */

import type { Column } from '../../frame/table.tsx'
import { MarketLink } from './market-figures.tsx'

/** The market, which opens. */
export const marketColumn: Column<{ readonly query_id: number }> = {
  head: 'Market',
  value: ({ query_id }) => query_id,
  cell: ({ query_id }) => <MarketLink id={query_id} />,
}

/** The outcome that a share is of. */
export const outcomeColumn: Column<{ readonly outcome: boolean }> = {
  head: 'Outcome',
  width: '6rem',
  value: ({ outcome }) => (outcome ? 'Yes' : 'No'),
}

/** The count of shares. */
export const sharesColumn: Column<{ readonly amount: number }> = {
  head: 'Shares',
  isNumber: true,
  value: ({ amount }) => amount,
}
