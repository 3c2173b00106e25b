/** Payloads of transactions: admission decodes them to refuse malformed ones, and the ledger applies the result. */

import { messageOf } from '../base/errors.ts'
import { agentPayloadType } from '../streamnet/codec/agent-payload.ts'
import { decodeActionExecution, decodeRawStatement, decodeTransfer } from '../streamnet/codec/payload.ts'
import type { SignedTransaction } from '../streamnet/types.ts'
import { DevnodeError } from './errors.ts'

/** A decoded payload by its kind; undefined when the chain does not have that kind. */
export type Payload =
  | { readonly kind: 'execute'; readonly execution: ReturnType<typeof decodeActionExecution> }
  | { readonly kind: 'transfer'; readonly transfer: ReturnType<typeof decodeTransfer> }
  | { readonly kind: 'raw_statement' }
  /** Read in its block, where a malformed one fails and uses its nonce. */
  | { readonly kind: 'agent' }
  | undefined

/** Decodes the payload of a transaction; invalid_payload, with the text of the codec, when it is malformed. */
export function decodePayload(transaction: Pick<SignedTransaction, 'payloadType' | 'payload'>): Payload {
  try {
    return decode(transaction)
  } catch (cause) {
    throw new DevnodeError('invalid_payload', messageOf(cause), { cause })
  }
}

function decode({ payloadType, payload }: Pick<SignedTransaction, 'payloadType' | 'payload'>): Payload {
  if (payloadType === 'execute') return { kind: 'execute', execution: decodeActionExecution(payload) }
  if (payloadType === 'transfer') return { kind: 'transfer', transfer: decodeTransfer(payload) }
  if (payloadType === agentPayloadType) return { kind: 'agent' }
  if (payloadType !== 'raw_statement') return undefined
  decodeRawStatement(payload)
  return { kind: 'raw_statement' }
}
