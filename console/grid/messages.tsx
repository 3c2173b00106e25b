/** What arrives, as an operator sees it: the newest messages of all, attacked or not, without a word about which. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { ask } from '../frame/api.ts'
import type { ConsoleError } from '../frame/errors.ts'
import { downloadBlob } from '../frame/export.ts'
import { Button, Empty, formatNumber, Problem, Skeleton } from '../frame/pieces.tsx'
import { failureFrom, useResource } from '../frame/resource.ts'
import { Table } from '../frame/table.tsx'
import { time } from '../frame/time.ts'
import type { GridDevice, Message } from './shapes.ts'

/** How many messages are asked for at a time. */
const newest = 100

interface MessagesProps {
  readonly base: string
  /** Says what is loaded, so that another session begins anew. */
  readonly session: string
  /** Devices of the topology: their names are shown for their addresses. */
  readonly devices: readonly GridDevice[]
}

/** The list, asked for again every two seconds, and the capture of what arrived. */
export function Messages({ base, session, devices }: MessagesProps): JSX.Element {
  const { data, error, reload } = useResource(
    (signal) =>
      ask<{ total: number; packets: readonly Message[] }>('grid', `${base}/packets/recent?limit=${newest}`, {
        signal,
      }),
    `${session} messages`,
    2_000,
  )
  if (data === undefined)
    return error === undefined ? <Skeleton rows={9} /> : <Problem error={error} onRetry={reload} />
  // An attacker's own device would be an answer.
  const known = devices.filter(({ node_type }) => node_type !== 'THREAT_AGENT')
  const names = new Map(
    known.flatMap(({ ip, mac = '', label }) => [[ip, label] as const, [mac, label] as const]),
  )
  const nameOf = (address: string) =>
    names.get(/^[\d.]+:\d+$/.test(address) ? address.replace(/:\d+$/, '') : address) || address
  const wayOf = ({ src, dst }: Message) => `${nameOf(src)} → ${nameOf(dst)}`
  // What was lost on its way was not seen by the control centre.
  const rows = data.packets.filter(({ forwarded }) => forwarded !== false).reverse()
  return (
    <>
      {error === undefined ? null : <Problem error={error} onRetry={reload} />}
      <Table<Message>
        caption="Messages by time"
        name="messages"
        rows={rows}
        rowKey={({ frame_no, timestamp, src }) => `${frame_no ?? timestamp} ${src}`}
        seen={12}
        isMoving
        empty={
          <Empty title="No message yet">
            <p>Start the simulation with the button above, and what arrives is here.</p>
          </Empty>
        }
        columns={[
          {
            key: 'at',
            head: 'Time',
            width: '5.5rem',
            value: ({ timestamp }) => timestamp,
            cell: ({ timestamp }) => time(timestamp * 1000),
          },
          { key: 'way', head: 'From and to', value: wayOf, cell: wayOf },
          {
            key: 'protocol',
            head: 'Protocol',
            width: '6rem',
            value: ({ protocol }) => protocol,
            cell: ({ protocol }) => protocol,
          },
          {
            key: 'len',
            head: 'Octets',
            isNumber: true,
            isWide: true,
            value: ({ len }) => len,
            cell: ({ len }) => formatNumber(len),
          },
        ]}
      />
      <p class="quiet">The newest {rows.length} that arrived; the capture has more, with every octet.</p>
      <Capture base={base} />
    </>
  )
}

/** The receivers' side of the capture, which has no labels. */
function Capture({ base }: { readonly base: string }): JSX.Element {
  const [failure, setFailure] = useState<ConsoleError | null>(null)
  const save = () =>
    ask<Blob>('grid', `${base}/export/pcap`, { as: 'blob' }).then(
      (blob) => {
        setFailure(null)
        downloadBlob('capture.pcap', blob)
      },
      (error) => setFailure(failureFrom(error)),
    )
  return (
    <>
      <Button onClick={save}>Save what arrived (pcap)</Button>
      {failure === null ? null : <Problem error={failure} onRetry={save} />}
    </>
  )
}
