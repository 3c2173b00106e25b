/** Which answers can never change, so that they may be kept for any time. */

import type { GatewayEntry } from '#gateway/entries.ts'
import { type Params, runOperation } from '#gateway/handle.ts'
import { toJson } from '#gateway/json.ts'
import type { Client } from '#streamnet/index.ts'
import type { Call } from './call.ts'

/**
 * The key of an immutable answer, the same for all callers who may read it: the node, its reader, the operation and its
 * parameters, without a token.
 *
 * @returns undefined when the answer may change one day: without a height, with a base that
 * the stream's metadata gives, through the network's own cache, or where the node can take its blocks back.
 */
export function immutableReadKey(
  { env, isolate }: Call,
  entry: GatewayEntry,
  params: Params,
): string | undefined {
  if (!isolate.isPastFinal || typeof params.frozenAt !== 'number' || !isImmutableRead(entry, params))
    return undefined
  const { signer } = isolate
  return JSON.stringify([
    env.STREAMNET_ENDPOINT ?? '',
    env.STREAMNET_CHAIN_ID ?? '',
    signer?.address ?? '',
    entry.name,
    toJson(params),
  ])
}

/**
 * Asks whether a frozen read of this stream stays what it is: of a primitive stream, whose records keep their
 * heights, and of one that is public. A composed stream may be given other children for the same dates.
 */
export async function isImmutableStream(
  client: Client,
  { streamId, dataProvider }: Params,
): Promise<boolean> {
  const stream = { streamId, ...(dataProvider !== undefined && { dataProvider }) }
  try {
    const [type, visibility] = await Promise.all([
      runOperation(client, 'get_type', stream),
      runOperation(client, 'get_read_visibility', stream),
    ])
    return type === 'primitive' && visibility === 'public'
  } catch {
    // A node that cannot say so is not taken at its word.
    return false
  }
}

function isImmutableRead({ name }: GatewayEntry, params: Params): boolean {
  // The network's cache may be behind, and a prefix reads heights of another kind.
  if (params.useCache !== undefined || params.prefix) return false
  if (name === 'get_records' || name === 'get_first_record') return true
  return (name === 'get_index' || name === 'get_index_change') && params.baseDate !== undefined
}
