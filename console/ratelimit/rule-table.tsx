/** Every rule with its limit, its fullest key and what it refused: the fullest first, or as a tree by domain. */

import type { JSX } from 'preact'
import type { Usage } from '#ratelimit/contract/usage.ts'
import { Empty, Panel, Skeleton, Sparkline } from '../frame/components.tsx'
import { Toggles } from '../frame/fields.tsx'
import { shortNumber } from '../frame/number.ts'
import { hrefWith, route, setQuery } from '../frame/router.ts'
import { type Column, Table } from '../frame/table.tsx'
import { duration, now } from '../frame/time.ts'
import { Bar } from './bar.tsx'
import { limitText } from './limit-text.ts'
import type { LimitLine } from './limits.ts'
import { buildTree, listRuleRows, type RuleRow, type TreeRow } from './rule-rows.ts'

interface RulesInForceProps {
  /** Undefined while they are on their way. */
  readonly lines: readonly LimitLine[] | undefined
  readonly usage: Usage | undefined
}

const orders = [
  ['', 'Fullest first'],
  ['tree', 'Tree'],
] as const

/** The panel of the rules in force. */
export function RulesInForce({ lines, usage }: RulesInForceProps): JSX.Element {
  const isTree = route.value.query.get('rules') === 'tree'
  return (
    <Panel
      title={isTree ? 'Rules by domain' : 'Rules, the fullest first'}
      actions={
        <Toggles
          options={orders}
          value={isTree ? 'tree' : ''}
          onValue={(order) => setQuery({ rules: order || null })}
        />
      }
    >
      {lines === undefined || usage === undefined ? (
        <Skeleton rows={6} />
      ) : (
        <RuleTable rows={listRuleRows(lines, usage)} isTree={isTree} />
      )}
    </Panel>
  )
}

function RuleTable(props: { readonly rows: readonly RuleRow[]; readonly isTree: boolean }): JSX.Element {
  const { rows, isTree } = props
  return (
    <Table<TreeRow>
      // A tree is ordered by domain and path, and not by a column of the list.
      key={String(isTree)}
      caption={isTree ? 'Rules by domain' : 'Rules by how full they are'}
      seen={isTree ? 14 : 8}
      name="rules"
      rows={isTree ? buildTree(rows) : rows.map(alone)}
      rowKey={({ domain, rule }) => rule?.rule ?? `domain ${domain}`}
      columns={columns}
      empty={
        <Empty title="No rules run">
          <a href="/console/ratelimit/rules">Write rules</a>, or run <code>sluice ratelimit push</code>.
        </Empty>
      }
    />
  )
}

/** A rule in a list: with its whole name. */
function alone(rule: RuleRow): TreeRow {
  return { domain: rule.domain, depth: 0, label: rule.rule, rule, refused: rule.refused }
}

const columns: readonly Column<TreeRow>[] = [
  {
    head: 'Rule',
    cell: ({ label, depth, rule }) => (
      <span class="mono" title={rule?.rule ?? label} style={{ paddingLeft: `${depth * 16}px` }}>
        {rule === null ? <b>{label}</b> : label}
      </span>
    ),
    value: ({ domain, rule }) => rule?.rule ?? domain,
  },
  {
    head: 'Limit',
    cell: ({ rule }) =>
      rule === null ? (
        ''
      ) : (
        <span class="quiet">
          {limitText(rule)}
          {rule.isShadow ? ' shadow' : ''}
        </span>
      ),
    value: ({ rule }) => rule?.limit ?? 0,
    isNumber: true,
    isWide: true,
    width: '8rem',
  },
  {
    head: 'Fullest key',
    cell: ({ rule }) => (rule === null ? '' : <Fullest {...rule} />),
    value: ({ rule }) => rule?.full ?? -1,
    isNumber: true,
    width: '9.5rem',
  },
  {
    head: 'Resets in',
    cell: ({ rule }) => (rule?.full == null ? '' : duration(rule.endsAt - now.value / 1000)),
    value: ({ rule }) => rule?.endsAt ?? 0,
    isNumber: true,
    isWide: true,
    width: '6.5rem',
  },
  { head: 'Refused', value: ({ refused }) => refused, isNumber: true, width: '4.5rem' },
  {
    head: 'Trend',
    cell: ({ rule }) =>
      rule?.trend.some((value) => (value ?? 0) > 0) === true ? (
        <Sparkline values={rule.trend} label={`${rule.rule} over time`} tone="muted" />
      ) : (
        ''
      ),
    value: ({ rule }) => rule?.trend.at(-1) ?? 0,
    isNumber: true,
    isWide: true,
    width: '5.5rem',
  },
]

function Fullest({ full, used, capacity, key, unit }: RuleRow): JSX.Element {
  if (unit === 'UNKNOWN') return <span class="quiet">nothing counted</span>
  if (full === null || key === null) return <span class="quiet">none open</span>
  return (
    <a href={hrefWith({ key })} data-part title={key}>
      <Bar full={full}>
        {shortNumber(used)}
        <small>/{shortNumber(capacity)}</small>
      </Bar>
    </a>
  )
}
