/** Rights to read, compose and write streams. */

import { actionError } from '../errors.ts'
import type { LedgerStore } from '../ports.ts'
import { endOfTime } from '../state/events.ts'
import { latestMetadata, listMetadata } from '../state/metadata.ts'
import { findStreamByRef, type Stream } from '../state/streams.ts'
import type { Reader, Span } from './reader.ts'
import { anchorStart, cachedSegments } from './segments.ts'

/**
 * Values of `read_visibility` and `compose_visibility`. Other values are possible: they open a stream that is read as
 * part of another, and close one that is read by itself.
 */
const visibility = { public: 0n, private: 1n } as const

/** The owner of a stream, in lower case. */
export function findOwner(store: LedgerStore, stream: number): string | undefined {
  return latestMetadata(store, stream, 'stream_owner')?.ref
}

/** Tells whether a wallet, in lower case, owns a stream. */
export function isOwner(store: LedgerStore, stream: number, wallet: string | null): boolean {
  return wallet !== '' && findOwner(store, stream) === wallet
}

/** Tells whether a wallet, in lower case, may write: the owner, or one on the list `allow_write_wallet`. */
export function isWriter(store: LedgerStore, stream: number, wallet: string | null): boolean {
  return isOwner(store, stream, wallet) || isListed(store, stream, 'allow_write_wallet', wallet)
}

/** Tells whether a wallet, in lower case, may read a stream itself; its children are not looked at. */
export function isReader(store: LedgerStore, stream: number, wallet: string | null): boolean {
  return isPublic(store, stream, 'read_visibility') || isListedReader(store, stream, wallet)
}

/** Tells whether a child may be composed by one parent; action_failed unless both have one owner, as on the network. */
export function isComposableAlone(store: LedgerStore, child: number, parent: Stream): boolean {
  const [own, other] = [findOwner(store, child), findOwner(store, parent.ref)]
  if (own !== other) throw actionError('Composing stream must be from the same data provider')
  const parentRef = parent.streamId.toLowerCase()
  return isPublic(store, child, 'compose_visibility') || isListed(store, child, 'allow_compose_stream', parentRef)
}

/** Tells whether a parent may have a child: the child is open, of the same owner, or lists the parent's id. */
function isComposable(store: LedgerStore, child: number, parent: Stream): boolean {
  if (latestMetadata(store, child, 'compose_visibility')?.int !== visibility.private) return true
  return (
    isListed(store, child, 'allow_compose_stream', parent.streamId) ||
    findOwner(store, child) === findOwner(store, parent.ref)
  )
}

/** Tells whether a wallet may read a stream and all below it in a window; action_failed when one is gone. */
export function isReaderOfAll(reader: Reader, root: Stream, wallet: string, span: Span): boolean {
  const streams = new Set([root.ref, ...activeEdges(reader, root, span).map((edge) => edge.child.ref)])
  return [...streams].every(
    (stream) =>
      latestMetadata(reader.store, stream, 'read_visibility')?.int !== visibility.private ||
      isListedReader(reader.store, stream, wallet),
  )
}

/** Tells whether every edge in force below a stream is allowed by its child; action_failed when one is gone. */
export function isComposableInAll(reader: Reader, root: Stream, span: Span): boolean {
  return activeEdges(reader, root, span).every((edge) => isComposable(reader.store, edge.child.ref, edge.parent))
}

/** The streams below a root that are in force somewhere in a window, each once, without those that are gone. */
export function streamsBelow(reader: Reader, root: Stream, span: Span): readonly Stream[] {
  const streams = new Map<number, Stream>()
  for (const { child } of walkEdges(reader, root, span)) {
    if (child !== undefined) streams.set(child.ref, child)
  }
  return [...streams.values()]
}

interface Edge<Child = Stream> {
  readonly parent: Stream
  readonly child: Child
}

interface Part {
  readonly stream: Stream
  readonly start: bigint
  readonly end: bigint
}

/** The edges below a root whose segments are in force somewhere in a window, each once. */
function activeEdges(reader: Reader, root: Stream, span: Span): readonly Edge[] {
  const edges = new Map<string, Edge>()
  for (const { parent, child } of walkEdges(reader, root, span)) {
    if (child === undefined) throw actionError(`Missing child streams for stream with id=${root.ref}`)
    edges.set(`${parent.ref} ${child.ref}`, { parent, child })
  }
  return [...edges.values()]
}

/** Walks down from a root; an edge comes once for each stretch of time, its child undefined when it is gone. */
function* walkEdges(reader: Reader, root: Stream, span: Span): Generator<Edge<Stream | undefined>> {
  const segmentsOf = cachedSegments(reader)
  const seen = new Set<string>()
  const open: Part[] = [{ stream: root, start: 0n, end: endOfTime }]
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const segments = segmentsOf(part.stream.ref)
    const anchor = anchorStart(segments, span.from ?? 0n)
    for (const segment of segments) {
      if (segment.start < anchor || segment.start > (span.to ?? endOfTime)) continue
      if (segment.start > part.end || segment.end < part.start) continue
      const start = segment.start > part.start ? segment.start : part.start
      const end = segment.end < part.end ? segment.end : part.end
      for (const { ref } of segment.children) {
        reader.budget.spend(1)
        const child = findStreamByRef(reader.store, ref)
        yield { parent: part.stream, child }
        const key = `${ref} ${start} ${end}`
        if (child === undefined || child.type === 'primitive' || seen.has(key)) continue
        seen.add(key)
        open.push({ stream: child, start, end })
      }
    }
  }
}

function isPublic(store: LedgerStore, stream: number, key: string): boolean {
  return (latestMetadata(store, stream, key)?.int ?? visibility.public) === visibility.public
}

function isListedReader(store: LedgerStore, stream: number, wallet: string | null): boolean {
  return isOwner(store, stream, wallet) || isListed(store, stream, 'allow_read_wallet', wallet)
}

/** Tells whether a row of a key has this reference; of null, as on the network, whether the newest row has any. */
function isListed(store: LedgerStore, stream: number, key: string, ref: string | null): boolean {
  if (ref === null) return latestMetadata(store, stream, key)?.ref !== undefined
  for (const row of listMetadata(store, stream, key)) if (row.ref === ref) return true
  return false
}
