/** Markets on a development node in memory: wallets with funds, a question, and what tests ask of a book. */

import { createClient } from '#streamnet/client.ts'
import { numeric } from '#streamnet/codec/value.ts'
import { generateStreamId } from '#streamnet/ids.ts'
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

/** Opens a market of the owner and gives its id. */
export function openMarket(node: TestNode, threshold = 40, settleTime = 1_760_001_000, bridge = 'hoodi_tt2'): number {
  node.must(keys.owner, 'create_market', bridge, questionOf(threshold), settleTime, 5, 1)
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
