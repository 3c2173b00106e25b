/** Roles with their members. */

import type { JSX } from 'preact'
import type { Member } from '#gateway/contract/results.ts'
import { Empty, Panel } from '../frame/components.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { Table } from '../frame/table.tsx'
import { useRead } from './gateway.ts'
import { WalletLink } from './wallet-link.tsx'

const names = ['network_writer', 'network_writers_manager']

/** The view. */
export function Roles(): JSX.Element {
  return (
    <div class="stack">
      {names.map((role) => (
        <Role key={role} role={role} />
      ))}
    </div>
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
                A manager of the role adds a wallet with <a href="/docs/streams?operation=grant_role">grant_role</a>.
              </Empty>
            }
            seen={8}
            columns={[
              { head: 'Wallet', value: ({ wallet }) => wallet, cell: ({ wallet }) => <WalletLink wallet={wallet} /> },
              {
                head: 'Granted by',
                isWide: true,
                value: ({ granted_by }) => granted_by,
                cell: ({ granted_by }) => <WalletLink wallet={granted_by} />,
              },
              { head: 'At block', isNumber: true, value: ({ granted_at }) => granted_at },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  )
}
