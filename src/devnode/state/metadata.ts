/** The metadata of streams: rows that are added and disabled, never changed or removed. */

import { countPart, joinKey, keysUnder, parseTextPart, readCounter, removeUnder, textPart } from '../keys.ts'
import type { KeyRange, LedgerStore } from '../ports.ts'

/** One row of metadata; exactly one of the values is set. */
export interface MetadataRow {
  /** A UUID made from the transaction and a counter, so that it is the same on every replay. */
  readonly rowId: string
  readonly key: string
  readonly int?: bigint
  /** Scaled by 10^18. */
  readonly float?: bigint
  readonly bool?: boolean
  readonly text?: string
  /** An address or a stream id, in lower case. */
  readonly ref?: string
  /** Height of the block that added it. */
  readonly createdAt: number
  /** Height of the block that disabled it. */
  readonly disabledAt?: number
}

/** The value of a row: exactly one of these is set. */
export type MetadataValue = Pick<MetadataRow, 'int' | 'float' | 'bool' | 'text' | 'ref'>

const metadata = 'metadata'

/** Tells whether all entries of a range are rows of metadata. */
export function isMetadataRange({ start }: KeyRange): boolean {
  return start.startsWith(`${metadata}/`)
}

const rowCounters = 'metadata-rows'

/** A row id that every replay makes again: a UUID of version 8 (RFC 9562) of 72 bits of the hash and a counter. */
export function rowId(txId: string, position: number): string {
  const count = position.toString(16).padStart(12, '0')
  return `${txId.slice(0, 8)}-${txId.slice(8, 12)}-8${txId.slice(12, 15)}-8${txId.slice(15, 18)}-${count}`
}

/** Tells whether a transaction added a row: the row's id holds 72 bits of the transaction's hash. */
export function isRowOf(id: string, txId: string): boolean {
  return id.slice(0, 23) === rowId(txId, 0).slice(0, 23)
}

/** Adds a row to a stream. */
export function addMetadata(store: LedgerStore, stream: number, row: MetadataRow): void {
  const counterKey = joinKey(rowCounters, countPart(stream))
  const position = readCounter(store, counterKey) + 1
  store.put(counterKey, String(position))
  // The position makes keys unique and keeps rows of one block in the order they were written.
  store.put(
    joinKey(metadata, countPart(stream), textPart(row.key), countPart(row.createdAt), countPart(position)),
    encodeRow(row),
  )
}

/** The rows of one key that are not disabled, newest first. */
export function* listMetadata(store: LedgerStore, stream: number, key: string): Generator<MetadataRow> {
  for (const { row } of listEntries(store, keysUnder(metadata, countPart(stream), textPart(key)))) {
    if (row.disabledAt === undefined) yield row
  }
}

/** The newest row of a key that is not disabled. */
export function latestMetadata(store: LedgerStore, stream: number, key: string): MetadataRow | undefined {
  const [newest] = listMetadata(store, stream, key)
  return newest
}

/** Finds a row by its id; undefined for a disabled one. */
export function findMetadata(store: LedgerStore, stream: number, id: string): MetadataRow | undefined {
  for (const { row } of listEntries(store, keysUnder(metadata, countPart(stream)))) {
    if (row.rowId === id && row.disabledAt === undefined) return row
  }
  return undefined
}

/** Every row of a stream, disabled ones included, in the reverse order of keys. */
export function* listStreamMetadata(store: LedgerStore, stream: number): Generator<MetadataRow> {
  for (const { row } of listEntries(store, keysUnder(metadata, countPart(stream)))) yield row
}

/** Disables a row of a stream at the height of a block. */
export function disableMetadata(
  store: LedgerStore,
  stream: number,
  { key, rowId }: Pick<MetadataRow, 'key' | 'rowId'>,
  height: number,
): void {
  let found: Entry | undefined
  for (const entry of listEntries(store, keysUnder(metadata, countPart(stream), textPart(key)))) {
    if (entry.row.rowId !== rowId) continue
    found = entry
    break
  }
  if (found !== undefined) store.put(found.storeKey, encodeRow({ ...found.row, disabledAt: height }))
}

/** The row by which a stream keeps zeros: the newest of its key or none, as each change disables the row before. */
export function findZerosRow(store: LedgerStore, stream: number): MetadataRow | undefined {
  const [newest] = listEntries(store, keysUnder(metadata, countPart(stream), textPart('allow_zeros')))
  return newest?.row.disabledAt === undefined && newest?.row.bool === true ? newest.row : undefined
}

/** Rewrites the reference of every row of a key; only a change of ownership does this. */
export function replaceReference(store: LedgerStore, stream: number, key: string, ref: string): void {
  for (const entry of [...listEntries(store, keysUnder(metadata, countPart(stream), textPart(key)))]) {
    store.put(entry.storeKey, encodeRow({ ...entry.row, ref }))
  }
}

/** Every row of every stream, for queries by height. */
export function* listAllMetadata(store: LedgerStore): Generator<{ stream: number; row: MetadataRow }> {
  for (const { storeKey, row } of listEntries(store, keysUnder(metadata))) {
    yield { stream: Number.parseInt(storeKey.split('/')[1] ?? '', 16), row }
  }
}

/** Removes the metadata of a stream, as its deletion does. */
export function removeMetadata(store: LedgerStore, stream: number): void {
  removeUnder(store, metadata, countPart(stream))
  store.delete(joinKey(rowCounters, countPart(stream)))
}

/** A row and its key in the store. */
interface Entry {
  readonly storeKey: string
  readonly row: MetadataRow
}

function* listEntries(store: LedgerStore, range: KeyRange): Generator<Entry> {
  for (const [storeKey, text] of store.list({ ...range, isReverse: true })) {
    const key = parseTextPart(storeKey.split('/')[2] ?? '')
    yield { storeKey, row: decodeRow(key, text) }
  }
}

/** The stored form of a row: bigints as text, the key in the store's own key. */
interface StoredRow {
  readonly id: string
  readonly at: number
  readonly off?: number
  readonly i?: string
  readonly f?: string
  readonly b?: boolean
  readonly s?: string
  readonly r?: string
}

function encodeRow({ rowId: id, createdAt: at, disabledAt: off, int, float, bool: b, text: s, ref: r }: MetadataRow) {
  // Members that are undefined are not written.
  return JSON.stringify({ id, at, off, i: int?.toString(), f: float?.toString(), b, s, r })
}

function decodeRow(key: string, text: string): MetadataRow {
  // Only encodeRow writes under these keys.
  const stored = JSON.parse(text) as StoredRow
  return {
    rowId: stored.id,
    key,
    createdAt: stored.at,
    ...(stored.off !== undefined && { disabledAt: stored.off }),
    ...(stored.i !== undefined && { int: BigInt(stored.i) }),
    ...(stored.f !== undefined && { float: BigInt(stored.f) }),
    ...(stored.b !== undefined && { bool: stored.b }),
    ...(stored.s !== undefined && { text: stored.s }),
    ...(stored.r !== undefined && { ref: stored.r }),
  }
}
