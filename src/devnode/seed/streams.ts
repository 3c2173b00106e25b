/** The streams of the seed network: three providers, a year of days, two levels. */

import { generateStreamId } from '../../streamnet/ids.ts'
import { createSyncSigner, type SyncSigner } from '../../streamnet/signing/sync-signer.ts'

/** A stream of the network as callers need it. */
export interface SeedStream {
  readonly name: string
  readonly streamId: string
  readonly dataProvider: string
  readonly streamType: 'primitive' | 'composed'
}

/** Well-known keys: they sign the seed network and hold nothing. */
const providerKeys = { energy: formatKey(0xa1), groceries: formatKey(0xb2), household: formatKey(0xc3) } as const

/** A wallet that provides streams, by its role. */
export type Provider = keyof typeof providerKeys

/** A primitive stream: a price that drifts and swings with the seasons, in thousandths. */
export interface Price {
  readonly name: string
  readonly provider: Provider
  readonly start: number
  /** Its gain over the year. */
  readonly drift: number
  /** Its swing in winter and summer. */
  readonly season: number
}

/** The primitive streams. */
export const prices: readonly Price[] = [
  { name: 'electricity', provider: 'energy', start: 312_000, drift: 14_000, season: 22_000 },
  { name: 'natural-gas', provider: 'energy', start: 98_000, drift: -9_000, season: 15_000 },
  { name: 'heating-oil', provider: 'energy', start: 87_500, drift: 4_200, season: 9_000 },
  { name: 'bread', provider: 'groceries', start: 3_450, drift: 210, season: 0 },
  { name: 'milk', provider: 'groceries', start: 1_190, drift: 60, season: 45 },
  { name: 'eggs', provider: 'groceries', start: 2_990, drift: 480, season: 260 },
  { name: 'rent', provider: 'household', start: 1_180_000, drift: 36_000, season: 0 },
]

/** A composed stream. */
export interface Basket {
  readonly name: string
  readonly provider: Provider
  /** Weights of its children, by their names. */
  readonly weights: Readonly<Record<string, string>>
}

/** The composed streams, each after its children. */
export const baskets: readonly Basket[] = [
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
/** The days of the network. */
export const dayCount = 365
/** Seconds in a day. */
export const daySeconds = 86_400

/** The providers. */
export const providers: readonly Provider[] = ['energy', 'groceries', 'household']

/** All streams, the primitive ones first. */
export function seedStreams(): readonly SeedStream[] {
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

/** The price of a day: a line from start by drift, a triangle with its low after half a year (182 days), and noise. */
export function priceAt({ start, drift, season, name }: Price, day: number): string {
  const swing = Math.round((season * (Math.abs(day - 182) - 91)) / 91)
  const noise = (((day * 7919 + name.length * 104_729) % 997) - 498) * Math.ceil(start / 100_000)
  const thousandths = start + Math.round((drift * day) / dayCount) + swing + Math.round(noise / 20)
  return `${Math.trunc(thousandths / 1000)}.${String(thousandths % 1000).padStart(3, '0')}`
}

/** The signer of a provider. */
export function providerSigner(provider: Provider): SyncSigner {
  return createSyncSigner(providerKeys[provider])
}

function formatKey(number: number): string {
  return number.toString(16).padStart(64, '0')
}
