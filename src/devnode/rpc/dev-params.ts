/** Parameters that several development methods share. */

import { bridgeNames, findPrefix } from '../../streamnet/bridge-names.ts'
import { isAddress } from '../actions/checks.ts'
import { type Bridge, bridges } from '../profiles.ts'
import { invalidParams, type Params, show, textParam } from './method.ts'

/** The bridge by any name of the network's clients; like all of this file, invalid_params for another value. */
export function bridgeParam(params: Params): Bridge {
  const prefix = typeof params.bridge === 'string' ? findPrefix(params.bridge) : undefined
  const bridge = bridges.find((one) => one === prefix)
  if (bridge !== undefined) return bridge
  throw invalidParams(`bridge is ${show(params.bridge)}, expected one of ${bridgeNames.join(', ')}`)
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
