/** Tokens of a wallet on a bridge, as markets and fees count them. */

import { type Resource, useResource } from '../frame/resource.ts'
import { read, useOwnAccount } from './gateway.ts'

/** Decimals of a bridge's token: those of USDC, or of an ether. */
function decimalsOf(bridge: string): number {
  return /usdc|stable/.test(bridge) ? 6 : 18
}

/** An amount of the smallest unit in tokens; a double is exact enough for a person. */
export function tokens(bridge: string, amount: string): number {
  return Number(amount) / 10 ** decimalsOf(bridge)
}

/** The smallest units of a decimal number of tokens. @throws RangeError when it has more places than the token. */
export function units(bridge: string, text: string): string {
  const [whole = '', part = ''] = text.split('.')
  const places = decimalsOf(bridge)
  if (part.length > places) throw new RangeError(`Cannot count ${text}: a token has ${places} decimals at most`)
  return `${BigInt(whole + part.padEnd(places, '0'))}`
}

/** The tokens of the gateway's own wallet on a bridge, read again every five seconds; null without a key. */
export function useOwnFunds(bridge: string): Resource<number | null> {
  const own = useOwnAccount()
  const wallet = own.data
  return useResource(
    async (signal) =>
      wallet == null
        ? null
        : tokens(
            bridge,
            await read('get_wallet_balance', { bridge_identifier: bridge, wallet_address: wallet }, signal),
          ),
    `funds ${bridge} ${wallet}`,
    5_000,
  )
}
