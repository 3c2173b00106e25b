/** The state of a market as a gateway sends it. */

import { decodeHex } from '../../base/hex.ts'
import { isRecord, parseJson } from '../../base/json.ts'
import { toCamelCase } from '../../base/naming.ts'
import { checkId } from '../operations/parameters.ts'
import type { Client } from '../ports.ts'
import type { WatchedMarket } from '../watch.ts'
import { type GatewayParams, malformedEvent, watchEvents } from './events.ts'

/**
 * Gives a market as a gateway sends it: now, and after each change; it ends when the market is settled. It goes on
 * where a connection broke.
 *
 * @param params - `intervalMs` between two connections, 1000 when left out.
 * @throws StreamNetError not_found when there is no such market.
 * @throws StreamNetError invalid_argument when the id is not a positive integer.
 * @throws StreamNetError malformed_response when an event is not a market.
 * @throws StreamNetError unauthenticated when the gateway does not know the token.
 * @throws StreamNetError permission_denied when the token does not allow to read everything.
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
