/** Loads a small, believable network into a development node. */

import { numeric } from '../../streamnet/codec/value.ts'
import { generateStreamId } from '../../streamnet/ids.ts'
import type { ActionArg } from '../../streamnet/types.ts'
import { currentContext } from '../blocks.ts'
import { DevnodeError } from '../errors.ts'
import { type Node, submit } from '../node.ts'
import type { Bridge } from '../profiles.ts'
import { signAction } from '../signed-action.ts'
import { addDeposit } from '../state/balances.ts'
import { findOutcome } from '../state/chain.ts'
import { listMarkets } from '../state/markets.ts'
import { addMember, networkWriter } from '../state/roles.ts'
import { findStream } from '../state/streams.ts'
import { seedCollateral, seedMarketFees, seedMarketSteps } from './markets.ts'
import {
  type Basket,
  baskets,
  dayCount,
  daySeconds,
  firstDay,
  type Price,
  type Provider,
  priceAt,
  prices,
  providerSigner,
  providers,
  type SeedStream,
  seedStreams,
} from './streams.ts'

const callsPerTransaction = 20
const recordsPerCall = 10

/**
 * Loads the seed network by signed transactions, as any client would, and gives its streams; a node that has it
 * already stays as it is. Where the node's profile charges fees, the providers and the wallets that the settings name
 * get the tokens for it. Action_failed when a transaction fails.
 */
export function loadSeedNetwork(node: Node): readonly SeedStream[] {
  const streams = seedStreams()
  const last = streams.at(-1)
  if (last !== undefined && findStream(node.store, last.dataProvider, last.streamId) !== undefined) return streams
  const { profile, managers, writers } = node.settings
  const payers = [...providers.map((provider) => providerSigner(provider).address), ...managers, ...writers]
  if (profile.streamFee > 0n) for (const wallet of new Set(payers)) fund(node, profile.feeBridge, wallet, fundedAmount)
  for (const provider of providers) {
    const { address } = providerSigner(provider)
    addMember(node.store, networkWriter, { wallet: address, grantedAt: 1, grantedBy: 'system' })
    const own = streams.filter((stream) => stream.dataProvider === address)
    execute(node, provider, 'create_streams', [
      [own.map((stream) => stream.streamId), own.map((stream) => stream.streamType)],
    ])
    const names = own.map(({ streamId, name }) => [address, streamId, 'name', name, 'string'])
    execute(node, provider, 'insert_metadata', names)
  }
  for (const price of prices) insertPrice(node, price)
  for (const basket of baskets) insertBasket(node, basket, streams)
  openMarkets(node)
  return streams
}

/** Opens the markets; in every profile that costs tokens, and so does what they trade. */
function openMarkets(node: Node): void {
  const { blockTime } = currentContext(node)
  const [newest] = listMarkets(node.store)
  for (const provider of providers) {
    const { address } = providerSigner(provider)
    fund(node, node.settings.profile.feeBridge, address, seedMarketFees)
    fund(node, 'hoodi_tt2', address, seedCollateral)
  }
  const steps = seedMarketSteps((trader) => providerSigner(trader).address, blockTime, (newest?.id ?? 0) + 1)
  for (const { trader, action, args } of steps) execute(node, trader, action, [args])
}

/** The grant of each wallet, in the smallest unit of the fee token: a million tokens. */
const fundedAmount = 10n ** 24n

function fund(node: Node, bridge: Bridge, wallet: string, amount: bigint): void {
  addDeposit(node.store, bridge, wallet, { ...currentContext(node), amount })
}

function insertPrice(node: Node, price: Price): void {
  const { address } = providerSigner(price.provider)
  const streamId = generateStreamId(price.name)
  const days = Array.from({ length: dayCount }, (_, day) => day)
  const calls = cut(days, recordsPerCall).map((piece): readonly ActionArg[] => [
    piece.map(() => address),
    piece.map(() => streamId),
    piece.map((day) => firstDay + day * daySeconds),
    numeric(piece.map((day) => priceAt(price, day))),
  ])
  for (const piece of cut(calls, callsPerTransaction)) execute(node, price.provider, 'insert_records', piece)
}

function cut<T>(list: readonly T[], length: number): readonly (readonly T[])[] {
  const pieces = Math.ceil(list.length / length)
  return Array.from({ length: pieces }, (_, piece) => list.slice(piece * length, (piece + 1) * length))
}

function insertBasket(node: Node, { name, provider, weights }: Basket, streams: readonly SeedStream[]): void {
  const children = Object.keys(weights).flatMap((child) => streams.filter((stream) => stream.name === child))
  execute(node, provider, 'insert_taxonomy', [
    [
      providerSigner(provider).address,
      generateStreamId(name),
      children.map(({ dataProvider }) => dataProvider),
      children.map(({ streamId }) => streamId),
      numeric(Object.values(weights)),
      0,
    ],
  ])
}

function execute(node: Node, provider: Provider, action: string, calls: readonly (readonly ActionArg[])[]): void {
  const signer = providerSigner(provider)
  const signed = { action, calls, description: 'seed network' }
  const hash = submit(node, signAction(node.store, node.settings, signer, signed))
  const outcome = findOutcome(node.store, hash)
  if (outcome?.code === 0) return
  const state = outcome?.log ?? 'the node does not make a block with every transaction'
  throw new DevnodeError('action_failed', `Cannot load the seed network: ${action} failed with "${state}"`)
}
