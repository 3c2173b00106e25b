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

/** An epoch without a withdrawal lasts this many times `epochSeconds`. */
export const emptyEpochFactor = 3

const fortyTokens = 40n * 10n ** 18n

/** The other chains by their names. */
const chainIds = { hoodi: '560048', sepolia: '11155111', ethereum: '1' } as const

/** Describes a bridge by the marks that most have, and its own; `tokenEnd` ends the address of its token, in hex. */
function setUp(
  chain: keyof typeof chainIds,
  escrow: string,
  tokenEnd: string,
  marks: Pick<BridgeSetup, 'alias' | 'token'> & Partial<BridgeSetup>,
): BridgeSetup {
  return {
    chain,
    chainId: chainIds[chain],
    escrow: parseAddress(escrow),
    erc20: parseAddress(`0x${tokenEnd.padStart(40, '0')}`),
    decimals: 18,
    withdrawalFee: 0n,
    hasSmallFee: false,
    hasProofs: true,
    ...marks,
  }
}

/** The marks of the first bridges: a fee for a withdrawal, and no proofs. */
const older = { token: 'TRUF', withdrawalFee: fortyTokens, hasProofs: false } as const

/**
 * The bridges by the prefix of their actions. Escrows are those of the network's migrations, and the one of `ethereum`,
 * which they do not set up, is made up; so are the addresses of the tokens, which a node reads from the other chain.
 */
export const bridgeSetups: Readonly<Record<Bridge, BridgeSetup>> = {
  hoodi_tt: setUp('hoodi', '0x878d6aaeb6e746033f50b8dc268d54b4631554e7', 'a1', { alias: 'hoodi_tt', token: 'TT' }),
  hoodi_tt2: setUp('hoodi', '0x80d9b3b6941367917816d36748c88b303f7f1415', 'a2', {
    alias: 'hoodi_tt2',
    token: 'TT2',
    hasSmallFee: true,
  }),
  sepolia: setUp('sepolia', '0x502430ed0bbe0f230215870c9c2853e126ee5ae3', 'a3', { alias: 'sepolia_bridge', ...older }),
  ethereum: setUp('ethereum', `0x${'e4'.padStart(40, '0')}`, 'a4', { alias: 'ethereum_bridge', ...older }),
  eth_truf: setUp('ethereum', '0x5e4d32d5072a2cf94e4a20cd715e1aa76cd52e43', 'a5', { alias: 'eth_truf', token: 'TRUF' }),
  eth_usdc: setUp('ethereum', '0x67f087bc88e36721919a4531b83c62c5022ca810', 'a6', {
    alias: 'eth_usdc',
    token: 'USDC',
    decimals: 6,
    hasSmallFee: true,
  }),
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
