/** The explorer: transactions as sentences, newest first, and one opened to its arguments, outcome and fee. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button, Empty, formatNumber, Problem, Sheet, Skeleton, State } from '../frame/pieces.tsx'
import { useResource } from '../frame/resource.ts'
import { closePart, hrefWith, openPart, route } from '../frame/router.ts'
import { Table } from '../frame/table.tsx'
import { dateTime } from '../frame/time.ts'
import { amount, type Block, deedOf, read, senderOf, sentenceOf, short, type Transaction } from './gateway.ts'

interface Page {
  readonly height: number
  readonly transactions: readonly Transaction[]
  readonly next?: string
}

/** The list and what is opened of it. */
export function Chain(): JSX.Element {
  const { query } = route.value
  const [before, setBefore] = useState<readonly string[]>([])
  const from = before.at(-1)
  const page = useResource(
    (signal) => read<Page>('transactions', { limit: 50, before: from }, signal),
    `transactions ${from}`,
    from === undefined ? 3_000 : undefined,
  )
  const open = query.get('tx')
  const block = query.get('block')
  const { data } = page
  return (
    <div class="stack">
      {page.error === undefined ? null : <Problem error={page.error} onRetry={page.reload} />}
      {data === undefined && page.error === undefined ? <Skeleton rows={12} /> : null}
      {data === undefined ? null : (
        <>
          <p class="quiet">
            The chain has {formatNumber(data.height)} blocks.{' '}
            <a href={hrefWith({ block: String(data.height), tx: null })} data-part>
              Open the newest block
            </a>
          </p>
          <Table<Transaction>
            caption="Transactions"
            name="transactions"
            rows={data.transactions}
            rowKey={({ height, index }) => `${height} ${index}`}
            onOpen={({ hash }) => openPart({ tx: hash, block: null })}
            isOpen={({ hash }) => hash !== null && hash === open}
            seen={18}
            empty={
              <Empty title="No transactions in these blocks">
                <p>Publish a record, and it is here a moment later.</p>
              </Empty>
            }
            columns={[
              {
                key: 'what',
                head: 'What',
                value: sentenceOf,
                cell: (transaction) => (
                  <>
                    <span class="long">{senderOf(transaction)} </span>
                    {deedOf(transaction)}
                  </>
                ),
              },
              {
                key: 'outcome',
                head: 'Outcome',
                width: '6rem',
                value: ({ code }) => code,
                cell: ({ code }) => (
                  <State tone={code === 0 ? 'normal' : 'bad'}>{code === 0 ? 'done' : 'failed'}</State>
                ),
              },
              {
                key: 'height',
                head: 'Block',
                isNumber: true,
                value: ({ height }) => height,
                cell: ({ height }) => formatNumber(height),
              },
              {
                key: 'time',
                head: 'Time',
                isWide: true,
                width: '11rem',
                value: ({ time_ms }) => time_ms ?? 0,
                cell: timeOf,
              },
              {
                key: 'hash',
                head: 'Hash',
                isWide: true,
                width: '9rem',
                value: ({ hash }) => hash ?? '',
                cell: ({ hash }) => <span class="mono">{short(hash ?? '-')}</span>,
              },
            ]}
          />
          <div class="row">
            {before.length > 0 ? <Button onClick={() => setBefore(before.slice(0, -1))}>Newer</Button> : null}
            {data.next === undefined ? null : (
              <Button onClick={() => setBefore([...before, data.next ?? ''])}>Older</Button>
            )}
          </div>
        </>
      )}
      {open === null ? null : <TransactionSheet key={open} hash={open} />}
      {block === null || open !== null ? null : <BlockSheet key={block} height={block} />}
    </div>
  )
}

function timeOf({ time_ms }: Transaction): string {
  return time_ms === null ? 'waiting' : dateTime(time_ms)
}

interface WholeTransaction extends Transaction {
  readonly event: { readonly fee_amount: string; readonly method: string } | null
}

function TransactionSheet({ hash }: { readonly hash: string }): JSX.Element {
  const { data, error, reload } = useResource(
    (signal) => read<WholeTransaction>(`transactions/${hash}`, {}, signal),
    hash,
  )
  return (
    <Sheet title="Transaction" onClose={() => closePart({ tx: null })}>
      {error === undefined ? null : <Problem error={error} onRetry={reload} />}
      {data === undefined && error === undefined ? <Skeleton rows={8} /> : null}
      {data === undefined ? null : (
        <div class="stack">
          <p>
            <State tone={data.code === 0 ? 'normal' : 'bad'}>
              {sentenceOf(data)}, fee {amount(data.event?.fee_amount ?? data.fee ?? '0')} TRUF
            </State>
          </p>
          {data.log === '' ? null : <p class="problem">{data.log}</p>}
          <dl class="facts">
            <Fact name="Hash">{hash}</Fact>
            <Fact name="Sender">{data.sender ?? '-'}</Fact>
            <Fact name="Block">{`${data.height}, ${timeOf(data)}`}</Fact>
            <Fact name="Nonce">{String(data.nonce ?? '-')}</Fact>
            {data.description === '' ? null : <Fact name="Note">{data.description}</Fact>}
          </dl>
          <h3>Payload, decoded</h3>
          <pre>{JSON.stringify(data.payload, null, 2)}</pre>
        </div>
      )}
    </Sheet>
  )
}

function BlockSheet({ height }: { readonly height: string }): JSX.Element {
  type Whole = Block & { readonly list: readonly Transaction[] }
  const { data, error, reload } = useResource((signal) => read<Whole>(`blocks/${height}`, {}, signal), height)
  const before = Number(height) - 1
  return (
    <Sheet title={`Block ${height}`} onClose={() => closePart({ block: null })}>
      {error === undefined ? null : <Problem error={error} onRetry={reload} />}
      {data === undefined && error === undefined ? <Skeleton rows={6} /> : null}
      {data === undefined ? null : (
        <div class="stack">
          <dl class="facts">
            <Fact name="Hash">{data.hash}</Fact>
            <Fact name="Time">{dateTime(data.time_ms)}</Fact>
            <Fact name="Transactions">{String(data.transactions)}</Fact>
          </dl>
          <ul class="stack">
            {data.list.map((one) => (
              <li key={one.index}>
                <a href={`/console/streams/chain?tx=${one.hash}`}>{sentenceOf(one)}</a>
              </li>
            ))}
          </ul>
          {before < 1 ? null : <a href={`/console/streams/chain?block=${before}`}>Block {before}</a>}
        </div>
      )}
    </Sheet>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: string }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="mono">{children}</dd>
    </div>
  )
}
