/** Markets on a development node in memory: wallets with funds, a question, and what tests ask of a book. */

import { decodeHex } from '#base/hex.ts'
import { createClient } from '#streamnet/client.ts'
import { numeric } from '#streamnet/codec/value.ts'
import { generateStreamId } from '#streamnet/ids.ts'
import { decodeQueryComponents } from '#streamnet/market-data.ts'
import { encodeMarketQuestion } from '#streamnet/market-question.ts'
import { defaultPlatform, type Platform } from '#streamnet/platform.ts'
import type { Client } from '#streamnet/ports.ts'
import { createSyncSigner, type SyncSigner } from '#streamnet/signing/sync-signer.ts'
import { keys, startTestNode, type TestNode } from './devnode.ts'

/** One token in its smallest unit. */
export const token = 10n ** 18n

/** Traders by letters: public throw-away keys. */
export function trader(name: string): SyncSigner {
  const number = 0x1000 + [...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 0)
  return createSyncSigner(number.toString(16).padStart(64, '0'))
}

/** The components of a question about the stream `market-test` of the owner. */
export function questionOf(threshold: number, timestamp = 1_760_000_100): Uint8Array {
  const dataProvider = keys.owner.address
  const streamId = generateStreamId('market-test')
  return encodeMarketQuestion('price_above_threshold', { dataProvider, streamId, timestamp }, [`${threshold}`])
}

/** A node on which wallets have a million tokens of every bridge that tests use. */
export function startMarketNode(traders: readonly string[] = [], overrides = {}): TestNode {
  const node = startTestNode(overrides)
  const wallets = [keys.owner.address, ...traders.map((name) => trader(name).address)]
  for (const wallet of wallets) {
    for (const bridge of ['hoodi_tt', 'hoodi_tt2', 'sepolia']) {
      node.rpc('dev.setBalance', { bridge, wallet, amount: `${10n ** 6n * token}` })
    }
  }
  return node
}

/** A client of the owner that asks a node in memory. */
export function connectClient(node: TestNode, platform: Partial<Platform> = {}): Client {
  const fetch: Platform['fetch'] = async (_, init) => {
    const answer = node.send(String(init.body))
    if (typeof answer === 'string') throw new Error(answer)
    return Response.json(answer.body, { status: answer.status })
  }
  return createClient({
    endpoint: 'http://node.invalid',
    signer: keys.owner,
    platform: { ...defaultPlatform, fetch, log: () => {}, ...platform },
  })
}

/** The time of settlement of markets, in UNIX seconds, where a test names no other. */
export const settleTime = 1_760_001_000

/** Opens a market of the owner and gives its id. */
export function openMarket(node: TestNode, threshold = 40, time = settleTime, bridge = 'hoodi_tt2'): number {
  node.must(keys.owner, 'create_market', bridge, questionOf(threshold), time, 5, 1)
  return Number(node.view('list_markets', [null, 1, 0])[0]?.[0])
}

/** Inserts a value of the stream that the questions ask of. */
export function publishValue(node: TestNode, value: string, time = 1_760_000_050): void {
  const streamId = generateStreamId('market-test')
  const provider = keys.owner.address
  if (node.view('stream_exists', [provider, streamId])[0]?.[0] !== true) {
    node.must(keys.owner, 'create_stream', streamId, 'primitive')
  }
  node.must(keys.owner, 'insert_record', provider, streamId, time, numeric(value))
}

/** Requests the attestation that settles a market of this threshold. */
export function requestMarketAttestation(node: TestNode, threshold = 40): void {
  const { dataProvider, streamId, actionId, args } = decodeQueryComponents(questionOf(threshold))
  node.must(keys.owner, 'request_attestation', dataProvider, streamId, actionId, decodeHex(args), false, null)
}

/** Goes to the time of settlement, and requests the attestation of a market. */
export function attestMarket(node: TestNode, threshold = 40): void {
  node.rpc('dev.setNextBlockTimestamp', { timestamp: settleTime })
  requestMarketAttestation(node, threshold)
}

/** Settles a market; gives code and log. */
export function settleMarket(node: TestNode, market: number): { readonly code: number; readonly log: string } {
  return node.execute(keys.owner, 'settle_market', [market])
}

/** Orders of a trader on both sides of the middle of 50 cents. */
interface Quote {
  readonly name: string
  readonly market: number
  /** Cents from the middle. */
  readonly distance: number
  readonly amount: number
}

/** Places pairs of orders of equal amount, so that blocks are sampled. */
export function quoteBothSides(node: TestNode, { name, market, distance, amount }: Quote): void {
  node.must(trader(name), 'place_split_limit_order', market, 50 - distance, amount)
  node.must(trader(name), 'place_sell_order', market, true, 50 + distance, amount)
  node.must(trader(name), 'place_buy_order', market, true, 50 - distance, amount)
  node.must(trader(name), 'place_buy_order', market, false, 50 - distance, amount)
}

/** The positions of a trader as `outcome price`: amount. */
export function positionsOf(node: TestNode, name: string): Record<string, number> {
  const rows = node.view('get_user_positions', [], trader(name))
  return Object.fromEntries(
    rows.map(([, outcome, price, amount]) => [`${outcome ? 'YES' : 'NO'} ${price}`, Number(amount)]),
  )
}

/** Reads a trader's collateral, in whole tokens and cents. */
export function balanceOf(node: TestNode, name: string, bridge = 'hoodi_tt2'): number {
  const [[balance] = []] = node.view(`${bridge}_wallet_balance`, [trader(name).address])
  return Number((BigInt(String(balance)) * 100n) / token) / 100
}
