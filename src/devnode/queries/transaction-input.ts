/** Inputs of transactions: the streams that one named and that still exist, and the records of it that were stored. */

import { quantizeDecimal } from '../../base/decimal.ts'
import { agentPayloadType, decodeAgentExecution } from '../../streamnet/codec/agent-payload.ts'
import { decodeActionExecution } from '../../streamnet/codec/payload.ts'
import { transactionFromJson } from '../../streamnet/rpc/transaction-json.ts'
import type { Scalar, TypedValue } from '../../streamnet/types.ts'
import { compareLocators } from '../actions/checks.ts'
import { hexOf } from '../agents/rule-terms.ts'
import { scale } from '../numeric.ts'
import type { LedgerStore } from '../ports.ts'
import { findOutcome, findTransaction } from '../state/chain.ts'
import { findEvent } from '../state/events.ts'
import { findStream, type Stream } from '../state/streams.ts'
import type { Reader } from './reader.ts'

/** The calls of a transaction, its sender and its place. */
export interface Input {
  readonly txId: string
  readonly height: number
  readonly sender: string
  readonly action: string
  readonly calls: readonly (readonly TypedValue[])[]
}

/** Finds the input of a transaction that succeeded by its hash; undefined when its body has been pruned. */
export function findInput(store: LedgerStore, txId: string): Input | undefined {
  if (!/^[0-9a-f]{64}$/.test(txId)) return undefined
  const outcome = findOutcome(store, txId)
  const transaction = findTransaction(store, txId)
  if (outcome?.code !== 0 || transaction === undefined) return undefined
  const { payload, payloadType, sender } = transactionFromJson(transaction)
  const place = { txId, height: outcome.height }
  if (payloadType === agentPayloadType) {
    const { wallet, action, args } = decodeAgentExecution(payload)
    return { ...place, sender: hexOf(wallet), action: action.toLowerCase(), calls: [args] }
  }
  if (payloadType !== 'execute') return undefined
  const { action, calls } = decodeActionExecution(payload)
  return { ...place, sender, action: action.toLowerCase(), calls }
}

/** Readers of the streams that a call names, by its action. */
const namedStreams: ReadonlyMap<
  string,
  (args: readonly TypedValue[], sender: string) => readonly (readonly [provider: string, streamId: string])[]
> = new Map([
  ['create_stream', ownNames],
  ['create_streams', ownNames],
  ...['insert_record', 'insert_records', 'insert_taxonomy', 'insert_metadata', 'set_allow_zeros'].map(
    (name) => [name, givenNames] as const,
  ),
])

function ownNames([ids]: readonly TypedValue[], sender: string): readonly (readonly [string, string])[] {
  return listElements(ids).map((id) => [sender, String(id)])
}

function givenNames([providers, ids]: readonly (TypedValue | undefined)[]): readonly (readonly [string, string])[] {
  const names = listElements(ids)
  return listElements(providers).map((provider, index) => [String(provider), String(names[index])])
}

/** The streams that a transaction named and that still exist, each once, in the order of their names. */
export function touchedStreams({ store, budget }: Reader, input: Input): readonly Stream[] {
  const streams = new Map<number, Stream>()
  for (const args of input.calls) {
    for (const [provider, streamId] of namedStreams.get(input.action)?.(args, input.sender) ?? []) {
      budget.spend(1)
      const stream = findStream(store, provider, streamId)
      if (stream !== undefined) streams.set(stream.ref, stream)
    }
  }
  return [...streams.values()].sort(compareLocators)
}

/** A record of a transaction, and the height that stored it. */
export interface StoredRecord {
  readonly stream: Stream
  readonly time: bigint
  readonly value: bigint
  readonly height: number
}

/**
 * The records of a transaction that were stored, with the values it gave.
 *
 * A stored value does not name its transaction: the record is in the payload, and it was stored where the transaction's
 * height has a version of the value. A later transaction of the block may have replaced it; the network keeps both rows,
 * so the record is listed all the same.
 */
export function storedRecords({ store, budget }: Reader, { action, calls, height }: Input): StoredRecord[] {
  if (action !== 'insert_record' && action !== 'insert_records') return []
  return calls.flatMap(([providers, streamIds, eventTimes, eventValues]) => {
    const [times, values] = [listElements(eventTimes), listElements(eventValues)]
    return givenNames([providers, streamIds]).flatMap(([provider, streamId], index) => {
      budget.spend(1)
      const stream = findStream(store, provider, streamId)
      const [time, text] = [times[index], values[index]]
      if (stream === undefined || typeof time !== 'bigint' || typeof text !== 'string') return []
      const value = quantizeDecimal(text, 36, scale)
      const stored = findEvent(store, stream.ref, height, time)
      // A zero may have been dropped; another transaction may then have stored another value in its place.
      const isStored = value === 0n ? stored === 0n : stored !== undefined
      return isStored ? [{ stream, time, value, height }] : []
    })
  })
}

/** The elements of an array, or a single value as a list of one. */
function listElements(arg: TypedValue | undefined): readonly Scalar[] {
  const value = arg?.value ?? []
  // Of the two kinds of a value only lists are arrays; bytes are a Uint8Array.
  return Array.isArray(value) ? value : [value as Scalar]
}
