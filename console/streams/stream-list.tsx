/** Every stream with its owner, type, last value and a sparkline; filtered as one types. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Empty, formatNumber, Problem, Skeleton } from '../frame/pieces.tsx'
import { useResource } from '../frame/resource.ts'
import { navigate } from '../frame/router.ts'
import { Sparkline } from '../frame/sparkline.tsx'
import { Table } from '../frame/table.tsx'
import { dateTime } from '../frame/time.ts'
import { hrefOf, nameOf, type Point, read, type Stream, short } from './gateway.ts'

/** How many values a sparkline shows. */
const sparkValues = 30

/** The table. */
export function StreamList({ streams }: { readonly streams: readonly Stream[] }): JSX.Element {
  const [text, setText] = useState('')
  const wanted = text.toLowerCase().trim()
  const rows = streams.filter((stream) =>
    `${stream.stream_id} ${stream.data_provider} ${stream.stream_type}`.toLowerCase().includes(wanted),
  )
  return (
    <div class="stack">
      <input
        type="search"
        class="filter"
        aria-label="Filter streams by id, owner or type"
        placeholder="Filter by id, owner or type"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Table<Stream>
        caption="Streams"
        name="streams"
        rows={rows}
        rowKey={hrefOf}
        onOpen={(stream) => navigate(hrefOf(stream))}
        seen={18}
        empty={
          streams.length === 0 ? (
            <Empty title="This network has no streams">
              <p>
                <a href="/console/streams/write">Create one</a>, or load the seed network on the development
                tab.
              </p>
            </Empty>
          ) : (
            <Empty title={`No stream matches "${text}"`}>
              <p>Type a part of an id, of an owner's address, or a type; empty shows all {streams.length}.</p>
            </Empty>
          )
        }
        columns={[
          {
            key: 'id',
            head: 'Stream',
            width: '17.5rem',
            value: ({ stream_id }) => stream_id,
            cell: ({ stream_id }) => (
              <span class="mono">
                <span class="long">{stream_id}</span>
                <span class="brief">{short(stream_id)}</span>
              </span>
            ),
          },
          {
            key: 'owner',
            head: 'Owner',
            isWide: true,
            value: ({ data_provider }) => data_provider,
            cell: ({ data_provider }) => <span class="mono">{short(data_provider)}</span>,
          },
          {
            key: 'type',
            head: 'Type',
            isWide: true,
            value: ({ stream_type }) => stream_type,
            cell: ({ stream_type }) => stream_type,
          },
          {
            key: 'last',
            head: 'Last value, 30 latest, date',
            cell: (stream) => <Latest stream={stream} />,
          },
          {
            key: 'created',
            head: 'Created at block',
            isNumber: true,
            isWide: true,
            value: ({ created_at }) => created_at,
            cell: ({ created_at }) => formatNumber(created_at),
          },
        ]}
      />
    </div>
  )
}

/** The last value of a stream with its history; asked for when the row is drawn. */
function Latest({ stream }: { readonly stream: Stream }): JSX.Element {
  const { data, error } = useResource(
    async (signal) =>
      (await read<readonly Point[]>('get_records', { ...nameOf(stream), date_from: 0 }, signal)).slice(
        -sparkValues,
      ),
    hrefOf(stream),
  )
  if (error !== undefined)
    return <span class="quiet">{error.status === 403 ? 'private' : 'not readable'}</span>
  if (data === undefined) return <span class="quiet">…</span>
  const last = data.at(-1)
  if (last === undefined) return <span class="quiet">no records</span>
  return (
    <span class="latest">
      <b class="num">{formatNumber(Number(last.value), 2)}</b>
      <Sparkline values={data.map(({ value }) => Number(value))} label={`The latest ${data.length} values`} />
      <time class="quiet">{dateTime(last.date * 1000).slice(0, 10)}</time>
    </span>
  )
}

/** All streams of the network, asked for again while the view is open. */
export function useStreams() {
  return useResource(
    (signal) => read<readonly Stream[]>('list_streams', { limit: 5000 }, signal),
    'streams',
    10_000,
  )
}

/** What is shown while streams are on their way, or cannot be had. */
export function Waiting({ resource }: { readonly resource: ReturnType<typeof useStreams> }): JSX.Element {
  if (resource.error === undefined) return <Skeleton rows={10} />
  return <Problem error={resource.error} onRetry={resource.reload} />
}
