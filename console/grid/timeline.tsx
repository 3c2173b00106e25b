/** Incidents as they come: ticks on a strip of time with gaps shaded, and a list. Trainees do not see them. */

import type { JSX } from 'preact'
import { Empty, State, type Tone } from '../frame/components.tsx'
import { hrefWith } from '../frame/router.ts'
import { type Column, Table } from '../frame/table.tsx'
import { time } from '../frame/time.ts'
import { kept, type LiveGrid, type Tick } from './live-grid.ts'

/** Simulated seconds that the strip shows, and the size of its drawing. */
const span = 120
const strip = { width: 600, height: 34 } as const

const tones: Readonly<Record<string, Tone>> = { CRITICAL: 'bad', HIGH: 'bad', MEDIUM: 'attention' }

interface TimelineProps {
  readonly grid: LiveGrid
  readonly open: string | null
  readonly onOpen: (id: string) => void
}

/** The strip and the list. */
export function Timeline({ grid, open, onOpen }: TimelineProps): JSX.Element {
  const newest = [...grid.incidents].reverse()
  const hidden = grid.received - grid.incidents.length
  return (
    <>
      <Strip grid={grid} />
      <Table<Tick>
        caption="Incidents by time"
        name="incidents"
        rows={newest}
        rowKey={({ id, number }) => `${number} ${id}`}
        onOpen={({ id }) => onOpen(id)}
        isOpen={({ id }) => id === open}
        seen={9}
        isMoving
        empty={
          <Empty title="No message was attacked while this page was open">
            <a href={hrefWith({ attacks: '1' })} data-part>
              Enable an attack
            </a>
            , and each message that it touches appears here.
          </Empty>
        }
        columns={columns}
      />
      {hidden > 0 ? (
        <p class="quiet">
          {grid.received} arrived; the page keeps the newest {kept.incidents}, and the export of an incident has what
          the simulation retains.
        </p>
      ) : null}
    </>
  )
}

const columns: readonly Column<Tick>[] = [
  { head: 'Time', width: '4.5rem', value: ({ at }) => at, cell: ({ at }) => time(at * 1000) },
  {
    head: 'Severity',
    width: '5.5rem',
    value: ({ severity }) => severity,
    cell: ({ severity }) => <State tone={tones[severity] ?? 'normal'}>{severity.toLowerCase()}</State>,
  },
  { head: 'From and to', width: '8.5rem', isWide: true, value: describeWay },
  { head: 'Protocol', width: '4.5rem', value: (tick) => tick.read().protocol },
  { head: 'What', value: (tick) => tick.read().description ?? '' },
]

function describeWay(tick: Tick): string {
  const { src_node: from, dst_node: to } = tick.read()
  return `${from ?? '?'} → ${to ?? '?'}`
}

interface StripTick {
  /** Pixels from the left. */
  readonly x: number
  readonly tone: Tone
  readonly count: number
}

/** The incidents of a strip, those of one pixel and tone together. */
function countIncidents(incidents: readonly Tick[], x: (at: number) => number): readonly StripTick[] {
  const ticks = new Map<string, StripTick>()
  for (const { at, severity } of incidents) {
    const place = { x: Math.round(x(at)), tone: tones[severity] ?? 'normal' }
    const key = `${place.x} ${place.tone}`
    ticks.set(key, { ...place, count: (ticks.get(key)?.count ?? 0) + 1 })
  }
  return [...ticks.values()]
}

function Strip({ grid }: { readonly grid: LiveGrid }): JSX.Element {
  const end = grid.at
  const begin = end - span
  const x = (at: number) => ((at - begin) / span) * strip.width
  const ticks = countIncidents(
    grid.incidents.filter(({ at }) => at >= begin),
    x,
  )
  const gaps = grid.gaps.filter(({ to }) => to > begin)
  return (
    <figure class="strip">
      <svg
        viewBox={`0 0 ${strip.width} ${strip.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${ticks.length} moments with incidents in the last two minutes, ${gaps.length} gaps`}
      >
        {gaps.map(({ from, to, reason }) => (
          <rect
            key={from}
            class="strip-gap"
            x={Math.max(0, x(from))}
            width={Math.max(2, x(to) - Math.max(0, x(from)))}
            height={strip.height}
          >
            <title>{`Not computed: ${reason}`}</title>
          </rect>
        ))}
        {ticks.map(({ x: at, tone, count }) => (
          <line
            key={`${at} ${tone}`}
            class={`tick ${tone}`}
            x1={at}
            x2={at}
            y1={tone === 'bad' ? 4 : 14}
            y2={Math.min(strip.height, 26 + count)}
          />
        ))}
      </svg>
      <figcaption class="row quiet">
        <span>2 minutes ago</span>
        <span>now, simulated {time(end * 1000)}</span>
      </figcaption>
    </figure>
  )
}
