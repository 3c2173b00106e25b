/** Parameters that several development methods share. */

import { isAddress } from '../actions/checks.ts'
import { type Bridge, bridges } from '../profiles.ts'
import { invalidParams, type Params, show, textParam } from './method.ts'

/**
 * The bridge, by any name that the network's clients take.
 *
 * @throws DevnodeError invalid_params when the parameter is missing or malformed, as of every function of
 * this file.
 */
export function bridgeParam(params: Params): Bridge {
  const name = typeof params.bridge === 'string' ? params.bridge : ''
  const known = Object.hasOwn(bridgeAliases, name) ? bridgeAliases[name] : name
  const bridge = bridges.find((one) => one === known)
  if (bridge !== undefined) return bridge
  const names = [...bridges, ...Object.keys(bridgeAliases)]
  throw invalidParams(`bridge is ${show(params.bridge)}, expected one of ${names.join(', ')}`)
}

/** Other names of bridges, as the network's clients take them. */
const bridgeAliases: Readonly<Record<string, Bridge>> = {
  sepolia_bridge: 'sepolia',
  ethereum_bridge: 'ethereum',
}

/** An address, in lower case. */
export function walletParam(params: Params, name = 'wallet'): string {
  const wallet = textParam(params, name)
  if (isAddress(wallet)) return wallet.toLowerCase()
  throw invalidParams(`${name} is ${show(wallet)}, expected 0x and 40 hex digits`)
}

/** An amount in the token's smallest unit, from 0. */
export function amountParam(params: Params): bigint {
  const amount = textParam(params, 'amount')
  if (/^\d{1,78}$/.test(amount)) return BigInt(amount)
  throw invalidParams(`amount is ${show(amount)}, expected at most 78 decimal digits`)
}
