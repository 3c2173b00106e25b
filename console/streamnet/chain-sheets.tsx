/** The inspectors of the chain: one transaction, and one block. */

import type { JSX } from 'preact'
import type { Block, Transaction } from '#gateway/contract/chain.ts'
import { CopyButton, Facts, State } from '../frame/components.tsx'
import { Sheet } from '../frame/dialog.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { closePart, hrefWith } from '../frame/router.ts'
import { dateTime } from '../frame/time.ts'
import { describeTransaction, formatAmount } from './description.ts'
import { useRead } from './gateway.ts'
import { PayloadView } from './payload.tsx'
import { WalletLink } from './wallet-link.tsx'

/** The time of a transaction, which has none before its block. */
export function timeText({ time_ms }: Pick<Transaction, 'time_ms'>): string {
  return time_ms === null ? 'waiting' : dateTime(time_ms)
}

/** A transaction with its fee, as the path of its hash answers it. */
interface WholeTransaction extends Omit<Transaction, 'event'> {
  readonly event: { readonly fee_amount: string; readonly method: string } | null
}

/** The inspector of a transaction: its sentence, its fee, its place in the chain and its payload. */
export function TransactionSheet({ hash }: { readonly hash: string }): JSX.Element {
  const transaction = useRead<WholeTransaction>(`transactions/${hash}`)
  return (
    <Sheet title="Transaction" onClose={() => closePart({ tx: null })}>
      <Loaded of={transaction} rows={8}>
        {(data) => (
          <div class="stack">
            <p>
              <State tone={data.code === 0 ? 'normal' : 'bad'}>
                {describeTransaction(data)}, fee {formatAmount(data.event?.fee_amount ?? data.fee ?? '0')} TRUF
              </State>
            </p>
            {data.log === '' ? null : <p class="problem">{data.log}</p>}
            <Facts
              isMono
              facts={[
                ['Hash', <Copied text={hash} label="the hash" />],
                ['Sender', data.sender === null ? '-' : <WalletLink wallet={data.sender} />],
                ['Block', <BlockOf transaction={data} />],
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

function BlockOf({ transaction }: { readonly transaction: WholeTransaction }): JSX.Element {
  if (transaction.height < 1) return <>waiting</>
  return (
    <>
      <BlockLink height={transaction.height} />, {timeText(transaction)}
    </>
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

/** The inspector of a block: its facts and its transactions. */
export function BlockSheet({ height }: { readonly height: string }): JSX.Element {
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
