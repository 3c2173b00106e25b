/** Blocks of the chain as a gateway sends them. */

import { isRecord, parseJson } from '../../base/json.ts'
import { malformedResponse } from '../errors.ts'
import type { Client } from '../ports.ts'
import type { WatchedBlock } from '../watch.ts'
import { type GatewayParams, malformedEvent, readFromGateway, watchEvents } from './events.ts'

/** A block as a gateway sends it. */
export interface GatewayBlock extends Omit<WatchedBlock, 'transactions'> {
  /** The number of them. */
  readonly transactions: number
}

/** The most blocks of one page. */
const pageSize = 100

/**
 * Gives the blocks of the chain as a gateway sends them, in their order; those that the node has pruned are left out.
 * It goes on where a connection broke, and reads what it has missed by pages, until the signal of `withOptions` ends
 * it or its loop is left. To go on where a watch has ended, give the height after its last block.
 *
 * @param params - `fromHeight` is the first height, that of the next block when left out; `intervalMs` between two
 * connections, 1000 when left out.
 * @throws StreamNetError malformed_response when the chain is shorter than it was, or goes on behind another block, or
 * an event has no blocks.
 * @throws StreamNetError unauthenticated when the gateway does not know the token.
 * @throws StreamNetError permission_denied when the token does not allow to read everything.
 *
 * @example
 * const gateway = 'https://gateway.example/streamnet/v1'
 * const blocks = watchBlockEvents(client, { gateway, token: 'read', fromHeight: 1 })
 * await blocks.return()
 */
export async function* watchBlockEvents(
  client: Client,
  params: GatewayParams & { readonly fromHeight?: number | undefined },
): AsyncGenerator<GatewayBlock, void> {
  let next = params.fromHeight
  let last: GatewayBlock | undefined
  const events = watchEvents(client, params, '/blocks/events', next === undefined ? '' : String(next - 1))
  for await (const { event, data } of events) {
    if (event !== 'blocks') continue
    const range = readBlocks(parseJson(data))
    const { height } = range
    next ??= height + 1 - range.blocks.length
    if (height < next - 1) {
      throw malformedResponse(`Cannot watch blocks: the chain ends at height ${height}, expected ${next - 1} or more`)
    }
    for await (const block of withMissed(client, params, next, range)) {
      if (block.height < next || !mayFollow(block, last)) {
        throw malformedResponse(`Cannot watch blocks: block ${block.height} does not follow block ${last?.height}`)
      }
      next = block.height + 1
      last = block
      yield block
    }
    next = height + 1
  }
}

/** Tells whether a block may be the next one given; where the node has pruned those between, nothing links the two. */
function mayFollow({ height, previousHash }: GatewayBlock, last: GatewayBlock | undefined): boolean {
  return last === undefined || height > last.height + 1 || previousHash === last.hash
}

/** Gives the blocks of an event, after those from a height on that the gateway does not send again. */
async function* withMissed(
  client: Client,
  params: GatewayParams,
  from: number,
  { height, blocks }: BlockRange,
): AsyncGenerator<GatewayBlock, void> {
  const first = blocks[0]?.height ?? height + 1
  for (let next = from; next < first; next += pageSize) {
    const before = Math.min(next + pageSize, first)
    const page = await readFromGateway(client, params, `/blocks?before=${before}&limit=${before - next}`)
    yield* readBlocks(isRecord(page) ? page.result : undefined).blocks.toReversed()
  }
  yield* blocks
}

/** Blocks up to the height of the chain; those that the node has pruned are left out. */
interface BlockRange {
  readonly height: number
  readonly blocks: readonly GatewayBlock[]
}

function readBlocks(value: unknown): BlockRange {
  const { height, blocks } = isRecord(value) ? value : {}
  const isList = Array.isArray(blocks) && blocks.every(isRecord)
  if (!isList || typeof height !== 'number') throw malformedEvent('blocks')
  return { height, blocks: blocks.map(readBlock) }
}

function readBlock({ height, hash, previous_hash, time_ms, transactions }: Readonly<Record<string, unknown>>) {
  const hasNumbers = typeof height === 'number' && typeof time_ms === 'number' && typeof transactions === 'number'
  if (!hasNumbers || typeof hash !== 'string' || typeof previous_hash !== 'string') throw malformedEvent('blocks')
  return { height, hash, previousHash: previous_hash, timeMs: time_ms, transactions }
}
