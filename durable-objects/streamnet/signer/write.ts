/** One write of the gateway's key: signed, kept, sent, and with an idempotency key done at most once. */

import { writeJson } from '#gateway/json.ts'
import { type Outcome, toProblem } from '#gateway/outcome.ts'
import { type Client, isStreamNetError, type StreamNetErrorCode, type TxHash } from '#streamnet/index.ts'
import { transactionFromJson } from '#streamnet/rpc/transaction-json.ts'
import { broadcastAgain, isKnown } from '#streamnet/transaction/broadcast.ts'
import type { Sending } from '../storage/keyed-writes.ts'

/** Notes of a transaction on its way. */
export interface Notes {
  /** Numbered, and not yet signed. */
  readonly onNumbered?: () => void
  /** Signed, and not yet sent. */
  readonly onSigned?: (sending: Sending) => void
  /** A node took it: from then on it may be in a block, also when something fails later. */
  readonly onAccepted?: () => void
}

/** A client that notes transactions on their way: the platform sends one after the note of it is on disk. */
export function notingClient(client: Client, notes: Notes): Client {
  return {
    ...client,
    nonces: {
      ...client.nonces,
      async use(read, send) {
        const sent = await client.nonces.use(read, (nonce) => {
          notes.onNumbered?.()
          return send(nonce)
        })
        notes.onAccepted?.()
        return sent
      },
    },
    onSigned: (hash, transaction) => notes.onSigned?.({ hash, transaction }),
  }
}

/**
 * Brings a transaction to its end that was signed before this object was last stopped.
 *
 * It is sent again as it was signed, which takes effect once at most: either the node knows it, or it takes it,
 * or its nonce has been used by another and it never can.
 *
 * @returns its hash, or null when it never can take effect and may be signed anew.
 * @throws StreamNetError as `broadcastAgain` does, but for `invalid_nonce`.
 */
export async function finishSending(client: Client, sending: Sending): Promise<TxHash | null> {
  // A hash of ours, computed when the transaction was signed.
  const hash = sending.hash as TxHash
  if (await isKnown(client, hash)) return hash
  try {
    return await broadcastAgain(client, transactionFromJson(sending.transaction))
  } catch (error) {
    if (isStreamNetError(error, 'invalid_nonce')) return null
    throw error
  }
}

/** Runs a write to its outcome. */
export async function toOutcome(body: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { ok: true, result: writeJson(await body()) }
  } catch (error) {
    const problem = toProblem(error)
    if (problem.code === 'internal') console.error('Cannot write', error)
    return { ok: false, problem }
  }
}

/** The meaning of an outcome for the next request with the same idempotency key. */
type Finality =
  /** It stays: the same answer for ever. */
  | 'final'
  /** The transaction may still land: it is looked for, and never signed anew while it can. */
  | 'open'
  /** Nothing was done: the next request starts from the beginning. */
  | 'nothing'

/** Tells what stays of a write; a transaction that may be with a node is not taken back by a later failure. */
export function classifyOutcome(outcome: Outcome, mayLand: boolean): Finality {
  if (outcome.ok || outcome.problem.code === 'transaction_failed') return 'final'
  return mayLand || openCodes.has(outcome.problem.code) ? 'open' : 'nothing'
}

const openCodes: ReadonlySet<string> = new Set([
  'timeout',
  'connection_lost',
  'malformed_response',
  'internal',
] satisfies (StreamNetErrorCode | 'internal')[])
