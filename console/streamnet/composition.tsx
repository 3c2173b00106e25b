/** The tree of a composed stream: weights, and each child's part of the value at the cursor. */

import type { JSX } from 'preact'
import type { Child, Point } from '#gateway/contract/results.ts'
import { Empty, Panel } from '../frame/components.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { useResource } from '../frame/resource.ts'
import { dateTime } from '../frame/time.ts'
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
    <Panel title={at === null ? 'Composition' : `Composition on ${dateTime(at * 1000).slice(0, 10)}`}>
      <Children stream={stream} at={at} depth={1} />
    </Panel>
  )
}

function Children({ stream, at, depth }: LevelProps): JSX.Element {
  const taxonomy = useRead<{ child_streams: readonly Child[] }>('describe_taxonomy', nameOf(stream))
  return <Loaded of={taxonomy}>{({ child_streams }) => <Level of={child_streams} at={at} depth={depth} />}</Loaded>
}

interface ListProps extends Omit<LevelProps, 'stream'> {
  readonly of: readonly Child[]
}

function Level({ of: children, at, depth }: ListProps): JSX.Element {
  const histories = useResource(
    (signal) => Promise.all(children.map((child) => readHistory(child.stream, signal))),
    children.map((child) => hrefOf(child.stream)).join(' '),
  )
  if (children.length === 0) {
    return (
      <Empty title="No children yet">
        <p>
          <a href="/docs/streams?operation=insert_taxonomy">insert_taxonomy</a> gives the stream children with their
          weights.
        </p>
      </Empty>
    )
  }
  const parts = children.map(({ weight }, index) => Number(weight) * findValue(histories.data?.[index] ?? [], at))
  const whole = parts.reduce((sum, part) => sum + Math.abs(part), 0)
  return (
    <ul class="tree">
      {children.map(({ stream: child, weight }, index) => {
        const share = whole === 0 ? 0 : Math.abs(parts[index] ?? 0) / whole
        return (
          <li key={hrefOf(child)}>
            <div class="leaf">
              <a class={findName(child) === undefined ? 'mono' : ''} href={hrefOf(child)}>
                {streamTitle(child)}
              </a>
              <span class="num">
                <small>weight</small> {Number(weight)}
              </span>
              <span class="part" role="img" aria-label={`${(share * 100).toFixed(0)} percent of the value`}>
                <i style={{ width: `${share * 100}%` }} />
              </span>
              <span class="num">{(share * 100).toFixed(0)} %</span>
            </div>
            {depth < deepest ? <Below stream={child} at={at} depth={depth} /> : null}
          </li>
        )
      })}
    </ul>
  )
}

function Below({ stream, at, depth }: LevelProps): JSX.Element | null {
  const type = useRead<string>('get_type', nameOf(stream))
  return type.data === 'composed' ? <Children stream={stream} at={at} depth={depth + 1} /> : null
}

/** A child that the token may not read has no part that could be drawn. */
async function readHistory(stream: StreamPlace, signal: AbortSignal): Promise<readonly Point[]> {
  return read<readonly Point[]>('get_records', { ...nameOf(stream), date_from: 0 }, signal).catch(() => [])
}

/** The value that holds at a date: the latest one before or at it. */
function findValue(points: readonly Point[], at: number | null): number {
  const found = points.findLast(({ date }) => at === null || date <= at)
  return found === undefined ? 0 : Number(found.value)
}
