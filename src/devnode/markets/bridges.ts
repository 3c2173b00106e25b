/** The bridges whose tokens a market may take as collateral, by the names that markets use for them. */

import { actionError } from '../errors.ts'
import type { Bridge } from '../profiles.ts'

/** A bridge of markets. */
export type MarketBridge = 'hoodi_tt2' | 'sepolia_bridge' | 'ethereum_bridge'

interface CollateralToken {
  /** The bridge that holds the balances. */
  readonly bridge: Bridge
  /** Smallest units of the token in one dollar; a pair of shares is backed by one dollar. */
  readonly unitsPerDollar: bigint
}

const wholeToken = 10n ** 18n

const tokens: Readonly<Record<MarketBridge, CollateralToken>> = {
  hoodi_tt2: { bridge: 'hoodi_tt2', unitsPerDollar: wholeToken },
  sepolia_bridge: { bridge: 'sepolia', unitsPerDollar: wholeToken },
  ethereum_bridge: { bridge: 'ethereum', unitsPerDollar: wholeToken },
}

/** The token of a market's bridge. */
export function tokenOf(bridge: MarketBridge): CollateralToken {
  return tokens[bridge]
}

/** Reads the bridge of a market that is to be created; action_failed for null, or no bridge of markets. */
export function parseMarketBridge(bridge: string | null): MarketBridge {
  if (bridge === null) throw actionError('bridge parameter is required')
  if (isMarketBridge(bridge)) return bridge
  throw actionError('Invalid bridge. Supported: hoodi_tt2, sepolia_bridge, ethereum_bridge')
}

/** Reads the bridge of a question about collateral; action_failed for null, or no bridge of markets. */
export function requireMarketBridge(bridge: string | null): MarketBridge {
  if (bridge !== null && isMarketBridge(bridge)) return bridge
  throw actionError(bridge === null ? '' : `Unknown bridge: ${bridge}`)
}

/** Tells whether markets take the token of a bridge, by the name that they use for it. */
export function isMarketBridge(bridge: string): bridge is MarketBridge {
  return Object.hasOwn(tokens, bridge)
}
