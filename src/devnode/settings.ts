/** Settings of a node at its start; its development methods may change some of them. */

import { VariableError } from '../base/errors.ts'
import { type Environment, readVariables, variableText } from '../base/variables.ts'
import { type Profile, profiles } from './profiles.ts'
import { type NodeVariableValues, nodeVariables, operatorOfKeyTwo } from './setting-table.ts'

/** Settings of a node, which stay as they are while it runs. */
export interface NodeSettings {
  readonly chainId: string
  readonly profile: Profile
  /** True when the `dev.*` methods answer. */
  readonly isDevelopment: boolean
  /** In private mode every call is signed over a challenge, and queries are refused. */
  readonly mode: 'open' | 'private'
  /** The access of callers from outside; the gateway of the same deployment has all. */
  readonly access: NodeAccess
  /** The most bytes that bodies of transactions take, the oldest going first. */
  readonly keptBodyBytes: number
  /** The most bytes that the ledger takes before transactions are refused. */
  readonly maxStoreBytes: number
  /** The most rows that one read may touch: 100,000 take 100 ms of the thread. */
  readonly maxReadRows: number
  /** True when transactions cost a fee in the chain's own token. */
  readonly hasGas: boolean
  /** The address that makes the blocks and owns the local streams: `0x` and 40 lower-case hex digits. */
  readonly operator: string
  /** The operator's private key, 64 hex digits, for attestations and epochs; undefined where none are signed. */
  readonly nodeKey: string | undefined
  /** True when the leader settles due markets by itself, as the network's settlement settings say; needs `nodeKey`. */
  readonly settlesMarkets: boolean
  /** The height from which on transactions of agent wallets are taken; 0 for never. */
  readonly agentActivationHeight: number
  /** Addresses that may grant `system:network_writer` from the first block on. */
  readonly managers: readonly string[]
  /** Addresses that may create streams from the first block on. */
  readonly writers: readonly string[]
  /** True when there are local streams: not where the operator's key is a well-known one. */
  readonly hasLocalStreams: boolean
  /** True when calls of local streams must be signed by the operator. */
  readonly requiresLocalSignature: boolean
  /** The milliseconds for which a signed local call is good, and is remembered against a replay. */
  readonly replayWindowMs: number
}

/** The callers that reach the node: only its own gateway, all callers to read, or all callers. */
export type NodeAccess = 'off' | 'read' | 'open'

/** The occasion on which blocks are made. */
export type Mining =
  /** With every transaction. */
  | { readonly kind: 'auto' }
  /** Every so many milliseconds, empty or not. */
  | { readonly kind: 'interval'; readonly intervalMs: number }
  /** By a development method. */
  | { readonly kind: 'manual' }

/** The most transactions that may wait. */
export const maxPooled = 10_000

/** The most bytes of a transaction in binary form: one row of the platform, with room for what is around it. */
export const maxTransactionBytes = 1_900_000

/** The most bytes a request may have. */
export const maxRequestBytes = 6_000_000

/** The milliseconds that a broadcast may wait for its block. */
export const commitTimeoutMs = 15_000

const keyTwo = '2'.padStart(64, '0')

/**
 * Addresses of the private keys 1 and 0x11...11, which the network's own tests use: both may grant
 * `system:network_writer` on a development node. As on the network no key holds it at the first block.
 */
export const developmentManagers = [
  '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf',
  '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a',
] as const

/** Settings as a deployment gives them, and whether a new node starts with the seed network. */
export interface ParsedSettings extends NodeSettings {
  readonly hasSeedNetwork: boolean
}

/** Reads the settings of a node; invalid_settings names the variable and what it may be, and repeats no key. */
export function parseNodeSettings(environment: Environment): ParsedSettings {
  const values = readVariables(nodeVariables, environment)
  const isGiven = (name: keyof typeof nodeVariables) => (variableText(environment[name]) ?? '') !== ''
  assertOneOperator(values, isGiven('STREAMNET_OPERATOR'))
  const isDevelopment = values.STREAMNET_DEVELOPMENT
  const given = values.STREAMNET_NODE_KEY
  const operator = given?.address ?? values.STREAMNET_OPERATOR
  return {
    chainId: values.STREAMNET_CHAIN_ID,
    profile: profiles[values.STREAMNET_PROFILE],
    isDevelopment,
    access: isDevelopment && !isGiven('STREAMNET_NODE') ? 'open' : values.STREAMNET_NODE,
    keptBodyBytes: Math.min(values.STREAMNET_KEPT_TRANSACTIONS_MB, values.STREAMNET_MAX_STORE_MB / 4) * 1_000_000,
    maxStoreBytes: values.STREAMNET_MAX_STORE_MB * 1_000_000,
    maxReadRows: values.STREAMNET_MAX_READ_ROWS,
    mode: values.STREAMNET_MODE,
    hasGas: values.STREAMNET_GAS,
    hasSeedNetwork: values.STREAMNET_SEED_NETWORK,
    operator,
    // A signature by a key that is public proves nothing, so only a development node makes one.
    nodeKey: given?.key ?? (isDevelopment && operator === operatorOfKeyTwo ? keyTwo : undefined),
    settlesMarkets: values.STREAMNET_AUTOMATIC_SETTLEMENT,
    agentActivationHeight: values.STREAMNET_MAA_ACTIVATION_HEIGHT,
    managers: [...(isDevelopment ? developmentManagers : []), ...values.STREAMNET_MANAGERS],
    writers: values.STREAMNET_WRITERS,
    hasLocalStreams: isDevelopment || isGiven('STREAMNET_OPERATOR') || given !== undefined,
    requiresLocalSignature:
      values.STREAMNET_LOCAL_SIGNATURE && (isGiven('STREAMNET_LOCAL_SIGNATURE') || !isDevelopment),
    replayWindowMs: values.STREAMNET_REPLAY_WINDOW_SECONDS * 1000,
  }
}

function assertOneOperator(
  { STREAMNET_NODE_KEY: given, STREAMNET_OPERATOR: operator }: NodeVariableValues,
  isOperatorGiven: boolean,
): void {
  if (!isOperatorGiven || given === undefined || given.address === operator) return
  throw new VariableError(
    `Cannot read settings: STREAMNET_NODE_KEY is the key of ${given.address}, expected that of STREAMNET_OPERATOR, or no STREAMNET_OPERATOR`,
  )
}
