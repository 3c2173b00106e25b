/** The names of bridges, and the amounts they move. */

import { invalidArgument } from '../errors.ts'

/** The prefix of a bridge's actions, by the name in the description of the interface. */
const bridges: Readonly<Record<string, string>> = {
  eth_main: 'eth_truf',
  eth_stable: 'eth_usdc',
  testnet_a: 'hoodi_tt',
  testnet_b: 'hoodi_tt2',
  testnet_legacy: 'sepolia',
  ethereum_bridge: 'ethereum',
  sepolia_bridge: 'sepolia',
}

/** Which bridge: a name such as `eth_main`, or the prefix of its actions. */
export type BridgeParams = { readonly bridgeIdentifier: string }

/**
 * The prefix of a bridge's actions.
 *
 * @throws StreamNetError invalid_argument when the name is unknown.
 */
export function prefixOf({ bridgeIdentifier }: BridgeParams): string {
  const prefix = Object.hasOwn(bridges, bridgeIdentifier) ? bridges[bridgeIdentifier] : bridgeIdentifier
  if (prefix && Object.values(bridges).includes(prefix)) return prefix
  throw invalidArgument(`bridge_identifier must be one of: ${Object.keys(bridges).join(', ')}`)
}

/**
 * Checks an amount of wei: 1 to 78 digits, not 0.
 *
 * @param name - what the amount is, for the message.
 * @throws StreamNetError invalid_argument when it has another form.
 */
export function weiOf(amount: string, name = 'amount'): string {
  if (/^[1-9]\d{0,77}$/.test(amount)) return amount
  throw invalidArgument(`${name} is "${amount}", expected a positive whole number of wei`)
}
