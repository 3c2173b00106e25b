/** A transaction as people read it: who sent it, what it does, and what became of it. */

import { decodeBase64 } from '../base/base64.ts'
import { encodeHex } from '../base/hex.ts'
import { agentPayloadType, decodeAgentExecution } from '../streamnet/codec/agent-payload.ts'
import { decodeActionExecution, decodeTransfer } from '../streamnet/codec/payload.ts'
import type { TransactionJson } from '../streamnet/rpc/methods.ts'
import { transactionFromJson } from '../streamnet/rpc/transaction-json.ts'
import { hashTransactionSync } from '../streamnet/signing/sync-signer.ts'
import type { ActionExecution, TypedValue } from '../streamnet/types.ts'
import type { ListedTransaction, Payload } from './contract/chain.ts'

/** The place of a transaction: its block, with its time, and its index there. */
type TransactionPlace = Pick<ListedTransaction, 'height' | 'index' | 'time_ms'>

/** The part of a payload that is shown: runs of the action, and elements of each list. */
interface PayloadBounds {
  readonly runs: number
  readonly elements: number
}

/** The bounds in a list, where a page of a hundred transactions must stay small. */
export const listBounds: PayloadBounds = { runs: 1, elements: 3 }
/** The bounds on the page of one transaction. */
export const wholeBounds: PayloadBounds = { runs: 100, elements: 1000 }

/** The longest text of an argument, in characters; the rest is cut. */
const longestText = 512

/** Describes a transaction; null where the node has pruned its body. */
export function describeTransaction(
  transaction: TransactionJson | null,
  { code, log }: { readonly code: number; readonly log?: string },
  place: TransactionPlace,
  bounds: PayloadBounds = listBounds,
): ListedTransaction {
  const outcome = { ...place, code, log: log ?? '' }
  if (transaction === null) return { ...pruned, ...outcome }
  const { body, sender } = transaction
  return {
    hash: computeHash(transaction),
    sender: sender === '' ? null : `0x${sender.toLowerCase()}`,
    type: body.type,
    payload: describePayload(body.type, body.payload, bounds),
    nonce: body.nonce,
    fee: body.fee !== null && /^\d{1,100}$/.test(body.fee) ? `${BigInt(body.fee)}` : null,
    description: body.desc,
    ...outcome,
  }
}

const pruned = { hash: null, sender: null, type: null, payload: null, nonce: null, fee: null, description: '' } as const

/** The hash of a transaction; null where this client cannot read it, because validators sign theirs otherwise. */
function computeHash(transaction: TransactionJson): string | null {
  try {
    return hashTransactionSync(transactionFromJson(transaction))
  } catch {
    return null
  }
}

function describePayload(type: string, base64: string, bounds: PayloadBounds): Payload {
  const bytes = decodeBase64(base64)
  try {
    if (type === 'transfer') {
      const { to, amount } = decodeTransfer(bytes)
      return { kind: 'transfer', to, amount: `${amount}` }
    }
    if (type === 'execute') return describeExecution(decodeActionExecution(bytes), bounds)
    if (type === agentPayloadType) {
      const { wallet, args, ...call } = decodeAgentExecution(bytes)
      return { ...describeExecution({ ...call, calls: [args] }, bounds), wallet: `0x${encodeHex(wallet)}` }
    }
  } catch {
    // A payload that cannot be read has failed in its block; its length is all there is to tell.
  }
  return { kind: 'other', bytes: bytes.length }
}

function describeExecution({ namespace, action, calls }: ActionExecution, { runs, elements }: PayloadBounds) {
  const shown = calls.slice(0, runs)
  const lists = shown.flat().map(({ value }) => (Array.isArray(value) ? value.length : 0))
  const cut = lists.reduce((sum, length) => sum + Math.max(0, length - elements), 0)
  const args = shown.map((call) => call.map((arg) => shorten(arg, elements)))
  return {
    kind: 'execute' as const,
    namespace,
    action,
    calls: calls.length,
    args,
    left_out: calls.length - shown.length + cut,
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
