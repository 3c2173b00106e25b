/** The taxonomies of composed streams: which children, with which weights, from when on. */

import {
  countPart,
  int8Part,
  joinKey,
  keysUnder,
  parseCountPart,
  parseInt8Part,
  readCounter,
  removeUnder,
} from '../keys.ts'
import type { LedgerStore } from '../ports.ts'

/** One child of a composed stream in one taxonomy. */
export interface TaxonomyRow {
  readonly parent: number
  readonly child: number
  /** Scaled by 10^18; never negative. */
  readonly weight: bigint
  /** The time from which the taxonomy is in force. */
  readonly startTime: bigint
  /** Counts the taxonomies of the parent, from 1; among those of one start time the highest is in force. */
  readonly group: number
  /** Height of the block that added it. */
  readonly createdAt: number
  /** Height of the block that disabled it. */
  readonly disabledAt: number | undefined
  /** The transaction that added it; local streams have none. */
  readonly txId?: string
}

/** The members that name a row. */
export type TaxonomyPlace = Pick<TaxonomyRow, 'parent' | 'startTime' | 'group' | 'child'>

const taxonomies = 'taxonomy'
const groupCounters = 'taxonomy-groups'

/** The highest group a stream has ever had, disabled ones included; 0 when there was none. */
export function latestGroup(store: LedgerStore, parent: number): number {
  return readCounter(store, joinKey(groupCounters, countPart(parent)))
}

/** Adds a row, or replaces the one of the same parent, start time, group and child. */
export function putTaxonomyRow(store: LedgerStore, row: TaxonomyRow): void {
  store.put(rowKey(row), `${row.weight} ${row.createdAt} ${row.disabledAt ?? ''} ${row.txId ?? ''}`)
  if (row.group > latestGroup(store, row.parent)) {
    store.put(joinKey(groupCounters, countPart(row.parent)), String(row.group))
  }
}

/** Tells whether a parent already has this child in this group. */
export function hasTaxonomyRow(store: LedgerStore, row: TaxonomyPlace): boolean {
  return store.get(rowKey(row)) !== undefined
}

/** The rows of one parent, disabled ones included, by start time, group and child. */
export function* listTaxonomyRows(store: LedgerStore, parent: number): Generator<TaxonomyRow> {
  for (const entry of store.list(keysUnder(taxonomies, countPart(parent)))) yield readRow(entry)
}

/** The rows of all parents, disabled ones included. */
export function* listAllTaxonomyRows(store: LedgerStore): Generator<TaxonomyRow> {
  for (const entry of store.list(keysUnder(taxonomies))) yield readRow(entry)
}

/** Removes one row, as if it had never been. */
export function removeTaxonomyRow(store: LedgerStore, row: TaxonomyPlace): void {
  store.delete(rowKey(row))
}

/** Removes the rows of a parent, as its deletion does. Rows that name it as a child stay. */
export function removeTaxonomyRows(store: LedgerStore, parent: number): void {
  removeUnder(store, taxonomies, countPart(parent))
  store.delete(joinKey(groupCounters, countPart(parent)))
}

function rowKey(row: TaxonomyPlace): string {
  return joinKey(taxonomies, countPart(row.parent), int8Part(row.startTime), countPart(row.group), countPart(row.child))
}

function readRow([key, text]: readonly [string, string]): TaxonomyRow {
  const [, parent = '', startTime = '', group = '', child = ''] = key.split('/')
  const [weight = '0', createdAt, disabledAt = '', txId = ''] = text.split(' ')
  return {
    parent: parseCountPart(parent),
    child: parseCountPart(child),
    weight: BigInt(weight),
    startTime: parseInt8Part(startTime),
    group: parseCountPart(group),
    createdAt: Number(createdAt),
    disabledAt: disabledAt === '' ? undefined : Number(disabledAt),
    ...(txId !== '' && { txId }),
  }
}
