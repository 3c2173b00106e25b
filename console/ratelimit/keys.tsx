/** The panel of the keys that are refused most, or of those that are used most. */

import type { JSX } from 'preact'
import { counted } from '#base/naming.ts'
import type { KeyCount, Top } from '#ratelimit/contract/usage.ts'
import { Empty, Panel, Skeleton } from '../frame/components.tsx'
import { Toggles } from '../frame/fields.tsx'
import { formatNumber } from '../frame/number.ts'
import { openPart, route, setQuery } from '../frame/router.ts'
import { type Column, Table } from '../frame/table.tsx'
import { boundRefusals, boundUses, type KnownCount } from './key-use.ts'
import { entriesText } from './usage.ts'

type KeyOrder = 'refused' | 'used'

const keyOrders = [
  ['refused', 'Refused most'],
  ['used', 'Used most'],
] as const

/** The panel; the address says which of both lists it shows. */
export function Keys({ top }: { readonly top: Top | undefined }): JSX.Element {
  const order = keyOrders.find(([name]) => name === route.value.query.get('keys'))?.[0] ?? 'refused'
  return (
    <Panel
      title={`Keys, ${order} most`}
      actions={
        <Toggles
          options={keyOrders}
          value={order}
          onValue={(name) => setQuery({ keys: name === 'refused' ? null : name })}
        />
      }
    >
      {top === undefined ? <Skeleton rows={6} /> : <KeyTable top={top} order={order} />}
    </Panel>
  )
}

function KeyTable({ top, order }: { readonly top: Top; readonly order: KeyOrder }): JSX.Element {
  return (
    <Table
      caption={`Keys that are ${order} most`}
      seen={12}
      name={`${order}-keys`}
      rows={top[order]}
      rowKey={({ key }) => key}
      onOpen={({ key }) => openPart({ key })}
      isOpen={({ key }) => route.value.query.get('key') === key}
      columns={[...labelColumns, countColumn('Refused', boundRefusals(top)), countColumn('Used', boundUses(top))]}
      empty={
        <Empty title={order === 'used' ? 'No key was used' : 'No key was refused'}>
          {top.used.length === 0
            ? 'Nothing was decided in this time. '
            : `${counted(top.used.length, 'key')} ${top.used.length === 1 ? 'was' : 'were'} used, none beyond its limit. `}
          <a href="/console">The first page has a request to try.</a>
        </Empty>
      }
    />
  )
}

const labelColumns: readonly Column<KeyCount>[] = [
  {
    head: 'Entries',
    cell: ({ label }) => (
      <span class="mono" title={`${label.rule}: ${entriesText(label.entries)}`}>
        {entriesText(label.entries)}
      </span>
    ),
    value: ({ label }) => entriesText(label.entries),
  },
  {
    head: 'Rule',
    cell: ({ label }) => (
      <span class="mono quiet" title={label.rule}>
        {label.rule}
      </span>
    ),
    value: ({ label }) => label.rule,
    isWide: true,
  },
]

/** A column of counts. @param counts - By key. */
function countColumn(head: string, counts: ReadonlyMap<string, KnownCount>): Column<KeyCount> {
  return {
    head,
    cell: (one) => <Count known={counts.get(one.key)} />,
    value: (one) => counts.get(one.key)?.most ?? counts.get(one.key)?.least ?? 0,
    isNumber: true,
  }
}

/** A count as far as it is known; nothing where the key is not among those that are counted. */
function Count({ known }: { readonly known: KnownCount | undefined }): JSX.Element {
  if (known === undefined) return <span class="quiet">-</span>
  const { least, most } = known
  const isExact = least === most
  return (
    <span title={isExact ? undefined : most === null ? `${least} or more` : `${least} to ${most}`}>
      {isExact ? '' : most === null ? '≥ ' : '≤ '}
      {formatNumber(most ?? least)}
    </span>
  )
}
