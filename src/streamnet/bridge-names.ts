/** The names of bridges, and the amounts they move. */

import { invalidArgument } from './errors.ts'

interface BridgeNames {
  /** The beginning of its actions' names; a name of the bridge too. */
  readonly prefix: string
  /** Its name in the actions of markets; undefined when its token cannot be collateral. */
  readonly collateral?: string
  /** Its names in the description of the interface, and in other clients. */
  readonly aliases: readonly string[]
}

const bridges: readonly BridgeNames[] = [
  { prefix: 'eth_truf', collateral: 'eth_truf', aliases: ['eth_main'] },
  { prefix: 'eth_usdc', collateral: 'eth_usdc', aliases: ['eth_stable'] },
  { prefix: 'hoodi_tt', aliases: ['testnet_a'] },
  { prefix: 'hoodi_tt2', collateral: 'hoodi_tt2', aliases: ['testnet_b'] },
  { prefix: 'sepolia', collateral: 'sepolia_bridge', aliases: ['testnet_legacy', 'sepolia_bridge'] },
  { prefix: 'ethereum', collateral: 'ethereum_bridge', aliases: ['ethereum_bridge'] },
]

/** A bridge by a name such as `eth_main`, or the prefix of its actions. */
export type BridgeParams = { readonly bridgeIdentifier: string }

/** The prefix of the actions of a bridge by any of its names; undefined when no bridge has the name. */
export function findPrefix(name: string): string | undefined {
  return findBridge(name)?.prefix
}

/** Every name of a bridge, those of the description first. */
export const bridgeNames: readonly string[] = listNames(bridges)

/** The prefix of a bridge's actions; invalid_argument when the name is unknown. */
export function requirePrefix({ bridgeIdentifier }: BridgeParams): string {
  const prefix = findPrefix(bridgeIdentifier)
  if (prefix !== undefined) return prefix
  throw invalidArgument(`bridge_identifier must be one of: ${bridgeNames.join(', ')}`)
}

/** The name that the actions of markets have for a bridge; invalid_argument when its token cannot be collateral. */
export function requireCollateral(bridge: string): string {
  const name = findBridge(bridge)?.collateral
  if (name !== undefined) return name
  const names = listNames(bridges.filter(({ collateral }) => collateral !== undefined))
  throw invalidArgument(`bridge must be one of: ${names.join(', ')}`)
}

/** The namespace of a bridge's own methods; invalid_argument when the name is unknown. */
export function requireNamespace(params: BridgeParams): string {
  const prefix = requirePrefix(params)
  return prefix === 'sepolia' || prefix === 'ethereum' ? `${prefix}_bridge` : prefix
}

function findBridge(name: string): BridgeNames | undefined {
  return bridges.find(({ prefix, aliases }) => prefix === name || aliases.includes(name))
}

function listNames(some: readonly BridgeNames[]): readonly string[] {
  return [...some.flatMap(({ aliases }) => aliases), ...some.map(({ prefix }) => prefix)]
}

/** Checks an amount of wei: 1 to 78 digits, not 0; else invalid_argument with the name of the amount. */
export function checkWei(amount: string, name = 'amount'): string {
  if (/^[1-9]\d{0,77}$/.test(amount)) return amount
  throw invalidArgument(`${name} is "${amount}", expected a positive whole number of wei`)
}
