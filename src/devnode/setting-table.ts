/** Every variable that a node reads: what it may be, and what it is when absent. */

import { bounded, choice, flag, type Reader, reader, type VariableValues, variable } from '../base/variables.ts'
import { createSigner } from '../streamnet/signing/signer.ts'

/** The address of the private key 2: it makes the blocks where no operator is named. */
export const operatorOfKeyTwo = '0x2b5ad5c4795c026514f8317c7a215e218dccd6cf'

interface NodeKey {
  /** 64 lower-case hex digits. */
  readonly key: string
  readonly address: string
}

function isAddress(text: string): boolean {
  return /^0x[0-9a-f]{40}$/.test(text)
}

const address: Reader<string> = reader(operatorOfKeyTwo, 'an address', (text) => {
  const value = text.trim().toLowerCase()
  return isAddress(value) ? value : null
})

const addresses: Reader<readonly string[]> = reader([], 'addresses, separated by commas', (text) => {
  const list = text.split(',').map((one) => one.trim().toLowerCase())
  return list.every(isAddress) ? list : null
})

const chainId: Reader<string> = reader('sluice-dev', '1 to 64 letters, digits, dots or dashes', (text) =>
  /^[\w.-]{1,64}$/.test(text.trim()) ? text.trim() : null,
)

const nodeKey = reader<NodeKey | undefined>(undefined, 'a private key of secp256k1, 64 hex digits', (text) => {
  const key = text.trim().replace(/^0x/, '').toLowerCase()
  try {
    return { key, address: createSigner(key).address }
  } catch {
    return null
  }
})

/** The table, by variable. `docs/devnode.md` and `docs/settings.md` show it. */
export const nodeVariables = {
  STREAMNET_CHAIN_ID: variable(chainId),
  STREAMNET_PROFILE: variable(choice('seed', ['seed', 'head'])),
  STREAMNET_DEVELOPMENT: variable(flag(false)),
  STREAMNET_MODE: variable(choice('open', ['open', 'private'])),
  // A deployment opens its node on purpose; a development node is its developer's own.
  STREAMNET_NODE: variable(choice('off', ['off', 'read', 'open'])),
  STREAMNET_KEPT_TRANSACTIONS_MB: variable(bounded(64, 1, 1000)),
  STREAMNET_MAX_STORE_MB: variable(bounded(1000, 1, 9000)),
  STREAMNET_MAX_READ_ROWS: variable(bounded(85_000, 1000, 10_000_000)),
  STREAMNET_GAS: variable(flag(false)),
  STREAMNET_SEED_NETWORK: variable(flag(false)),
  STREAMNET_OPERATOR: variable(address),
  STREAMNET_NODE_KEY: variable(nodeKey, { isSecret: true }),
  STREAMNET_AUTOMATIC_SETTLEMENT: variable(flag(true)),
  STREAMNET_MAA_ACTIVATION_HEIGHT: variable(bounded(1, 0, 1_000_000_000)),
  STREAMNET_MANAGERS: variable(addresses),
  STREAMNET_WRITERS: variable(addresses),
  // At the edge nothing else guards the operator's port; a development node is its developer's own.
  STREAMNET_LOCAL_SIGNATURE: variable(flag(true)),
  STREAMNET_REPLAY_WINDOW_SECONDS: variable(bounded(60, 1, 3600)),
} as const

/** The variables' values. */
export type NodeVariableValues = VariableValues<typeof nodeVariables>
