/** One stream: its chart as value, index or change, an earlier version of it, its tree, and a form that publishes. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Point, Stream } from '#gateway/contract/results.ts'
import { Chart } from '../frame/chart.tsx'
import { Button, Empty, Problem } from '../frame/components.tsx'
import { Choice, Toggles } from '../frame/fields.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { formatDecimal, formatNumber } from '../frame/number.ts'
import type { Series } from '../frame/plot.ts'
import { route, setQuery } from '../frame/router.ts'
import { day } from '../frame/time.ts'
import { BulkForm } from './bulk-form.tsx'
import { Composition } from './composition.tsx'
import { useOwnAccount, useRead } from './gateway.ts'
import { findName, type StreamPlace } from './name-book.ts'
import { StreamNameForm } from './name-form.tsx'
import { PublishForm } from './publish-form.tsx'
import { nameOf } from './stream-name.ts'
import { type Form, forms, readShown, type Shown, usePoints } from './stream-points.ts'
import { WalletLink } from './wallet-link.tsx'

/** Intervals of changes in seconds. */
const intervals = [
  ['86400', 'a day'],
  ['604800', 'a week'],
  ['2592000', '30 days'],
  ['31536000', 'a year'],
] as const

const units: Readonly<Record<Form, string>> = { value: '', index: '', change: ' %' }

/** The view. */
export function StreamView({ provider, id }: { readonly provider: string; readonly id: string }): JSX.Element {
  const stream: StreamPlace = { stream_id: id, data_provider: provider }
  const shown = readShown(route.value.query)
  const [at, setAt] = useState<number | null>(null)
  const { points, earlier, seenHeight } = usePoints(stream, shown)
  const type = useRead<Stream['stream_type']>('get_type', nameOf(stream))
  const own = useOwnAccount()
  const isOwn = own.data?.toLowerCase() === provider.toLowerCase()
  return (
    <div class="stack">
      <Header stream={stream} type={type.data} isOwn={isOwn} seenHeight={seenHeight} />
      <Choices {...shown} />
      <Problem error={earlier.error} onRetry={earlier.reload} />
      <div class={type.data === 'composed' ? 'with-tree' : ''}>
        <div class="stack">
          <Loaded of={points} rows={8}>
            {(data) =>
              data.length === 0 ? (
                <Empty title="This stream has no records yet">{whatComes(type.data, isOwn)}</Empty>
              ) : (
                <PointsChart points={data} earlier={earlier.data ?? []} shown={shown} onDate={setAt} />
              )
            }
          </Loaded>
        </div>
        {type.data === 'composed' ? <Composition stream={stream} at={at ?? points.data?.at(-1)?.date ?? null} /> : null}
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

interface HeaderProps {
  readonly stream: StreamPlace
  readonly type: Stream['stream_type'] | undefined
  readonly isOwn: boolean
  /** The newest block that the event stream has told of. */
  readonly seenHeight: number | null
}

function Header({ stream, type, isOwn, seenHeight }: HeaderProps): JSX.Element {
  const { stream_id: id, data_provider: provider } = stream
  const name = findName(stream)
  return (
    <header>
      <p>
        <a href="/console/streams">Streams</a>
      </p>
      <h1 class={name === undefined ? 'mono-title' : ''}>{name ?? id}</h1>
      <p class="quiet">
        {type ?? ''} stream {name === undefined ? null : <span class="mono">{id}</span>} of{' '}
        <WalletLink wallet={provider} />
        {isOwn ? ' (this gateway)' : ''}
        {seenHeight === null ? '' : `, seen to block ${formatNumber(seenHeight)}`}
      </p>
    </header>
  )
}

interface PointsChartProps {
  readonly points: readonly Point[]
  readonly earlier: readonly Point[]
  readonly shown: Shown
  /** Called with the date under the cursor, and with null when it leaves. */
  readonly onDate: (date: number | null) => void
}

function PointsChart({ points, earlier, shown, onDate }: PointsChartProps): JSX.Element {
  const { form, base, height } = shown
  const x = points.map(({ date }) => date)
  return (
    <Chart
      title={describeForm(form, base)}
      x={x}
      unit={units[form]}
      height={280}
      format={formatDecimal}
      series={[
        ...(height === undefined ? [] : [computeVersion(height, earlier, x)]),
        { label: form, values: points.map(({ value }) => Number(value)), tone: 'accent' },
      ]}
      marks={base === undefined ? [] : [{ at: Number(base), label: 'base date' }]}
      onPick={(date) => form !== 'value' && setQuery({ base: String(date) })}
      onHover={(index) => onDate(index === null ? null : (x[index] ?? null))}
    />
  )
}

/** The way to the first records of a stream. */
function whatComes(type: Stream['stream_type'] | undefined, isOwn: boolean): string {
  if (type === 'composed') return 'It has values as soon as its children have records.'
  return isOwn ? 'Publish the first one below.' : 'Its owner publishes them; they appear here as they come.'
}

function describeForm(form: Form, base: string | undefined): string {
  const since = base === undefined ? '' : `, base ${day(Number(base) * 1000)}`
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

function Choices({ form, base, interval, height }: Shown): JSX.Element {
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
      {form === 'value' ? null : <BaseDate base={base} />}
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

function BaseDate({ base }: Pick<Shown, 'base'>): JSX.Element {
  if (base === undefined) return <span class="quiet">Click the chart to set the base date.</span>
  return <Button onClick={() => setQuery({ base: null })}>Use the stream's base date</Button>
}
