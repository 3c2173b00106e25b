/** Lists of attestations by the transaction, the hash, the result or the wallet that asked for them. */

import { equalBytes } from '../../base/bytes.ts'
import { encodeHex } from '../../base/hex.ts'
import type { ActionContext, ArgumentsOf } from '../actions/action.ts'
import { slicePage } from '../actions/checks.ts'
import { hexOf } from '../agents/rule-terms.ts'
import { compare } from '../compare.ts'
import type { LedgerStore } from '../ports.ts'
import {
  type Attestation,
  type AttestationName,
  findAttestation,
  listByHash,
  listNames,
} from '../state/attestations.ts'

/** The parameters of `list_attestations`. */
export const listParameters = {
  requester: 'BYTEA',
  request_tx_id: 'TEXT',
  attestation_hash: 'BYTEA',
  result_canonical: 'BYTEA',
  limit: 'INT',
  offset: 'INT',
  order_by: 'TEXT',
} as const

const maxListed = 5000n

type ListArguments = ArgumentsOf<typeof listParameters>

/** Lists a page of attestations, one after the other: together their payloads may not fit in memory. */
export function* listAttestations(context: ActionContext, args: ListArguments): Generator<Attestation> {
  const limit = args.limit === null || args.limit > maxListed ? maxListed : args.limit
  for (const { requestTxId } of slicePage(selectNames(context, args), limit, args.offset ?? 0n)) {
    const found = findAttestation(context.store, requestTxId)
    if (found !== undefined) yield found
  }
}

/** One filter counts, the first of: transaction, hash, result, wallet. The last, or none, can be listed in both orders. */
function selectNames({ store, budget }: ActionContext, args: ListArguments): readonly AttestationName[] {
  const { request_tx_id: txId, attestation_hash: hash, result_canonical: result } = args
  if (txId !== null) {
    const found = findAttestation(store, txId)
    return found === undefined ? [] : [found]
  }
  if (hash !== null) return newestFirst([...listByHash(store, encodeHex(hash))])
  const requester = args.requester === null ? undefined : hexOf(args.requester)
  const names = [...listNames(store, result === null ? requester : undefined)]
  budget.spend(names.length)
  if (result !== null) return newestFirst(names.filter(({ requestTxId }) => hasResult(store, requestTxId, result)))
  const order = (args.order_by ?? '').trim().toLowerCase()
  const isRising = order === 'created_height asc' || order === 'created_height'
  return isRising ? names : newestFirst(names)
}

function hasResult(store: LedgerStore, requestTxId: string, wanted: Uint8Array): boolean {
  return equalBytes(findAttestation(store, requestTxId)?.payload ?? new Uint8Array(), wanted)
}

function newestFirst<T extends AttestationName>(named: readonly T[]): readonly T[] {
  return named.toSorted(
    (left, right) => right.createdHeight - left.createdHeight || compare(left.requestTxId, right.requestTxId),
  )
}
