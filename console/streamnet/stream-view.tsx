/** One stream: its chart as value, index or change, an earlier version of it, its tree, and a form that publishes. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Point, Stream } from '#gateway/contract/results.ts'
import { Chart } from '../frame/chart.tsx'
import { Button, Empty, formatNumber, Problem } from '../frame/components.tsx'
import { Choice, Toggles } from '../frame/fields.tsx'
import { useLive } from '../frame/live.ts'
import { Loaded } from '../frame/loaded.tsx'
import type { Series } from '../frame/plot.ts'
import { useResource } from '../frame/resource.ts'
import { route, setQuery } from '../frame/router.ts'
import { dateTime } from '../frame/time.ts'
import { BulkForm } from './bulk-form.tsx'
import { Composition } from './composition.tsx'
import { read, useRead } from './gateway.ts'
import { findName } from './name-book.ts'
import { StreamNameForm } from './name-form.tsx'
import { PublishForm } from './publish-form.tsx'
import { nameOf } from './stream-name.ts'
import { WalletLink } from './wallet-link.tsx'

const forms = [
  ['value', 'Value'],
  ['index', 'Index'],
  ['change', 'Change'],
] as const

type Form = (typeof forms)[number][0]

/** Intervals of changes in seconds. */
const intervals = [
  ['86400', 'a day'],
  ['604800', 'a week'],
  ['2592000', '30 days'],
  ['31536000', 'a year'],
] as const

const units: Readonly<Record<Form, string>> = { value: '', index: '', change: ' %' }

/** The view. */
export function StreamView(props: { readonly provider: string; readonly id: string }): JSX.Element {
  const { provider, id } = props
  const { query } = route.value
  const form = forms.find(([name]) => name === query.get('as'))?.[0] ?? 'value'
  const base = query.get('base') ?? undefined
  const interval = Number(query.get('interval') ?? 86_400)
  const height = query.get('height') ?? undefined
  const stream = { stream_id: id, data_provider: provider }
  const [at, setAt] = useState<number | null>(null)
  const load = (frozen?: string) => (signal: AbortSignal) => {
    const shared = { ...nameOf(stream), date_from: 0, frozen_at: frozen }
    if (form === 'value') return read<readonly Point[]>('get_records', shared, signal)
    if (form === 'index') return read<readonly Point[]>('get_index', { ...shared, base_date: base }, signal)
    const change = { ...shared, base_date: base, time_interval: interval }
    return read<readonly Point[]>('get_index_change', change, signal)
  }
  const key = `${provider} ${id} ${form} ${base} ${interval}`
  const points = useResource(load(), key)
  const earlier = useResource(async (signal) => (height === undefined ? [] : load(height)(signal)), `${key} ${height}`)
  const type = useRead<Stream['stream_type']>('get_type', nameOf(stream))
  const own = useRead<string | null>('get_current_account')
  const [seenHeight, setSeenHeight] = useState<number | null>(null)
  useLive('streamnet', `/streamnet/v1/streams/${provider}/${id}/events`, ({ event, data }) => {
    if (event !== 'records') return
    // As docs/gateway.md has it.
    const news = JSON.parse(data) as { readonly height: number; readonly records: readonly Point[] }
    setSeenHeight(news.height)
    if (news.records.length > 0) points.reload()
  })
  const x = points.data?.map(({ date }) => date) ?? []
  const name = findName(stream)
  const isOwn = own.data?.toLowerCase() === provider.toLowerCase()
  return (
    <div class="stack">
      <header>
        <p>
          <a href="/console/streams">Streams</a>
        </p>
        <h1 class={name === undefined ? 'mono-title' : ''}>{name ?? id}</h1>
        <p class="quiet">
          {type.data ?? ''} stream {name === undefined ? null : <span class="mono">{id}</span>} of{' '}
          <WalletLink wallet={provider} />
          {isOwn ? ' (this gateway)' : ''}
          {seenHeight === null ? '' : `, seen to block ${formatNumber(seenHeight)}`}
        </p>
      </header>
      <Choices form={form} base={base} interval={interval} height={height} />
      <Problem error={earlier.error} onRetry={earlier.reload} />
      <div class={type.data === 'composed' ? 'with-tree' : ''}>
        <div class="stack">
          <Loaded of={points} rows={8}>
            {(data) =>
              data.length === 0 ? (
                <Empty title="This stream has no records yet">
                  <p>{whatComes(type.data, isOwn)}</p>
                </Empty>
              ) : (
                <Chart
                  title={describeForm(form, base)}
                  x={x}
                  unit={units[form]}
                  height={280}
                  format={(value) => formatNumber(value, 2)}
                  series={[
                    ...(height === undefined ? [] : [computeVersion(height, earlier.data ?? [], x)]),
                    { label: form, values: data.map(({ value }) => Number(value)), tone: 'accent' },
                  ]}
                  marks={base === undefined ? [] : [{ at: Number(base), label: 'base date', tone: 'attention' }]}
                  onPick={(date) => form !== 'value' && setQuery({ base: String(date) })}
                  onHover={(index) => setAt(index === null ? null : (x[index] ?? null))}
                />
              )
            }
          </Loaded>
        </div>
        {type.data === 'composed' ? <Composition stream={stream} at={at ?? x.at(-1) ?? null} /> : null}
      </div>
      {isOwn && type.data === 'primitive' ? (
        <>
          <PublishForm streamId={id} onPublished={points.reload} />
          <BulkForm streamId={id} />
        </>
      ) : null}
      <p>
        <a href={`/console/streams/markets?about=${provider}/${id}`}>Ask a question about this stream</a>
      </p>
      {own.data === undefined ? null : <StreamNameForm stream={stream} isOwn={isOwn} />}
    </div>
  )
}

/** The way to the first records of a stream. */
function whatComes(type: Stream['stream_type'] | undefined, isOwn: boolean): string {
  if (type === 'composed') return 'It has values as soon as its children have records.'
  return isOwn ? 'Publish the first one below.' : 'Its owner publishes them; they appear here as they come.'
}

function describeForm(form: Form, base: string | undefined): string {
  const since = base === undefined ? '' : `, base ${dateTime(Number(base) * 1000).slice(0, 10)}`
  return `${form[0]?.toUpperCase()}${form.slice(1)}${form === 'value' ? '' : since}`
}

/** The same dates as they were at an earlier height. */
function computeVersion(height: string, earlier: readonly Point[], x: readonly number[]): Series {
  const values = new Map(earlier.map(({ date, value }) => [date, Number(value)]))
  return {
    label: `as of block ${height}`,
    values: x.map((date) => values.get(date) ?? null),
    tone: 'muted',
    isDashed: true,
  }
}

interface ChoicesProps {
  readonly form: Form
  readonly base: string | undefined
  readonly interval: number
  readonly height: string | undefined
}

function Choices({ form, base, interval, height }: ChoicesProps): JSX.Element {
  return (
    <div class="row choices">
      <Toggles options={forms} value={form} onValue={(as) => setQuery({ as })} />
      {form === 'change' ? (
        <Choice
          label="within"
          options={intervals}
          value={String(interval)}
          onValue={(seconds) => setQuery({ interval: seconds })}
        />
      ) : null}
      {form === 'value' ? null : base === undefined ? (
        <span class="quiet">Click the chart to set the base date.</span>
      ) : (
        <Button onClick={() => setQuery({ base: null })}>Use the stream's base date</Button>
      )}
      <label class="row version">
        <span class="quiet">Compare with block</span>
        {/* `defaultValue`, because a controlled input loses unsaved text each time a record arrives. */}
        <input
          key={height}
          inputMode="numeric"
          placeholder="height"
          defaultValue={height ?? ''}
          onChange={({ currentTarget }) =>
            setQuery({ height: /^\d{1,15}$/.test(currentTarget.value) ? currentTarget.value : null })
          }
        />
      </label>
    </div>
  )
}
