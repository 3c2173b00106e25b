/** Payloads of transactions, decoded once: admission sees whether they can be, and the ledger applies them. */

import { decodeActionExecution, decodeRawStatement, decodeTransfer } from '../streamnet/codec/payload.ts'
import type { SignedTransaction } from '../streamnet/types.ts'

/** A decoded payload by its kind; undefined is a kind that the chain does not have. */
export type Payload =
  | { readonly kind: 'execute'; readonly execution: ReturnType<typeof decodeActionExecution> }
  | { readonly kind: 'transfer'; readonly transfer: ReturnType<typeof decodeTransfer> }
  | { readonly kind: 'raw_statement' }
  | undefined

/**
 * Decodes the payload of a transaction.
 *
 * @throws StreamNetError as `decodeActionExecution` does.
 */
export function decodePayload({
  payloadType,
  payload,
}: Pick<SignedTransaction, 'payloadType' | 'payload'>): Payload {
  if (payloadType === 'execute') return { kind: 'execute', execution: decodeActionExecution(payload) }
  if (payloadType === 'transfer') return { kind: 'transfer', transfer: decodeTransfer(payload) }
  if (payloadType !== 'raw_statement') return undefined
  decodeRawStatement(payload)
  return { kind: 'raw_statement' }
}
