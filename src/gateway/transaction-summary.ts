/** A transaction as people read it: who sent it, what it does, and what became of it. */

import { decodeBase64 } from '../base/base64.ts'
import { decodeActionExecution, decodeTransfer } from '../streamnet/codec/payload.ts'
import { hashTransaction } from '../streamnet/codec/transaction.ts'
import type { TransactionJson } from '../streamnet/rpc/methods.ts'
import { transactionFromJson } from '../streamnet/rpc/transaction-json.ts'
import type { TypedValue } from '../streamnet/types.ts'

/** The place of a transaction. */
export interface TransactionPlace {
  readonly height: number
  /** Its place in the block, from 0. */
  readonly index: number
  /** Unix milliseconds of its block; null while it is in none. */
  readonly timeMs: number | null
}

/** The request in a payload. */
export type PayloadSummary =
  | {
      readonly kind: 'execute'
      readonly namespace: string
      readonly action: string
      /** The number of runs of the action. */
      readonly calls: number
      /** Arguments of the first runs, lists cut to their first elements; see `leftOut`. */
      readonly args: readonly (readonly unknown[])[]
      /** Runs and elements of lists that are not shown. */
      readonly leftOut: number
    }
  | { readonly kind: 'transfer'; readonly to: string; readonly amount: bigint }
  | { readonly kind: 'other'; readonly bytes: number }

/** A transaction in a list. */
export interface TransactionSummary extends TransactionPlace {
  /** 64 lower-case hex digits; null where the node keeps only that there was a transaction. */
  readonly hash: string | null
  readonly sender: string | null
  /** The word that says how to read the payload. */
  readonly type: string | null
  readonly payload: PayloadSummary | null
  readonly nonce: number | null
  /** The most that the sender offers, in the chain's smallest unit. */
  readonly fee: bigint | null
  readonly description: string
  /** 0 for success; `log` says why otherwise. */
  readonly code: number
  readonly log: string
}

/** The part of a payload that is shown: runs of the action, and elements of each list. */
export interface PayloadBounds {
  readonly runs: number
  readonly elements: number
}

/** In a list, where a page of a hundred transactions must stay small. */
export const briefly: PayloadBounds = { runs: 1, elements: 3 }
/** On the page of one transaction. */
export const fully: PayloadBounds = { runs: 100, elements: 1000 }

/** The longest text of an argument, in characters; the rest is cut. */
const longestText = 512

/**
 * Describes a transaction.
 *
 * @param transaction - null where the node has pruned its body.
 */
export function describeTransaction(
  transaction: TransactionJson | null,
  { code, log }: { readonly code: number; readonly log?: string },
  place: TransactionPlace,
  bounds: PayloadBounds = briefly,
): TransactionSummary {
  const outcome = { ...place, code, log: log ?? '' }
  if (transaction === null) return { ...pruned, ...outcome }
  const { body, sender } = transaction
  return {
    hash: computeHash(transaction),
    sender: sender === '' ? null : `0x${sender.toLowerCase()}`,
    type: body.type,
    payload: describePayload(body.type, body.payload, bounds),
    nonce: body.nonce,
    fee: body.fee !== null && /^\d{1,100}$/.test(body.fee) ? BigInt(body.fee) : null,
    description: body.desc,
    ...outcome,
  }
}

const pruned = {
  hash: null,
  sender: null,
  type: null,
  payload: null,
  nonce: null,
  fee: null,
  description: '',
} as const

/** The hash of a transaction that this client can read; of validators' transactions, which sign otherwise, null. */
function computeHash(transaction: TransactionJson): string | null {
  try {
    return hashTransaction(transactionFromJson(transaction))
  } catch {
    return null
  }
}

function describePayload(type: string, base64: string, bounds: PayloadBounds): PayloadSummary {
  const bytes = decodeBase64(base64)
  try {
    if (type === 'transfer') return { kind: 'transfer', ...decodeTransfer(bytes) }
    if (type === 'execute') return describeExecution(bytes, bounds)
  } catch {
    // A payload that cannot be read has failed in its block; its length is all there is to tell.
  }
  return { kind: 'other', bytes: bytes.length }
}

function describeExecution(bytes: Uint8Array, { runs, elements }: PayloadBounds): PayloadSummary {
  const { namespace, action, calls } = decodeActionExecution(bytes)
  const shown = calls.slice(0, runs)
  const lists = shown.flat().map(({ value }) => (Array.isArray(value) ? value.length : 0))
  const cut = lists.reduce((sum, length) => sum + Math.max(0, length - elements), 0)
  const args = shown.map((call) => call.map((arg) => shorten(arg, elements)))
  return {
    kind: 'execute',
    namespace,
    action,
    calls: calls.length,
    args,
    leftOut: calls.length - shown.length + cut,
  }
}

function shorten({ value }: TypedValue, elements: number): unknown {
  if (Array.isArray(value)) return value.slice(0, elements).map(shortenText)
  return shortenText(value)
}

function shortenText(value: unknown): unknown {
  if (typeof value === 'string' && value.length > longestText) return `${value.slice(0, longestText)}…`
  return value instanceof Uint8Array ? value.slice(0, longestText / 2) : value
}
