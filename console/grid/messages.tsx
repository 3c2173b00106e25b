/** Messages as an operator sees them: the newest of all, without a mark on those that were attacked. */

import type { JSX } from 'preact'
import type { Device } from '#grid/contract/grid.ts'
import type { PacketSummary } from '#grid/contract/records.ts'
import { Button, Empty, Problem } from '../frame/components.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { useAction, useAnswer } from '../frame/resource.ts'
import { Table } from '../frame/table.tsx'
import { time } from '../frame/time.ts'
import { saveExport } from './requests.ts'

/** Messages of one request. */
const newest = 100

interface MessagesProps {
  readonly base: string
  /** Says what is loaded, so that another session begins anew. */
  readonly session: string
  /** Devices of the topology: their names are shown for their addresses. */
  readonly devices: readonly Device[]
}

/** The list, asked for again every two seconds, and the capture of what arrived. */
export function Messages({ base, session, devices }: MessagesProps): JSX.Element {
  const path = `${base}/packets/recent?limit=${newest}`
  const messages = useAnswer<{ packets: readonly PacketSummary[] }>('grid', path, 2_000, session)
  const nameOf = createNames(devices)
  const describeWay = ({ src, dst }: PacketSummary) => `${nameOf(src)} → ${nameOf(dst)}`
  return (
    <Loaded of={messages} rows={9}>
      {({ packets }) => <MessageTable packets={packets} describeWay={describeWay} base={base} />}
    </Loaded>
  )
}

/** Makes the function from an end of a message to the label of its device, or the address where it is not known. */
function createNames(devices: readonly Device[]): (end: string) => string {
  // An attacker's own device would be an answer.
  const known = devices.filter(({ node_type }) => node_type !== 'THREAT_AGENT')
  const names = new Map(known.flatMap(({ ip, mac = '', label }) => [[ip, label] as const, [mac, label] as const]))
  // 10.20.1.10:502 without its port; a MAC address has none.
  return (end) => names.get(/^([\d.]+):\d+$/.exec(end)?.[1] ?? end) || end
}

interface MessageTableProps {
  readonly packets: readonly PacketSummary[]
  readonly describeWay: (message: PacketSummary) => string
  readonly base: string
}

function MessageTable({ packets, describeWay, base }: MessageTableProps): JSX.Element {
  // The control centre has not seen a message that was lost on its way.
  const rows = packets.filter(({ forwarded }) => forwarded !== false).reverse()
  return (
    <>
      <Table<PacketSummary>
        caption="Messages by time"
        name="messages"
        rows={rows}
        rowKey={({ frame_no, timestamp, src }) => `${frame_no ?? timestamp} ${src}`}
        seen={12}
        isMoving
        empty={
          <Empty title="No message yet">Start the simulation with the button above, and what arrives is here.</Empty>
        }
        columns={[
          {
            head: 'Time',
            width: '5.5rem',
            value: ({ timestamp }) => timestamp,
            cell: ({ timestamp }) => time(timestamp * 1000),
          },
          { head: 'From and to', value: describeWay },
          { head: 'Protocol', width: '6rem', value: ({ protocol }) => protocol },
          { head: 'Octets', isNumber: true, isWide: true, value: ({ len }) => len },
        ]}
      />
      <p class="quiet">The newest {rows.length} that arrived; the capture has more, with every octet.</p>
      <Capture base={base} />
    </>
  )
}

/** The receivers' side of the capture, which has no labels. */
function Capture({ base }: { readonly base: string }): JSX.Element {
  const { error, run } = useAction()
  const save = () => run(() => saveExport(base, 'pcap', 'capture.pcap'))
  return (
    <>
      <Button onClick={save}>Save what arrived (pcap)</Button>
      <Problem error={error} onRetry={save} />
    </>
  )
}
