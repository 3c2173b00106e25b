/** The explorer: transactions as sentences, newest first, and one opened to its arguments, outcome and fee. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Block, ListedTransaction, Transaction, Transactions } from '#gateway/contract/chain.ts'
import { Button, CopyButton, Empty, Facts, formatNumber, State } from '../frame/components.tsx'
import { Sheet } from '../frame/dialog.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { closePart, hrefWith, openPart, route } from '../frame/router.ts'
import { Table } from '../frame/table.tsx'
import { dateTime } from '../frame/time.ts'
import { amount, describeAction, describeSender, describeTransaction } from './description.ts'
import { useRead } from './gateway.ts'
import { PayloadView } from './payload.tsx'
import { short } from './stream-name.ts'
import { WalletLink } from './wallet-link.tsx'
import { useBlockEvents } from './watch.ts'

/** The list and what is opened of it. */
export function Chain(): JSX.Element {
  const { query } = route.value
  const [before, setBefore] = useState<readonly string[]>([])
  const from = before.at(-1)
  const page = useRead<Transactions>('transactions', { limit: 50, before: from })
  useBlockEvents((height) => from === undefined && height !== page.data?.height && page.reload())
  const open = query.get('tx')
  const block = query.get('block')
  return (
    <div class="stack">
      <Loaded of={page} rows={12}>
        {(data) => (
          <>
            <p class="quiet">
              The chain has {formatNumber(data.height)} blocks.{' '}
              <a href={hrefWith({ block: String(data.height), tx: null })} data-part>
                Open the newest block
              </a>
            </p>
            <Table<ListedTransaction>
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
                  value: describeTransaction,
                  cell: (transaction) => (
                    <>
                      <span class="long">{describeSender(transaction)} </span>
                      {describeAction(transaction)}
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
                { key: 'height', head: 'Block', isNumber: true, value: ({ height }) => height },
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
      </Loaded>
      {open === null ? null : <TransactionSheet key={open} hash={open} />}
      {block === null || open !== null ? null : <BlockSheet key={block} height={block} />}
    </div>
  )
}

function timeOf({ time_ms }: Pick<Transaction, 'time_ms'>): string {
  return time_ms === null ? 'waiting' : dateTime(time_ms)
}

interface WholeTransaction extends Omit<Transaction, 'event'> {
  readonly event: { readonly fee_amount: string; readonly method: string } | null
}

function TransactionSheet({ hash }: { readonly hash: string }): JSX.Element {
  const transaction = useRead<WholeTransaction>(`transactions/${hash}`)
  return (
    <Sheet title="Transaction" onClose={() => closePart({ tx: null })}>
      <Loaded of={transaction} rows={8}>
        {(data) => (
          <div class="stack">
            <p>
              <State tone={data.code === 0 ? 'normal' : 'bad'}>
                {describeTransaction(data)}, fee {amount(data.event?.fee_amount ?? data.fee ?? '0')} TRUF
              </State>
            </p>
            {data.log === '' ? null : <p class="problem">{data.log}</p>}
            <Facts
              isMono
              facts={[
                ['Hash', <Copied text={hash} label="the hash" />],
                ['Sender', data.sender === null ? '-' : <WalletLink wallet={data.sender} />],
                [
                  'Block',
                  data.height < 1 ? (
                    'waiting'
                  ) : (
                    <>
                      <BlockLink height={data.height} />, {timeOf(data)}
                    </>
                  ),
                ],
                ['Nonce', data.nonce ?? '-'],
                ['Note', data.description || null],
              ]}
            />
            {data.payload === null ? null : <PayloadView payload={data.payload} sender={data.sender} />}
          </div>
        )}
      </Loaded>
    </Sheet>
  )
}

function Copied({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  return (
    <>
      {text} <CopyButton text={text} label={label} />
    </>
  )
}

function BlockLink({ height }: { readonly height: number }): JSX.Element {
  return (
    <a href={hrefWith({ block: String(height), tx: null })} data-part>
      Block {height}
    </a>
  )
}

function BlockSheet({ height }: { readonly height: string }): JSX.Element {
  const block = useRead<Block>(`blocks/${height}`)
  const at = Number(height)
  return (
    <Sheet title={`Block ${height}`} onClose={() => closePart({ block: null })}>
      <Loaded of={block} rows={6}>
        {(data) => (
          <div class="stack">
            <Facts
              isMono
              facts={[
                ['Hash', <Copied text={data.hash} label="the hash" />],
                ['Before it', at < 2 ? null : <BlockLink height={at - 1} />],
                ['After it', <BlockLink height={at + 1} />],
                ['Time', dateTime(data.time_ms)],
                ['Transactions', data.transactions],
              ]}
            />
            <ul class="stack">
              {data.list.map((one) => (
                <li key={one.index}>
                  {one.hash === null ? (
                    describeTransaction(one)
                  ) : (
                    <a href={hrefWith({ tx: one.hash, block: null })} data-part>
                      {describeTransaction(one)}
                    </a>
                  )}
                </li>
              ))}
            </ul>
          </div>
        )}
      </Loaded>
    </Sheet>
  )
}
