/** The bridges as the network has them set up: where each leads, whose token it is, and what moving it costs. */

import { parseAddress } from '../streamnet/ids.ts'
import type { Address } from '../streamnet/types.ts'
import type { Bridge, Profile } from './profiles.ts'

/** A bridge to a contract of another chain. */
export interface BridgeSetup {
  /** Its name in the ledger's metadata. */
  readonly alias: string
  /** The other chain by its name and number. */
  readonly chain: string
  readonly chainId: string
  /** The contract there that pays out: `0x` and 40 lower-case hex digits. */
  readonly escrow: Address
  /** The token's contract there. */
  readonly erc20: Address
  readonly decimals: number
  /** The token's name in texts of transfers. */
  readonly token: string
  /** The fee of a withdrawal, in the smallest unit; 0 for none. */
  readonly withdrawalFee: bigint
  /** True when a transfer costs a hundredth of a token today. */
  readonly hasSmallFee: boolean
  /** True when the network offers proofs of its withdrawals. */
  readonly hasProofs: boolean
}

/** The seconds for which withdrawals are gathered before they are signed together. */
export const epochSeconds = 600

/** The further seconds that an epoch without a withdrawal waits for one. */
export const emptyEpochFactor = 3

const fortyTokens = 40n * 10n ** 18n

/**
 * The bridges by the prefix of their actions. Escrows are those of the network's migrations, and the one of `ethereum`,
 * which they do not set up, is made up; so are the addresses of the tokens, which a node reads from the other chain.
 */
export const bridgeSetups: Readonly<Record<Bridge, BridgeSetup>> = {
  hoodi_tt: {
    alias: 'hoodi_tt',
    chain: 'hoodi',
    chainId: '560048',
    escrow: parseAddress('0x878d6aaeb6e746033f50b8dc268d54b4631554e7'),
    erc20: parseAddress('0x00000000000000000000000000000000000000a1'),
    decimals: 18,
    token: 'TT',
    withdrawalFee: 0n,
    hasSmallFee: false,
    hasProofs: true,
  },
  hoodi_tt2: {
    alias: 'hoodi_tt2',
    chain: 'hoodi',
    chainId: '560048',
    escrow: parseAddress('0x80d9b3b6941367917816d36748c88b303f7f1415'),
    erc20: parseAddress('0x00000000000000000000000000000000000000a2'),
    decimals: 18,
    token: 'TT2',
    withdrawalFee: 0n,
    hasSmallFee: true,
    hasProofs: true,
  },
  sepolia: {
    alias: 'sepolia_bridge',
    chain: 'sepolia',
    chainId: '11155111',
    escrow: parseAddress('0x502430ed0bbe0f230215870c9c2853e126ee5ae3'),
    erc20: parseAddress('0x00000000000000000000000000000000000000a3'),
    decimals: 18,
    token: 'TRUF',
    withdrawalFee: fortyTokens,
    hasSmallFee: false,
    hasProofs: false,
  },
  ethereum: {
    alias: 'ethereum_bridge',
    chain: 'ethereum',
    chainId: '1',
    escrow: parseAddress('0x00000000000000000000000000000000000000e4'),
    erc20: parseAddress('0x00000000000000000000000000000000000000a4'),
    decimals: 18,
    token: 'TRUF',
    withdrawalFee: fortyTokens,
    hasSmallFee: false,
    hasProofs: false,
  },
  eth_truf: {
    alias: 'eth_truf',
    chain: 'ethereum',
    chainId: '1',
    escrow: parseAddress('0x5e4d32d5072a2cf94e4a20cd715e1aa76cd52e43'),
    erc20: parseAddress('0x00000000000000000000000000000000000000a5'),
    decimals: 18,
    token: 'TRUF',
    withdrawalFee: 0n,
    hasSmallFee: false,
    hasProofs: true,
  },
  eth_usdc: {
    alias: 'eth_usdc',
    chain: 'ethereum',
    chainId: '1',
    escrow: parseAddress('0x67f087bc88e36721919a4531b83c62c5022ca810'),
    erc20: parseAddress('0x00000000000000000000000000000000000000a6'),
    decimals: 6,
    token: 'USDC',
    withdrawalFee: 0n,
    hasSmallFee: true,
    hasProofs: true,
  },
}

/** The fee of a transfer: an amount in the token's smallest unit, and the words for it. */
export function transferFee(
  bridge: Bridge,
  { hasSmallTransferFees }: Pick<Profile, 'hasSmallTransferFees'>,
): { readonly fee: bigint; readonly text: string } {
  const { decimals, token, hasSmallFee } = bridgeSetups[bridge]
  const whole = 10n ** BigInt(decimals)
  const isSmall = hasSmallFee && hasSmallTransferFees
  return isSmall ? { fee: whole / 100n, text: `0.01 ${token}` } : { fee: whole, text: `1 ${token}` }
}
