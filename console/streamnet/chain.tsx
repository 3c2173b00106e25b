/** The explorer of the chain: transactions as sentences, newest first, and the sheet of the one that is open. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ListedTransaction, Transactions } from '#gateway/contract/chain.ts'
import { Button, Empty, State } from '../frame/components.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { formatNumber } from '../frame/number.ts'
import { hrefWith, openPart, route } from '../frame/router.ts'
import { type Column, Table } from '../frame/table.tsx'
import { BlockSheet, TransactionSheet, timeText } from './chain-sheets.tsx'
import { describeAction, describeSender, describeTransaction } from './description.ts'
import { useRead } from './gateway.ts'
import { short } from './stream-name.ts'
import { useBlockEvents } from './watch.ts'

/** The list and what is opened of it. */
export function Chain(): JSX.Element {
  const { query } = route.value
  // The places where the pages begin that were opened after the newest one.
  const [before, setBefore] = useState<readonly string[]>([])
  const from = before.at(-1)
  const page = useRead<Transactions>('transactions', { limit: 50, before: from })
  useBlockEvents((height) => from === undefined && height !== page.data?.height && page.reload())
  const open = query.get('tx')
  const block = query.get('block')
  return (
    <div class="stack">
      <Loaded of={page} rows={12}>
        {({ height, transactions, next }) => (
          <>
            <p class="quiet">
              The chain has {formatNumber(height)} blocks.{' '}
              <a href={hrefWith({ block: String(height), tx: null })} data-part>
                Open the newest block
              </a>
            </p>
            <TransactionTable transactions={transactions} open={open} />
            <div class="row">
              {before.length > 0 ? <Button onClick={() => setBefore(before.slice(0, -1))}>Newer</Button> : null}
              {next === undefined ? null : <Button onClick={() => setBefore([...before, next])}>Older</Button>}
            </div>
          </>
        )}
      </Loaded>
      {open === null ? null : <TransactionSheet key={open} hash={open} />}
      {block === null || open !== null ? null : <BlockSheet key={block} height={block} />}
    </div>
  )
}

interface TransactionTableProps {
  readonly transactions: readonly ListedTransaction[]
  /** The hash of the transaction that is open. */
  readonly open: string | null
}

function TransactionTable({ transactions, open }: TransactionTableProps): JSX.Element {
  return (
    <Table<ListedTransaction>
      caption="Transactions"
      name="transactions"
      rows={transactions}
      rowKey={({ height, index }) => `${height} ${index}`}
      onOpen={({ hash }) => openPart({ tx: hash, block: null })}
      isOpen={({ hash }) => hash !== null && hash === open}
      seen={18}
      empty={<Empty title="No transactions in these blocks">Publish a record, and it is here a moment later.</Empty>}
      columns={columns}
    />
  )
}

const columns: readonly Column<ListedTransaction>[] = [
  {
    head: 'What',
    value: describeTransaction,
    cell: (transaction) => (
      <>
        <span class="long">{describeSender(transaction)} </span>
        {describeAction(transaction)}
      </>
    ),
  },
  {
    head: 'Outcome',
    width: '6rem',
    value: ({ code }) => code,
    cell: ({ code }) => <State tone={code === 0 ? 'normal' : 'bad'}>{code === 0 ? 'done' : 'failed'}</State>,
  },
  { head: 'Block', isNumber: true, value: ({ height }) => height },
  { head: 'Time', isWide: true, width: '11rem', value: ({ time_ms }) => time_ms ?? 0, cell: timeText },
  {
    head: 'Hash',
    isWide: true,
    width: '9rem',
    value: ({ hash }) => hash ?? '',
    cell: ({ hash }) => <span class="mono">{short(hash ?? '-')}</span>,
  },
]
