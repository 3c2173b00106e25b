/** Blocks of the chain and the state of a market as a gateway sends them. */

import { decodeHex } from '../../base/hex.ts'
import { isRecord } from '../../base/json.ts'
import { toCamelCase } from '../../base/naming.ts'
import { malformedResponse } from '../errors.ts'
import { checkId } from '../operations/parameters.ts'
import type { Client } from '../ports.ts'
import type { WatchedBlock, WatchedMarket } from '../watch.ts'
import { type GatewayParams, parseJson, readFromGateway, watchEvents } from './events.ts'

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
      const isBehind = last === undefined || block.height > last.height + 1 || block.previousHash === last.hash
      if (!isBehind || block.height < next) {
        throw malformedResponse(`Cannot watch blocks: block ${block.height} does not follow block ${last?.height}`)
      }
      next = block.height + 1
      last = block
      yield block
    }
    next = height + 1
  }
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

/**
 * Gives a market as a gateway sends it: now, and after each change; it ends when the market is settled. It goes on
 * where a connection broke.
 *
 * @param params - as of `watchBlockEvents`.
 * @throws StreamNetError not_found when there is no such market.
 * @throws StreamNetError invalid_argument when the id is not a positive integer.
 * @throws StreamNetError malformed_response when an event is not a market.
 * @throws StreamNetError as `watchBlockEvents` does, but for blocks.
 *
 * @example
 * const gateway = 'https://gateway.example/streamnet/v1'
 * const states = watchMarketEvents(client, { gateway, token: 'read', queryId: 1 })
 * await states.return()
 */
export async function* watchMarketEvents(
  client: Client,
  params: GatewayParams & { readonly queryId: number },
): AsyncGenerator<WatchedMarket, void> {
  let before = ''
  for await (const { event, data } of watchEvents(client, params, `/markets/${checkId(params.queryId)}/events`)) {
    if (event !== 'market') continue
    const market = readMarket(parseJson(data))
    const state = JSON.stringify(market)
    // A connection begins with the state that the one before has sent already.
    if (state !== before) yield market
    before = state
    if (market.info.settled) return
  }
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
  return {
    height,
    blocks: blocks.map(({ height, hash, previous_hash, time_ms, transactions }) => {
      if (typeof height !== 'number' || typeof time_ms !== 'number' || typeof transactions !== 'number') {
        throw malformedEvent('blocks')
      }
      return { height, hash: String(hash), previousHash: String(previous_hash), timeMs: time_ms, transactions }
    }),
  }
}

/** Members of a market that are bytes. */
const bytes: ReadonlySet<string> = new Set(['hash', 'queryComponents', 'creator'])

function readMarket(value: unknown): WatchedMarket {
  const { info, depth } = isRecord(value) ? value : {}
  if (!isRecord(info) || !Array.isArray(depth) || !depth.every(isRecord)) throw malformedEvent('a market')
  // The gateway's operations of these names, in the client's names.
  return { info: toCamel(info), depth: depth.map(toCamel) } as WatchedMarket
}

function toCamel(record: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      const member = toCamelCase(name)
      return [member, bytes.has(member) ? readBytes(value) : value]
    }),
  )
}

function readBytes(value: unknown): Uint8Array {
  if (typeof value !== 'string' || !/^0x([0-9a-f]{2})*$/.test(value)) throw malformedEvent('a market')
  return decodeHex(value.slice(2))
}

function malformedEvent(expected: string) {
  return malformedResponse(`Cannot read the gateway's event: expected ${expected}`)
}
