/** The tree of a composed stream: weights, and each child's part of the value at the cursor. */

import type { JSX } from 'preact'
import type { Child, Point } from '#gateway/contract/results.ts'
import { Empty, Panel } from '../frame/components.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { useResource } from '../frame/resource.ts'
import { day } from '../frame/time.ts'
import { read, useRead } from './gateway.ts'
import { findName, type StreamPlace, streamTitle } from './name-book.ts'
import { hrefOf, nameOf } from './stream-name.ts'

/** Levels of the tree. */
const deepest = 4

interface CompositionProps {
  readonly stream: StreamPlace
  /** The date of the cursor in Unix seconds. */
  readonly at: number | null
}

interface LevelProps extends CompositionProps {
  readonly depth: number
}

/** The tree. */
export function Composition({ stream, at }: CompositionProps): JSX.Element {
  return (
    <Panel title={at === null ? 'Composition' : `Composition on ${day(at * 1000)}`}>
      <Children stream={stream} at={at} depth={1} />
    </Panel>
  )
}

function Children({ stream, at, depth }: LevelProps): JSX.Element {
  const taxonomy = useRead<{ child_streams: readonly Child[] }>('describe_taxonomy', nameOf(stream))
  return <Loaded of={taxonomy}>{({ child_streams }) => <Level list={child_streams} at={at} depth={depth} />}</Loaded>
}

interface ListProps extends Omit<LevelProps, 'stream'> {
  readonly list: readonly Child[]
}

function Level({ list: children, at, depth }: ListProps): JSX.Element {
  const histories = useResource(
    (signal) => Promise.all(children.map((child) => readHistory(child.stream, signal))),
    children.map((child) => hrefOf(child.stream)).join(' '),
  )
  if (children.length === 0) {
    return (
      <Empty title="No children yet">
        <a href="/docs/streams?operation=insert_taxonomy">insert_taxonomy</a> gives the stream children with their
        weights.
      </Empty>
    )
  }
  const parts = children.map((child, index) => ({
    child,
    part: Math.abs(Number(child.weight) * findValue(histories.data?.[index] ?? [], at)),
  }))
  const whole = parts.reduce((sum, { part }) => sum + part, 0)
  return (
    <ul class="tree">
      {parts.map(({ child, part }) => (
        <li key={hrefOf(child.stream)}>
          <Leaf child={child} share={whole === 0 ? 0 : part / whole} />
          {depth < deepest ? <Below stream={child.stream} at={at} depth={depth} /> : null}
        </li>
      ))}
    </ul>
  )
}

/** A child in its line. @param share - Its part of the value of the parent, 0 to 1. */
function Leaf({ child: { stream, weight }, share }: { readonly child: Child; readonly share: number }): JSX.Element {
  const percent = (share * 100).toFixed(0)
  return (
    <div class="leaf">
      <a class={findName(stream) === undefined ? 'mono' : ''} href={hrefOf(stream)}>
        {streamTitle(stream)}
      </a>
      <span class="num">
        <small>weight</small> {Number(weight)}
      </span>
      <span class="part" role="img" aria-label={`${percent} percent of the value`}>
        <i style={{ width: `${share * 100}%` }} />
      </span>
      <span class="num">{percent} %</span>
    </div>
  )
}

/** The level below a child that is itself composed. */
function Below({ stream, at, depth }: LevelProps): JSX.Element | null {
  const type = useRead<string>('get_type', nameOf(stream))
  return type.data === 'composed' ? <Children stream={stream} at={at} depth={depth + 1} /> : null
}

/** Reads the records of a child; none of one that the token may not read. */
async function readHistory(stream: StreamPlace, signal: AbortSignal): Promise<readonly Point[]> {
  return read<readonly Point[]>('get_records', { ...nameOf(stream), date_from: 0 }, signal).catch(() => [])
}

/** The value that holds at a date: the latest one before or at it. */
function findValue(points: readonly Point[], at: number | null): number {
  const found = points.findLast(({ date }) => at === null || date <= at)
  return found === undefined ? 0 : Number(found.value)
}
