/** What a node is told when it starts, and what its development methods may change. */

import type { Profile } from './profiles.ts'

/** What stays as it is while a node runs. */
export interface NodeSettings {
  readonly chainId: string
  readonly profile: Profile
  /** Whether the `dev.*` methods answer. */
  readonly isDevelopment: boolean
  /** In private mode every call is signed over a challenge, and nobody may query. */
  readonly mode: 'open' | 'private'
  /** Whether transactions cost a fee in the chain's own token. */
  readonly hasGas: boolean
  /** Who makes the blocks and owns the local streams: `0x` and 40 lower-case hex digits. */
  readonly operator: string
  /** Who may grant `system:network_writer` from the first block on. */
  readonly managers: readonly string[]
  /** Who may create streams from the first block on. */
  readonly writers: readonly string[]
  /** Whether calls of local streams must be signed by the operator. */
  readonly requiresLocalSignature: boolean
  /** How long a signed local call is good for, in milliseconds, and remembered against a replay. */
  readonly replayWindowMs: number
}

/** When blocks are made. */
export type Mining =
  /** With every transaction. */
  | { readonly kind: 'auto' }
  /** Every so many milliseconds, empty or not. */
  | { readonly kind: 'interval'; readonly intervalMs: number }
  /** When a development method says so. */
  | { readonly kind: 'manual' }

/** The most transactions that may wait. */
export const maxPooled = 10_000

/** The most bytes a request may have. */
export const maxRequestBytes = 6_000_000

/** How long a broadcast that waits for its block may wait, in milliseconds. */
export const commitTimeoutMs = 15_000
