/** Actions that tell what a transaction brought: streams, records, taxonomies, metadata. */

import { quantizeDecimal } from '../../base/decimal.ts'
import { agentPayloadType, decodeAgentExecution } from '../../streamnet/codec/agent-payload.ts'
import { decodeActionExecution } from '../../streamnet/codec/payload.ts'
import { transactionFromJson } from '../../streamnet/rpc/transaction-json.ts'
import type { Scalar, TypedValue } from '../../streamnet/types.ts'
import { compare } from '../compare.ts'
import { actionError } from '../errors.ts'
import { scale } from '../numeric.ts'
import { findOutcome, findTransaction } from '../state/chain.ts'
import { findEvent } from '../state/events.ts'
import { isRowOf, listStreamMetadata } from '../state/metadata.ts'
import { findStream, findStreamByRef, type Stream } from '../state/streams.ts'
import { listTaxonomyRows, type TaxonomyRow } from '../state/taxonomies.ts'
import { type Action, type ActionContext, columns, locator, type Returns, type Rows, table, view } from './action.ts'
import { hexOf } from './agents.ts'
import { metadataValues } from './metadata.ts'

const taxonomies = columns<Readonly<Record<'parent' | 'child', Stream>> & { readonly one: TaxonomyRow }>({
  data_provider: ['TEXT', ({ parent }) => parent.dataProvider],
  stream_id: ['TEXT', ({ parent }) => parent.streamId],
  child_data_provider: ['TEXT', ({ child }) => child.dataProvider],
  child_stream_id: ['TEXT', ({ child }) => child.streamId],
  weight: ['NUMERIC(36,18)', ({ one }) => one.weight],
  start_time: ['INT8', ({ one }) => one.startTime],
  group_sequence: ['INT8', ({ one }) => one.group],
  created_at: ['INT8', ({ one }) => one.createdAt],
})

/** The network's actions that read a transaction's input. */
export const transactionInputActions: readonly Action[] = [
  inputAction(
    'get_transaction_streams',
    table({ stream_id: 'TEXT', data_provider: 'TEXT', stream_type: 'TEXT', created_at: 'INT8' }),
    (context, input) =>
      touchedStreams(context, input)
        .filter(({ txId }) => txId === input.txId)
        .map(({ streamId, dataProvider, type, createdAt }) => [streamId, dataProvider, type, BigInt(createdAt)]),
  ),
  inputAction(
    'get_transaction_records',
    table({ ...locator, event_time: 'INT8', value: 'NUMERIC(36,18)', created_at: 'INT8' }),
    (context, input) =>
      storedRecords(context, input)
        .sort((left, right) => byStream(left.stream, right.stream) || compare(left.time, right.time))
        .map(({ stream, time, value }) => [stream.dataProvider, stream.streamId, time, value, BigInt(input.height)]),
  ),
  inputAction('get_transaction_taxonomies', table(taxonomies.types), (context, input) =>
    touchedStreams(context, input).flatMap((parent) =>
      [...listTaxonomyRows(context.store, parent.ref)]
        .flatMap((one) => {
          context.budget.spend(1)
          const child = one.txId === input.txId ? findStreamByRef(context.store, one.child) : undefined
          return child === undefined ? [] : [{ one, child }]
        })
        .sort((left, right) => left.one.group - right.one.group || compare(left.child.streamId, right.child.streamId))
        .map(({ one, child }) => taxonomies.cells({ parent, child, one })),
    ),
  ),
  inputAction(
    'get_transaction_metadata',
    table({
      ...locator,
      metadata_key: 'TEXT',
      ...metadataValues.types,
      value_i: 'INT8',
      value_b: 'BOOLEAN',
      created_at: 'INT8',
    }),
    (context, input) =>
      touchedStreams(context, input).flatMap((stream) =>
        [...listStreamMetadata(context.store, stream.ref)]
          .filter(({ rowId }) => {
            context.budget.spend(1)
            return isRowOf(rowId, input.txId)
          })
          .sort((left, right) => compare(left.key, right.key) || compare(left.rowId, right.rowId))
          .map((one) => [
            stream.dataProvider,
            stream.streamId,
            one.key,
            ...metadataValues.cells(one),
            BigInt(one.createdAt),
          ]),
      ),
  ),
]

interface Input {
  readonly txId: string
  readonly height: number
  readonly sender: string
  readonly action: string
  readonly calls: readonly (readonly TypedValue[])[]
}

function inputAction(name: string, returns: Returns, read: (context: ActionContext, input: Input) => Rows): Action {
  return view(name, { tx_id: 'TEXT' }, returns, (context, { tx_id }) => {
    // A comparison with null is not true, and no transaction has a null for its hash.
    if (tx_id === null) return []
    if (tx_id.trim() === '') throw actionError('tx_id is required')
    const input = findInput(context, tx_id.toLowerCase().replace(/^0x/, ''))
    return input === undefined ? [] : read(context, input)
  })
}

function findInput({ store }: ActionContext, txId: string): Input | undefined {
  if (!/^[0-9a-f]{64}$/.test(txId)) return undefined
  const outcome = findOutcome(store, txId)
  if (outcome?.code !== 0) return undefined
  const { payload, payloadType, sender } = transactionFromJson(findTransaction(store, txId))
  const place = { txId, height: outcome.height }
  if (payloadType === agentPayloadType) {
    const { wallet, action, args } = decodeAgentExecution(payload)
    return { ...place, sender: hexOf(wallet), action: action.toLowerCase(), calls: [args] }
  }
  if (payloadType !== 'execute') return undefined
  const { action, calls } = decodeActionExecution(payload)
  return { ...place, sender, action: action.toLowerCase(), calls }
}

/** Finds the streams that a call of an action names: pairs of a provider and a stream id, side by side. */
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

function givenNames([providers, ids]: readonly TypedValue[]): readonly (readonly [string, string])[] {
  const names = listElements(ids)
  return listElements(providers).map((provider, index) => [String(provider), String(names[index])])
}

/** The streams that a transaction named and that still exist, each once, in the order of their names. */
function touchedStreams({ store, budget }: ActionContext, input: Input): readonly Stream[] {
  const streams = new Map<number, Stream>()
  for (const args of input.calls) {
    for (const [provider, streamId] of namedStreams.get(input.action)?.(args, input.sender) ?? []) {
      budget.spend(1)
      const stream = findStream(store, provider, streamId)
      if (stream !== undefined) streams.set(stream.ref, stream)
    }
  }
  return [...streams.values()].sort(byStream)
}

interface StoredRecord {
  readonly stream: Stream
  readonly time: bigint
  readonly value: bigint
}

/**
 * The records of a transaction that were stored, with the values it gave.
 *
 * A record is not marked with its transaction: what it was is in the payload, and whether it was stored is said
 * by the version of its height. Of a value that a later transaction of the same block replaced, the network keeps
 * both rows, so it is said too.
 */
function storedRecords({ store, budget }: ActionContext, { action, calls, height }: Input): StoredRecord[] {
  if (action !== 'insert_record' && action !== 'insert_records') return []
  return calls.flatMap((args) => {
    const [times, values] = [listElements(args[2]), listElements(args[3])]
    return givenNames(args).flatMap(([provider, streamId], index) => {
      budget.spend(1)
      const stream = findStream(store, provider, streamId)
      const [time, text] = [times[index], values[index]]
      if (stream === undefined || typeof time !== 'bigint' || typeof text !== 'string') return []
      const value = quantizeDecimal(text, 36, scale)
      const stored = findEvent(store, stream.ref, height, time)
      // A zero is dropped or kept; of one that was dropped there is at most another value at its place.
      const isStored = value === 0n ? stored === 0n : stored !== undefined
      return isStored ? [{ stream, time, value }] : []
    })
  })
}

/** The elements of an array, or a single value as a list of one. */
function listElements(arg: TypedValue | undefined): readonly Scalar[] {
  const value = arg?.value ?? []
  // Of the two kinds of a value only lists are arrays; bytes are a Uint8Array.
  return Array.isArray(value) ? value : [value as Scalar]
}

function byStream(left: Stream, right: Stream): number {
  return compare(left.dataProvider, right.dataProvider) || compare(left.streamId, right.streamId)
}
