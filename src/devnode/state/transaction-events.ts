/** The ledger of transactions: what each did, what it paid, and to whom. */

import { stringifyWide } from '../../base/json.ts'
import { countPart, joinKey, keysUnder, listIndexed, readJson, type WithText } from '../keys.ts'
import type { LedgerStore } from '../ports.ts'

/** The events of a transaction, by the network's names. */
export type LedgerMethod =
  | 'deployStream'
  | 'insertRecords'
  | 'setTaxonomies'
  | 'transferTN'
  | 'withdrawTN'
  | 'requestAttestation'
  | 'setMetadata'
  | 'createMarket'

/** One row per transaction. */
export interface TransactionEvent {
  /** `0x` and 64 lower-case hex digits. */
  readonly txId: string
  readonly height: number
  readonly method: LedgerMethod
  /** Lower case. */
  readonly caller: string
  /** In the smallest unit of the fee token. */
  readonly fee: bigint
  /** Lower case; null when nothing was paid. */
  readonly recipient: string | null
  /** JSON text, or null. */
  readonly metadata: string | null
}

const events = 'ledger'
const byHeight = 'ledger-height'

/** Writes the row of a transaction; later ones of the same transaction are ignored. */
export function recordTransactionEvent(store: LedgerStore, event: TransactionEvent): void {
  const key = joinKey(events, event.txId)
  if (store.get(key) !== undefined) return
  const { txId, height, ...rest } = event
  store.put(key, stringifyWide({ ...rest, height }))
  store.put(joinKey(byHeight, countPart(height), txId), '')
}

/** Finds the row of a transaction by `0x` and its hash in lower case. */
export function findTransactionEvent(store: LedgerStore, txId: string): TransactionEvent | undefined {
  if (!/^0x[0-9a-f]{64}$/.test(txId)) return undefined
  const row = readJson<WithText<TransactionEvent, 'fee'>>(store, joinKey(events, txId))
  return row && { ...row, txId, fee: BigInt(row.fee) }
}

/** All rows, newest block first, then by transaction id downwards. */
export function listTransactionEvents(store: LedgerStore): Generator<TransactionEvent> {
  return listIndexed(store, { ...keysUnder(byHeight), isReverse: true }, (txId) => findTransactionEvent(store, txId))
}
