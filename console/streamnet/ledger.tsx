/** Roles with their members, and the fees of a wallet. */

import type { JSX } from 'preact'
import type { Fee, Member } from '#gateway/contract/results.ts'
import { Empty, Panel } from '../frame/components.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { useResource } from '../frame/resource.ts'
import { Table } from '../frame/table.tsx'
import { amount } from './description.ts'
import { read, useRead } from './gateway.ts'
import { short } from './stream-name.ts'
import { useWallet, WalletPanel } from './wallet.tsx'

const roles = ['network_writer', 'network_writers_manager']

/** The view. */
export function Ledger(): JSX.Element {
  return (
    <div class="stack">
      <Fees />
      {roles.map((role) => (
        <Role key={role} role={role} />
      ))}
    </div>
  )
}

function Fees(): JSX.Element {
  const choice = useWallet()
  const { wallet } = choice
  const fees = useResource(
    async (signal) =>
      wallet === null
        ? []
        : read<readonly Fee[]>('list_transaction_fees', { wallet, mode: 'both', limit: 200 }, signal),
    `fees ${wallet}`,
  )
  return (
    <WalletPanel title="Fees of a wallet" choice={choice} resource={fees}>
      <Table<Fee>
        caption="Fees"
        name="fees"
        rows={fees.data ?? []}
        rowKey={({ tx_id, distribution_sequence }) => `${tx_id} ${distribution_sequence}`}
        empty={
          <Empty title="The network recorded no fee of this wallet">
            <p>Publish a record from its key, and the fee of that transaction is here.</p>
          </Empty>
        }
        columns={[
          {
            key: 'tx',
            head: 'Transaction',
            value: ({ tx_id }) => tx_id,
            cell: ({ tx_id }) => (
              <a class="mono" href={`/console/streams/chain?tx=${tx_id.replace(/^0x/, '')}`}>
                {short(tx_id)}
              </a>
            ),
          },
          { key: 'method', head: 'Method', value: ({ method }) => method },
          { key: 'block', head: 'Block', isNumber: true, value: ({ block_height }) => block_height },
          {
            key: 'fee',
            head: 'Fee, TRUF',
            isNumber: true,
            value: ({ total_fee }) => Number(total_fee),
            cell: ({ total_fee }) => amount(total_fee),
          },
        ]}
      />
    </WalletPanel>
  )
}

function Role({ role }: { readonly role: string }): JSX.Element {
  const members = useRead<readonly Member[]>('list_role_members', { owner: 'system', role_name: role })
  return (
    <Panel title={`Role system:${role}`}>
      <Loaded of={members}>
        {(data) => (
          <Table<Member>
            caption={`Members of ${role}`}
            name={role}
            rows={data}
            rowKey={({ wallet }) => wallet}
            empty={
              <Empty title="The role has no members">
                <p>
                  A manager of the role adds a wallet with <a href="/docs/streams?operation=grant_role">grant_role</a>.
                </p>
              </Empty>
            }
            seen={8}
            columns={[
              {
                key: 'wallet',
                head: 'Wallet',
                value: ({ wallet }) => wallet,
                cell: ({ wallet }) => <span class="mono">{wallet}</span>,
              },
              {
                key: 'by',
                head: 'Granted by',
                isWide: true,
                value: ({ granted_by }) => granted_by,
                cell: ({ granted_by }) => <span class="mono">{short(granted_by)}</span>,
              },
              { key: 'at', head: 'At block', isNumber: true, value: ({ granted_at }) => granted_at },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  )
}
