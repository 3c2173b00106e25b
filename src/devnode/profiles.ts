/** Profiles: costs and rights of actions on the network of the interface description, and the network today. */

/** One network's rules, as data; fees are in the smallest unit of the fee token. */
export interface Profile {
  readonly name: ProfileName
  /** The right to create a stream: members of `system:network_writer`, or any address. */
  readonly mayCreateStreams: 'network_writer' | 'every_wallet'
  /** Per stream created. */
  readonly streamFee: bigint
  /** Per call of an insertion, however many records it has. */
  readonly insertFee: bigint
  /** The most records one call of an insertion may have. */
  readonly maxInsertRecords: number
  /** Per child of a taxonomy. */
  readonly taxonomyFeePerChild: bigint
  /** Per attestation asked for. */
  readonly attestationFee: bigint
  /** True when a whole series may be attested, and not only one value of it. */
  readonly attestsSeries: boolean
  /** True when a transfer costs a hundredth of a token on the bridges that have lowered it, and not a whole one. */
  readonly hasSmallTransferFees: boolean
  /** The answers it gives where they have changed: those of the interface description's time, or today's. */
  readonly answers: 'described' | 'current'
  /** The bridge whose token pays the fees. */
  readonly feeBridge: Bridge
}

/** The names of the profiles. */
type ProfileName = 'seed' | 'head'

/** The bridges that hold balances on the node, by the prefix of their actions. */
export const bridges = ['hoodi_tt', 'hoodi_tt2', 'sepolia', 'ethereum', 'eth_truf', 'eth_usdc'] as const

/** One of the bridges. */
export type Bridge = (typeof bridges)[number]

const token = 10n ** 18n

/** The profiles by name; `seed` is what a node starts with. */
export const profiles: Readonly<Record<ProfileName, Profile>> = {
  seed: {
    name: 'seed',
    mayCreateStreams: 'network_writer',
    streamFee: 0n,
    insertFee: 0n,
    maxInsertRecords: 10,
    taxonomyFeePerChild: 0n,
    attestationFee: 40n * token,
    attestsSeries: true,
    hasSmallTransferFees: false,
    answers: 'described',
    feeBridge: 'hoodi_tt',
  },
  head: {
    name: 'head',
    mayCreateStreams: 'every_wallet',
    streamFee: 100n * token,
    insertFee: token,
    maxInsertRecords: 10,
    taxonomyFeePerChild: 10n * token,
    attestationFee: 40n * token,
    attestsSeries: false,
    hasSmallTransferFees: true,
    answers: 'current',
    feeBridge: 'hoodi_tt',
  },
}
