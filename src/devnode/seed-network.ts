/** A small, believable network for a new development node: three providers, a year of days, two levels. */

import { numeric } from '../streamnet/codec/value.ts'
import { generateStreamId } from '../streamnet/ids.ts'
import { createSyncSigner, type SyncSigner } from '../streamnet/signing/sync-signer.ts'
import type { ActionArg } from '../streamnet/types.ts'
import { DevnodeError } from './errors.ts'
import { type Node, submit } from './node.ts'
import type { Bridge } from './profiles.ts'
import { seedCollateral, seedMarketFees, seedMarketSteps } from './seed-markets.ts'
import { signAction } from './signed-action.ts'
import { addDeposit, readBalance, setBalance } from './state/balances.ts'
import { findOutcome, headBlock } from './state/chain.ts'
import { listMarkets } from './state/markets.ts'
import { addMember, networkWriter } from './state/roles.ts'
import { findStream } from './state/streams.ts'

interface SeedStream {
  readonly name: string
  readonly streamId: string
  readonly dataProvider: string
  readonly streamType: 'primitive' | 'composed'
}

/** Well-known keys: they sign the seed network and hold nothing. */
const providerKeys = { energy: formatKey(0xa1), groceries: formatKey(0xb2), household: formatKey(0xc3) } as const

type Provider = keyof typeof providerKeys

/** A primitive stream: a price that drifts and swings with the seasons, in thousandths. */
interface Price {
  readonly name: string
  readonly provider: Provider
  readonly start: number
  /** Its gain over the year. */
  readonly drift: number
  /** Its swing in winter and summer. */
  readonly season: number
}

const prices: readonly Price[] = [
  { name: 'electricity', provider: 'energy', start: 312_000, drift: 14_000, season: 22_000 },
  { name: 'natural-gas', provider: 'energy', start: 98_000, drift: -9_000, season: 15_000 },
  { name: 'heating-oil', provider: 'energy', start: 87_500, drift: 4_200, season: 9_000 },
  { name: 'bread', provider: 'groceries', start: 3_450, drift: 210, season: 0 },
  { name: 'milk', provider: 'groceries', start: 1_190, drift: 60, season: 45 },
  { name: 'eggs', provider: 'groceries', start: 2_990, drift: 480, season: 260 },
  { name: 'rent', provider: 'household', start: 1_180_000, drift: 36_000, season: 0 },
]

interface Basket {
  readonly name: string
  readonly provider: Provider
  /** Weights of its children, by their names. */
  readonly weights: Readonly<Record<string, string>>
}

const baskets: readonly Basket[] = [
  {
    name: 'energy-basket',
    provider: 'energy',
    weights: { electricity: '0.5', 'natural-gas': '0.35', 'heating-oil': '0.15' },
  },
  { name: 'grocery-basket', provider: 'groceries', weights: { bread: '0.4', milk: '0.35', eggs: '0.25' } },
  {
    name: 'cost-of-living',
    provider: 'household',
    weights: { 'energy-basket': '0.25', 'grocery-basket': '0.3', rent: '0.45' },
  },
]

/** The first day, 1 January 2025, in UNIX seconds. */
export const firstDay = 1_735_689_600
const dayCount = 365
const daySeconds = 86_400
const callsPerTransaction = 20
const recordsPerCall = 10

/**
 * Loads the seed network by signed transactions, as any client would.
 *
 * A node that has it already stays as it is.
 *
 * @returns its streams. Where the node's profile charges fees, the providers and the wallets that the
 * settings name get the tokens for it.
 * @throws DevnodeError action_failed when a transaction fails.
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
  const blockTime = Math.floor((headBlock(node.store)?.timeMs ?? 0) / 1000)
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

function fund({ store }: Node, bridge: Bridge, wallet: string, amount: bigint): void {
  const { height, timeMs } = headBlock(store) ?? { height: 0, timeMs: 0 }
  setBalance(store, bridge, wallet, readBalance(store, bridge, wallet) + amount)
  addDeposit(store, bridge, wallet, { amount, height, blockTime: Math.floor(timeMs / 1000) })
}

function seedStreams(): readonly SeedStream[] {
  const describe = (name: string, provider: Provider, streamType: SeedStream['streamType']): SeedStream => ({
    name,
    streamId: generateStreamId(name),
    dataProvider: providerSigner(provider).address,
    streamType,
  })
  return [
    ...prices.map(({ name, provider }) => describe(name, provider, 'primitive')),
    ...baskets.map(({ name, provider }) => describe(name, provider, 'composed')),
  ]
}

const providers: readonly Provider[] = ['energy', 'groceries', 'household']

function insertPrice(node: Node, price: Price): void {
  const { address } = providerSigner(price.provider)
  const streamId = generateStreamId(price.name)
  const days = Array.from({ length: dayCount }, (_, day) => day)
  const calls: ActionArg[][] = []
  for (let start = 0; start < days.length; start += recordsPerCall) {
    const chunk = days.slice(start, start + recordsPerCall)
    calls.push([
      chunk.map(() => address),
      chunk.map(() => streamId),
      chunk.map((day) => firstDay + day * daySeconds),
      numeric(chunk.map((day) => priceAt(price, day))),
    ])
  }
  for (let start = 0; start < calls.length; start += callsPerTransaction) {
    execute(node, price.provider, 'insert_records', calls.slice(start, start + callsPerTransaction))
  }
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

/** The price of a day: a line from start by drift, a triangle with its low after half a year (182 days), and noise. */
function priceAt({ start, drift, season, name }: Price, day: number): string {
  const swing = Math.round((season * (Math.abs(day - 182) - 91)) / 91)
  const noise = (((day * 7919 + name.length * 104_729) % 997) - 498) * Math.ceil(start / 100_000)
  const thousandths = start + Math.round((drift * day) / dayCount) + swing + Math.round(noise / 20)
  return `${Math.trunc(thousandths / 1000)}.${String(thousandths % 1000).padStart(3, '0')}`
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

function providerSigner(provider: Provider): SyncSigner {
  return createSyncSigner(providerKeys[provider])
}

function formatKey(number: number): string {
  return number.toString(16).padStart(64, '0')
}
