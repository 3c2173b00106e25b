/** What is decided now: the strip of decisions, how full the rules are, which keys are refused, and Ask beside them. */

import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Chart, Sparkline } from '../frame/chart.tsx'
import { useNames } from '../frame/find.ts'
import { useLive } from '../frame/live.ts'
import { Button, Empty, Num, Panel, Problem, Skeleton, State } from '../frame/pieces.tsx'
import { useResource } from '../frame/resource.ts'
import { route, setQuery } from '../frame/router.ts'
import { Table } from '../frame/table.tsx'
import { duration, now, time } from '../frame/time.ts'
import { AskForm } from './ask.tsx'
import { type LimitLine, limitText, readLimits } from './limits.ts'
import {
  askHref,
  type Entry,
  entriesText,
  type KeyCount,
  ratesOf,
  readTop,
  readUsage,
  type Span,
  spans,
  sumsOf,
  type Top,
  type Usage,
} from './usage.ts'

/** The first view of the room. */
export function Overview(): JSX.Element {
  const { query } = route.value
  const span = spans.find(({ name }) => name === query.get('span')) ?? (spans[1] as Span)
  const domain = query.get('domain')
  const key = `${span.name} ${domain ?? ''}`
  const usage = useResource((signal) => readUsage(span, domain, signal), key, span.everyMs)
  const top = useResource((signal) => readTop(span, domain, signal), key, 5_000)
  const limits = useResource(readLimits, 'limits', 15_000)
  const lines = limits.data ?? []
  useNames('ratelimit', [
    ...lines.map(({ rule }) => ({ name: rule, kind: 'rule', href: '/console/ratelimit/rules' })),
    ...(top.data?.used ?? []).map(({ key: name }) => ({
      name,
      kind: 'key',
      href: `/console/ratelimit?key=${encodeURIComponent(name)}`,
    })),
  ])
  const failure = usage.error ?? limits.error
  return (
    <>
      {failure === undefined ? null : <Problem error={failure} onRetry={usage.reload} />}
      <Choices span={span} domain={domain} lines={lines} />
      {usage.data === undefined ? (
        failure === undefined ? (
          <Skeleton rows={7} />
        ) : null
      ) : (
        <Strip usage={usage.data} span={span} />
      )}
      <div class="beside">
        <div class="stack">
          <Panel title="Rules, the fullest first">
            {limits.data === undefined || usage.data === undefined ? (
              <Skeleton rows={6} />
            ) : (
              <RuleTable
                lines={lines.filter((line) => (domain ?? line.domain) === line.domain)}
                usage={usage.data}
              />
            )}
          </Panel>
          <div class="columns">
            <Panel title="Keys, refused most">
              {top.data === undefined ? <Skeleton rows={6} /> : <KeyTable top={top.data} />}
            </Panel>
            <Feed domain={domain} />
          </div>
        </div>
        <Panel title="Ask">
          <AskForm lines={lines} />
        </Panel>
      </div>
    </>
  )
}

interface ChoicesProps {
  readonly span: Span
  readonly domain: string | null
  readonly lines: readonly LimitLine[]
}

function Choices({ span, domain, lines }: ChoicesProps): JSX.Element {
  const domains = [...new Set(lines.map((line) => line.domain))]
  return (
    <div class="row choices">
      <fieldset class="segments" aria-label="Time">
        {spans.map(({ name, label }) => (
          <Button key={name} isPressed={name === span.name} onClick={() => setQuery({ span: name })}>
            {label}
          </Button>
        ))}
      </fieldset>
      <label class="row">
        <span class="quiet">Domain</span>
        <select
          value={domain ?? ''}
          onChange={({ currentTarget: { value } }) => setQuery({ domain: value === '' ? null : value })}
        >
          <option value="">all</option>
          {domains.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
    </div>
  )
}

function Strip({ usage, span }: { readonly usage: Usage; readonly span: Span }): JSX.Element {
  const rates = ratesOf(usage, '')
  const sums = sumsOf(usage, null, '')
  const all = sums.admitted + sums.refused + sums.shadow
  const gaps =
    rates.unknownUntil === null
      ? []
      : [{ from: usage.from, to: rates.unknownUntil, label: 'nothing is known of this time' }]
  return (
    <section aria-label={`Decisions of the last ${span.label}`}>
      <dl class="figures">
        <div>
          <dt>requests</dt>
          <dd>
            <Num value={all} />
          </dd>
        </div>
        <div>
          <dt>allowed</dt>
          <dd>
            <Num value={sums.admitted} />
          </dd>
        </div>
        <div>
          <dt>{sums.refused > 0 ? <State tone="bad">refused</State> : 'refused'}</dt>
          <dd>
            <Num value={sums.refused} />
            <small> {all === 0 ? '' : `${((sums.refused / all) * 100).toFixed(1)} %`}</small>
          </dd>
        </div>
        <div>
          <dt>{sums.shadow > 0 ? <State tone="attention">shadow</State> : 'shadow'}</dt>
          <dd>
            <Num value={sums.shadow} />
          </dd>
        </div>
      </dl>
      <Chart
        title={`Decisions per second, last ${span.label}`}
        x={rates.x}
        kind="stack"
        step={usage.step}
        unit=" /s"
        height={150}
        gaps={gaps}
        series={[
          { label: 'allowed', values: rates.admitted, tone: 'muted' },
          { label: 'shadow', values: rates.shadow, tone: 'attention' },
          { label: 'refused', values: rates.refused, tone: 'bad' },
        ]}
      />
    </section>
  )
}

interface RuleRow extends LimitLine {
  /** 0 to 1; null while no window is open. */
  readonly full: number | null
  readonly remaining: number
  readonly key: string | null
  readonly endsAt: number
  readonly refused: number
  readonly shadow: number
  readonly trend: readonly (number | null)[]
}

function rowsOf(lines: readonly LimitLine[], usage: Usage): readonly RuleRow[] {
  const fills = new Map(usage.fills.map((fill) => [fill.rule, fill]))
  const rows = lines.map((line): RuleRow => {
    const fill = fills.get(line.rule)
    const { refused, shadow } = sumsOf(usage, null, line.rule)
    const { x: _, unknownUntil: __, ...rates } = ratesOf(usage, line.rule)
    return {
      ...line,
      full: fill === undefined ? null : fill.limit === 0 ? 1 : 1 - fill.remaining / fill.limit,
      remaining: fill?.remaining ?? 0,
      key: fill?.key ?? null,
      endsAt: fill?.endsAt ?? 0,
      refused,
      shadow,
      trend: rates.admitted.map((value, at) => (value === null ? null : value + (rates.refused[at] ?? 0))),
    }
  })
  return rows.sort((one, other) => (other.full ?? -1) - (one.full ?? -1) || other.refused - one.refused)
}

function RuleTable({
  lines,
  usage,
}: {
  readonly lines: readonly LimitLine[]
  readonly usage: Usage
}): JSX.Element {
  return (
    <Table
      caption="Rules by how full they are"
      seen={8}
      name="rules"
      rows={rowsOf(lines, usage)}
      rowKey={({ rule }) => rule}
      columns={[
        {
          key: 'rule',
          head: 'Rule',
          cell: ({ rule }) => (
            <span class="mono" title={rule}>
              {rule}
            </span>
          ),
          value: ({ rule }) => rule,
        },
        {
          key: 'limit',
          head: 'Limit',
          cell: (row) => (
            <span class="quiet">
              {limitText(row)}
              {row.isShadow ? ' shadow' : ''}
            </span>
          ),
          value: ({ limit }) => limit,
          isNumber: true,
          isWide: true,
          width: '8rem',
        },
        {
          key: 'full',
          head: 'Fullest key',
          cell: (row) => <Bar {...row} />,
          value: ({ full }) => full ?? -1,
          isNumber: true,
          width: '9.5rem',
        },
        {
          key: 'reset',
          head: 'Resets in',
          cell: ({ full, endsAt }) => (full === null ? '' : duration(endsAt - now.value / 1000)),
          value: ({ endsAt }) => endsAt,
          isNumber: true,
          isWide: true,
          width: '6.5rem',
        },
        {
          key: 'refused',
          head: 'Refused',
          cell: ({ refused }) => <Num value={refused} />,
          value: ({ refused }) => refused,
          isNumber: true,
          width: '4.5rem',
        },
        {
          key: 'trend',
          head: 'Trend',
          cell: ({ trend, rule }) =>
            trend.some((value) => (value ?? 0) > 0) ? (
              <Sparkline values={trend} label={`${rule} over time`} tone="muted" />
            ) : (
              ''
            ),
          value: ({ trend }) => trend.at(-1) ?? 0,
          isNumber: true,
          isWide: true,
          width: '5.5rem',
        },
      ]}
      empty={
        <Empty title="No rules run">
          <p>
            <a href="/console/ratelimit/rules">Write rules</a>, or run <code>sluice ratelimit push</code>.
          </p>
        </Empty>
      }
    />
  )
}

function Bar({ full, limit, remaining, key, unit }: RuleRow): JSX.Element {
  if (unit === 'UNKNOWN') return <span class="quiet">nothing counted</span>
  if (full === null || key === null) return <span class="quiet">none open</span>
  const tone = full >= 1 ? 'bad' : full >= 0.8 ? 'attention' : 'text'
  return (
    <a class={`bar tone-${tone}`} href={`/console/ratelimit?key=${encodeURIComponent(key)}`} title={key}>
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width="100" height="8" />
        <rect width={Math.max(1, full * 100)} height="8" fill="currentColor" />
      </svg>
      <span>
        {shortNumber(limit - remaining)}
        <small>/{shortNumber(limit)}</small>
      </span>
    </a>
  )
}

/** A number in at most four figures: `12345` becomes `12.3k`. */
function shortNumber(value: number): string {
  if (value < 10_000) return String(value)
  const [size, sign] = value < 1_000_000 ? [1_000, 'k'] : [1_000_000, 'M']
  return `${Number((value / size).toPrecision(3))}${sign}`
}

function KeyTable({ top }: { readonly top: Top }): JSX.Element {
  const used = new Map(top.used.map(({ key, count }) => [key, count]))
  const rows = top.refused.length > 0 ? top.refused : []
  const open = ({ key }: KeyCount) => setQuery({ key })
  const total = (key: string, count: number) => Math.max(count, used.get(key) ?? 0)
  return (
    <Table
      caption="Keys that are refused most"
      seen={12}
      name="refused-keys"
      rows={rows}
      rowKey={({ key }) => key}
      onOpen={open}
      isOpen={({ key }) => route.value.query.get('key') === key}
      columns={[
        {
          key: 'value',
          head: 'Entries',
          cell: ({ label }) => (
            <span class="mono" title={`${label.rule}: ${entriesText(label.entries)}`}>
              {entriesText(label.entries)}
            </span>
          ),
          value: ({ label }) => entriesText(label.entries),
        },
        {
          key: 'count',
          head: 'Refused',
          cell: ({ count, error }) => (
            <span title={error > 0 ? `${count - error} to ${count}` : undefined}>
              {error > 0 ? '≤ ' : ''}
              <Num value={count} />
            </span>
          ),
          value: ({ count }) => count,
          isNumber: true,
        },
        {
          key: 'of',
          head: 'of',
          cell: ({ key, count }) => <Num value={total(key, count)} />,
          value: ({ key, count }) => total(key, count),
          isNumber: true,
        },
      ]}
      empty={
        <Empty title="No key was refused">
          <p>
            {top.used.length === 0
              ? 'Nothing was decided in this time. '
              : `${top.used.length === 1 ? '1 key was' : `${top.used.length} keys were`} used, none beyond its limit. `}
            <a href="/console">The first page has a request to try.</a>
          </p>
        </Empty>
      }
    />
  )
}

interface Decision {
  readonly at: number
  readonly weight: number
  readonly code: 'OK' | 'OVER_LIMIT'
  readonly request: {
    readonly domain: string
    readonly descriptors: readonly { readonly entries: readonly Entry[] }[]
  }
  readonly outcomes: readonly { readonly rule: string | null; readonly outcome: string }[]
}

/** Decisions that are shown; more is a matter for the log. */
const maxShown = 12

function Feed({ domain }: { readonly domain: string | null }): JSX.Element {
  const [isHashed, setHashed] = useState(false)
  const [isHeld, setHeld] = useState(false)
  const [shown, setShown] = useState<readonly Decision[]>([])
  const serial = useRef(0)
  useLive('ratelimit', `/ratelimit/v1/events?values=${isHashed ? 'hashed' : 'plain'}`, ({ event, data }) => {
    if (event !== 'decision' || isHeld) return
    // The shape is that of the OpenAPI document.
    const decision = JSON.parse(data) as Decision
    serial.current += 1
    if ((domain ?? decision.request.domain) !== decision.request.domain) return
    setShown((before) => [decision, ...before].slice(0, maxShown))
  })
  return (
    <Panel
      title="Decisions as they come"
      actions={
        <>
          <Button isPressed={isHeld} onClick={() => setHeld(!isHeld)}>
            Hold
          </Button>
          <Button isPressed={isHashed} onClick={() => setHashed(!isHashed)}>
            Hash values
          </Button>
        </>
      }
    >
      {shown.length === 0 ? (
        <Empty title="Nothing was decided since this page opened">
          <p>
            A sample of up to 20 decisions a second appears here. <a href="/console">Send one</a> to see it.
          </p>
        </Empty>
      ) : (
        <ol class="feed">
          {shown.map((decision, at) => (
            <FeedLine key={serial.current - at} decision={decision} isHashed={isHashed} />
          ))}
        </ol>
      )}
    </Panel>
  )
}

function FeedLine({
  decision,
  isHashed,
}: {
  readonly decision: Decision
  readonly isHashed: boolean
}): JSX.Element {
  const { at, code, request, outcomes } = decision
  const isShadow = outcomes.some(({ outcome }) => outcome === 'shadow')
  const [first] = request.descriptors
  const rules = outcomes.flatMap(({ rule }) => rule ?? [])
  return (
    <li>
      <time class="quiet mono">{time(at)}</time>
      <State tone={code === 'OVER_LIMIT' ? 'bad' : isShadow ? 'attention' : 'normal'}>
        {code === 'OVER_LIMIT' ? 'refused' : isShadow ? 'shadow' : 'allowed'}
      </State>
      <span class="mono entries">
        {request.domain} {request.descriptors.map(({ entries }) => entriesText(entries)).join(' | ')}
      </span>
      <small>{rules.join(', ') || 'no rule matches'}</small>
      {isHashed || first === undefined ? null : <a href={askHref(request.domain, first.entries)}>Why?</a>}
    </li>
  )
}
