/** Keys of reads: the question, and the term for which its answer holds. */

import type { GatewayEntry } from '#gateway/entries.ts'
import { type Params, runOperation } from '#gateway/handle.ts'
import { toJson } from '#gateway/json.ts'
import type { Client } from '#streamnet/index.ts'
import type { Term } from './adapters/answer-cache.ts'
import type { Call } from './call.ts'

/** The key of a read. */
export interface ReadKey {
  /** The caller and the question as it was sent. */
  readonly text: string
  /** The node, its reader and the question, the same for every caller; undefined when the answer may change one day. */
  readonly shared: string | undefined
  /** Finds the term in the light of the newest block; of a stream that may be immutable the node is asked. */
  term(height: number, client: Client): Promise<Exclude<Term, 'state'>>
}

/**
 * The key of a question as it was sent. It holds the Authorization header: only a request that was allowed with it has
 * stored an answer there, and what one token may read another may not.
 *
 * @param question - an operation with its body; the address when absent.
 */
export function questionKey({ headers, url }: Request, question = url): string {
  return `${headers.get('authorization')}\n${question}`
}

/** Makes the key of a GET from its checked parameters. */
export function readKey(call: Call, entry: GatewayEntry, params: Params): ReadKey {
  const { frozenAt } = params
  const shared = sharedKey(call, entry, params)
  return {
    text: questionKey(call.request),
    shared,
    async term(height, client) {
      if (typeof frozenAt !== 'number' || frozenAt > height) return 'block'
      return shared !== undefined && (await isImmutableStream(client, params)) ? 'permanent' : 'minute'
    },
  }
}

function sharedKey({ env, isolate }: Call, entry: GatewayEntry, params: Params): string | undefined {
  // A node for development takes its blocks back.
  if (!isolate.isPastFinal || typeof params.frozenAt !== 'number' || !isImmutableRead(entry, params)) return undefined
  const node = [env.STREAMNET_ENDPOINT ?? '', env.STREAMNET_CHAIN_ID ?? '', isolate.signer?.address ?? '']
  return JSON.stringify([...node, entry.name, toJson(params)])
}

/**
 * Asks whether a frozen read of this stream stays what it is: of a primitive stream, whose records keep their
 * heights, and of one that is public. A composed stream may be given other children for the same dates.
 */
async function isImmutableStream(client: Client, { streamId, dataProvider }: Params): Promise<boolean> {
  const stream = { streamId, ...(dataProvider !== undefined && { dataProvider }) }
  try {
    const [type, visibility] = await Promise.all([
      runOperation(client, 'get_type', stream),
      runOperation(client, 'get_read_visibility', stream),
    ])
    return type === 'primitive' && visibility === 'public'
  } catch {
    // Without an answer the stream may be any.
    return false
  }
}

function isImmutableRead({ name }: GatewayEntry, params: Params): boolean {
  // The network's cache may be behind, a prefix reads heights of another kind, and metadata gives a base that is left out.
  if (params.useCache !== undefined || params.prefix) return false
  if (name === 'get_records' || name === 'get_first_record') return true
  return (name === 'get_index' || name === 'get_index_change') && params.baseDate !== undefined
}
