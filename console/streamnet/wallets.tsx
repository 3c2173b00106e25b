/** The page of a wallet: its tag, its tokens, its streams, its markets, its fees and its transfers. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Fee, Stream } from '#gateway/contract/results.ts'
import { CopyButton, Empty, Facts, Panel } from '../frame/components.tsx'
import { Form } from '../frame/fields.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { formatNumber } from '../frame/number.ts'
import { useResource } from '../frame/resource.ts'
import { navigate } from '../frame/router.ts'
import { type Column, Table } from '../frame/table.tsx'
import { formatAmount } from './description.ts'
import { tokens } from './funds.ts'
import { mostStreams, read, useOwnAccount, useRead } from './gateway.ts'
import { PositionTables } from './markets/positions.tsx'
import { walletTitle } from './name-book.ts'
import { WalletTagForm } from './name-form.tsx'
import { StreamList } from './stream-list.tsx'
import { short } from './stream-name.ts'
import { parseWallet, WalletField } from './wallet.tsx'

/** Bridges whose tokens fees and markets are paid with, of test networks and of the main one. */
const bridges = ['hoodi_tt', 'hoodi_tt2', 'eth_truf', 'eth_usdc'] as const

/** The wallet of the address, or the gateway's own. */
export function Wallets({ address }: { readonly address: string | undefined }): JSX.Element {
  const own = useOwnAccount()
  const wallet = parseWallet(address ?? own.data ?? '')
  return (
    <div class="stack">
      <Lookup />
      <Loaded of={own} rows={4}>
        {() =>
          wallet === null ? (
            <Empty title={address === undefined ? 'This gateway has no wallet' : 'This is not the address of a wallet'}>
              Type an address above: 0x and 40 hex digits.
            </Empty>
          ) : (
            <Wallet key={wallet} wallet={wallet} isOwn={wallet === own.data?.toLowerCase()} />
          )
        }
      </Loaded>
    </div>
  )
}

function Lookup(): JSX.Element {
  const [typed, setTyped] = useState('')
  const wallet = parseWallet(typed)
  return (
    <Form onSubmit={() => wallet !== null && navigate(`/console/streams/wallets/${wallet}`)}>
      <WalletField
        hint="0x and 40 hex digits, then Enter; the gateway's own until then"
        typed={typed}
        onTyped={setTyped}
      />
    </Form>
  )
}

function Wallet({ wallet, isOwn }: { readonly wallet: string; readonly isOwn: boolean }): JSX.Element {
  const streams = useRead<readonly Stream[]>('list_streams', { data_provider: wallet, limit: mostStreams }, 10_000)
  return (
    <>
      <header>
        <h2>
          {walletTitle(wallet)} {isOwn ? <small>the gateway's own</small> : null}
        </h2>
        <p class="row">
          <span class="mono">{wallet}</span> <CopyButton text={wallet} label="the address" />
        </p>
      </header>
      <WalletTagForm wallet={wallet} />
      <Tokens wallet={wallet} />
      <Panel title="Streams of the wallet">
        <Loaded of={streams}>
          {(data) =>
            data.length === 0 ? <Empty title="This wallet owns no streams" /> : <StreamList streams={data} />
          }
        </Loaded>
      </Panel>
      <Panel title="Markets">
        <PositionTables wallet={wallet} isOwn={isOwn} market={undefined} />
      </Panel>
      <Fees wallet={wallet} />
    </>
  )
}

/** The balances of a wallet; a bridge that the network lacks is left out. */
function Tokens({ wallet }: { readonly wallet: string }): JSX.Element {
  const balances = useResource(
    (signal) =>
      Promise.all(
        bridges.map(async (bridge) => {
          const asked = { bridge_identifier: bridge, wallet_address: wallet }
          const balance = await read<string>('get_wallet_balance', asked, signal).catch(() => null)
          return { bridge, balance }
        }),
      ),
    `balances ${wallet}`,
    5_000,
  )
  return (
    <Panel title="Tokens">
      <Loaded of={balances}>
        {(data) => (
          <Facts
            facts={data.map(({ bridge, balance }) => [
              bridge,
              balance === null ? null : formatNumber(tokens(bridge, balance), 2),
            ])}
          />
        )}
      </Loaded>
    </Panel>
  )
}

function Fees({ wallet }: { readonly wallet: string }): JSX.Element {
  const fees = useRead<readonly Fee[]>('list_transaction_fees', { wallet, mode: 'both', limit: 200 })
  return (
    <Panel title="Fees of the wallet">
      <Loaded of={fees}>{(rows) => <FeeTable fees={rows} />}</Loaded>
    </Panel>
  )
}

function FeeTable({ fees }: { readonly fees: readonly Fee[] }): JSX.Element {
  return (
    <Table<Fee>
      caption="Fees"
      name="fees"
      rows={fees}
      rowKey={({ tx_id, distribution_sequence }) => `${tx_id} ${distribution_sequence}`}
      empty={
        <Empty title="The network recorded no fee of this wallet">
          Publish a record from its key, and the fee of that transaction is here.
        </Empty>
      }
      columns={feeColumns}
    />
  )
}

const feeColumns: readonly Column<Fee>[] = [
  {
    head: 'Transaction',
    value: ({ tx_id }) => tx_id,
    cell: ({ tx_id }) => (
      <a class="mono" href={`/console/streams/chain?tx=${tx_id.replace(/^0x/, '')}`}>
        {short(tx_id)}
      </a>
    ),
  },
  { head: 'Method', value: ({ method }) => method },
  { head: 'Block', isNumber: true, value: ({ block_height }) => block_height },
  {
    head: 'Fee, TRUF',
    isNumber: true,
    value: ({ total_fee }) => Number(total_fee),
    cell: ({ total_fee }) => formatAmount(total_fee),
  },
]
