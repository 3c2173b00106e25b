/** The newest streams, each with its owner, type, last value and a sparkline, and a field that filters them. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Point, Stream } from '#gateway/contract/results.ts'
import { Empty, Sparkline } from '../frame/components.tsx'
import { formatDecimal, formatNumber } from '../frame/number.ts'
import { navigate } from '../frame/router.ts'
import { type Column, Table } from '../frame/table.tsx'
import { dateTime, day, duration, now } from '../frame/time.ts'
import { mostStreams, useRead } from './gateway.ts'
import { findName, walletTitle } from './name-book.ts'
import { newest, useNewest } from './newest.ts'
import { hrefOf, short } from './stream-name.ts'

/** The table, with the field that filters it. */
export function StreamList({ streams }: { readonly streams: readonly Stream[] }): JSX.Element {
  const [text, setText] = useState('')
  return (
    <div class="stack">
      <input
        type="search"
        class="filter"
        aria-label="Filter streams by name, id, owner or type"
        placeholder="Filter by name, id, owner or type"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Table<Stream>
        caption="Streams"
        name="streams"
        rows={filterStreams(streams, text)}
        rowKey={hrefOf}
        onOpen={(stream) => navigate(hrefOf(stream))}
        seen={18}
        empty={<NoStreams total={streams.length} text={text} />}
        columns={columns}
      />
      {streams.length < mostStreams ? null : (
        <p class="quiet">
          The newest {formatNumber(mostStreams)} streams; an older one is at /console/streams/OWNER/STREAM.
        </p>
      )}
    </div>
  )
}

/** The streams that have a text in their name, id, owner or type. */
function filterStreams(streams: readonly Stream[], text: string): readonly Stream[] {
  const wanted = text.toLowerCase().trim()
  return streams.filter((stream) =>
    [findName(stream), stream.stream_id, walletTitle(stream.data_provider), stream.data_provider, stream.stream_type]
      .join(' ')
      .toLowerCase()
      .includes(wanted),
  )
}

function NoStreams({ total, text }: { readonly total: number; readonly text: string }): JSX.Element {
  if (total === 0) {
    return (
      <Empty title="This network has no streams">
        <a href="/console/streams/write">Create one</a>, or load the seed network on the development tab.
      </Empty>
    )
  }
  return (
    <Empty title={`No stream matches "${text}"`}>
      Type a part of a name, of an id, of an owner's address, or a type; empty shows all {total}.
    </Empty>
  )
}

const columns: readonly Column<Stream>[] = [
  {
    head: 'Stream',
    // The whole id where there is room, and the half of a phone where it is cut.
    width: 'min(17.5rem, 36vw)',
    value: (stream) => findName(stream) ?? stream.stream_id,
    cell: (stream) => <StreamCell stream={stream} />,
  },
  {
    head: 'Owner',
    isWide: true,
    value: ({ data_provider }) => data_provider,
    cell: ({ data_provider }) => <span title={data_provider}>{walletTitle(data_provider)}</span>,
  },
  { head: 'Type', isWide: true, value: ({ stream_type }) => stream_type },
  { head: 'Last value', isNumber: true, width: 'min(8rem, 26vw)', cell: (stream) => <LastValue stream={stream} /> },
  { head: 'Latest', isNumber: true, width: '5.5rem', cell: (stream) => <Trend stream={stream} /> },
  {
    head: 'Last change',
    isNumber: true,
    isWide: true,
    width: '7.5rem',
    cell: (stream) => <LastChange stream={stream} />,
  },
  { head: 'Block', isNumber: true, isWide: true, value: ({ created_at }) => created_at },
]

/** The name of a stream before the short form of its id, or the whole id. */
function StreamCell({ stream }: { readonly stream: Stream }): JSX.Element {
  const { stream_id } = stream
  const name = findName(stream)
  return name === undefined ? (
    <span class="mono">
      <span class="long">{stream_id}</span>
      <span class="brief">{short(stream_id)}</span>
    </span>
  ) : (
    <span title={stream_id}>
      {name} <small class="mono long">{short(stream_id)}</small>
    </span>
  )
}

function findPoints(stream: Stream): readonly Point[] {
  return newest.value.get(hrefOf(stream))?.points ?? []
}

/** The last value of a stream, or why there is none. This cell reads what the others of its row show. */
function LastValue({ stream }: { readonly stream: Stream }): JSX.Element {
  const known = useNewest(stream)
  if (known === undefined) return <span class="quiet">…</span>
  const last = known.points.at(-1)
  return last === undefined ? <span class="quiet">{known.reason}</span> : <b>{formatDecimal(Number(last.value))}</b>
}

function Trend({ stream }: { readonly stream: Stream }): JSX.Element | null {
  const points = findPoints(stream)
  if (points.length === 0) return null
  return (
    <Sparkline
      values={points.map(({ value }) => Number(value))}
      label={points.length === 1 ? 'The only value' : `The latest ${points.length} values`}
    />
  )
}

const daySeconds = 86_400

/** The time of a stream's last change; its age where that is less than a day, so that streams that move are seen. */
function LastChange({ stream }: { readonly stream: Stream }): JSX.Element | null {
  const last = findPoints(stream).at(-1)
  if (last === undefined) return null
  const age = now.value / 1000 - last.date
  const isRecent = age >= 0 && age < daySeconds
  return (
    <time class={isRecent ? '' : 'quiet'} title={dateTime(last.date * 1000)}>
      {isRecent ? `${duration(age)} ago` : day(last.date * 1000)}
    </time>
  )
}

/** The newest streams of the network, asked for again while the view is open. */
export function useStreams() {
  return useRead<readonly Stream[]>('list_streams', { limit: mostStreams }, 10_000)
}
