/** What a node is told when it starts, and what its development methods may change. */

import { flag, text, type VariableTable, variable } from '../base/variables.ts'
import { createSigner } from '../streamnet/signing/signer.ts'
import { type Profile, profiles } from './profiles.ts'

/** What stays as it is while a node runs. */
export interface NodeSettings {
  readonly chainId: string
  readonly profile: Profile
  /** Whether the `dev.*` methods answer. */
  readonly isDevelopment: boolean
  /** In private mode every call is signed over a challenge, and nobody may query. */
  readonly mode: 'open' | 'private'
  /** What callers from outside may do; the gateway of the same deployment always may. */
  readonly access: NodeAccess
  /** The most bytes that bodies of transactions take, the oldest going first. */
  readonly keptBodyBytes: number
  /** The most bytes that the ledger takes before transactions are refused. */
  readonly maxStoreBytes: number
  /** Whether transactions cost a fee in the chain's own token. */
  readonly hasGas: boolean
  /** Who makes the blocks and owns the local streams: `0x` and 40 lower-case hex digits. */
  readonly operator: string
  /**
   * The operator's private key, 64 hex digits, which signs attestations and epochs; undefined where the node has none,
   * and then signs nothing.
   */
  readonly nodeKey: string | undefined
  /** Who may grant `system:network_writer` from the first block on. */
  readonly managers: readonly string[]
  /** Who may create streams from the first block on. */
  readonly writers: readonly string[]
  /** Whether there are local streams: not where the operator's key is one that everybody knows. */
  readonly hasLocalStreams: boolean
  /** Whether calls of local streams must be signed by the operator. */
  readonly requiresLocalSignature: boolean
  /** How long a signed local call is good for, in milliseconds, and remembered against a replay. */
  readonly replayWindowMs: number
}

/** Who reaches the node: only its own gateway, everybody to read, or everybody. */
export type NodeAccess = 'off' | 'read' | 'open'

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

/**
 * The most bytes a transaction may have in its binary form: what the platform takes as one row, with room for what
 * stands around it.
 */
export const maxTransactionBytes = 1_900_000

/** The most bytes a request may have. */
export const maxRequestBytes = 6_000_000

/** How long a broadcast that waits for its block may wait, in milliseconds. */
export const commitTimeoutMs = 15_000

/** Variables of a deployment by name. */
export type NodeVariables = Readonly<Record<string, unknown>>

/** A setting of the node: its variable, what it may be, and what it is when nobody says. */
export interface NodeVariable {
  readonly name: string
  readonly expects: string
  readonly otherwise: string
  /** Whether it is kept out of pages and logs. */
  readonly isSecret?: true
}

/** The address of the private key 2: it makes the blocks where no operator is named. */
export const operatorOfKeyTwo = '0x2b5ad5c4795c026514f8317c7a215e218dccd6cf'
const keyTwo = '2'.padStart(64, '0')

/** Every variable that a node reads; `docs/devnode.md` shows this table. */
export const nodeVariables = [
  { name: 'STREAMNET_CHAIN_ID', expects: '1 to 64 letters, digits, dots or dashes', otherwise: 'sluice-dev' },
  { name: 'STREAMNET_PROFILE', expects: 'seed or head', otherwise: 'seed' },
  { name: 'STREAMNET_DEVELOPMENT', expects: 'true or false', otherwise: 'false' },
  { name: 'STREAMNET_MODE', expects: 'open or private', otherwise: 'open' },
  // A deployment opens its node on purpose; a development node is its developer's own.
  { name: 'STREAMNET_NODE', expects: 'off, read or open', otherwise: 'off' },
  { name: 'STREAMNET_KEPT_TRANSACTIONS_MB', expects: 'whole megabytes from 1 to 1000', otherwise: '64' },
  { name: 'STREAMNET_MAX_STORE_MB', expects: 'whole megabytes from 1 to 9000', otherwise: '1000' },
  { name: 'STREAMNET_GAS', expects: 'true or false', otherwise: 'false' },
  { name: 'STREAMNET_SEED_NETWORK', expects: 'true or false', otherwise: 'false' },
  { name: 'STREAMNET_OPERATOR', expects: 'an address', otherwise: operatorOfKeyTwo },
  {
    name: 'STREAMNET_NODE_KEY',
    expects: 'a private key of 64 hex digits',
    otherwise: '',
    isSecret: true,
  },
  { name: 'STREAMNET_MANAGERS', expects: 'addresses, separated by commas', otherwise: '' },
  { name: 'STREAMNET_WRITERS', expects: 'addresses, separated by commas', otherwise: '' },
  // At the edge nothing else stands before the operator's port; a development node is its developer's own.
  { name: 'STREAMNET_LOCAL_SIGNATURE', expects: 'true or false', otherwise: 'true' },
  { name: 'STREAMNET_REPLAY_WINDOW_SECONDS', expects: 'whole seconds from 1 to 3600', otherwise: '60' },
] as const satisfies readonly NodeVariable[]

const truth = flag(false)

type VariableName = (typeof nodeVariables)[number]['name']

/** The same as a table, for those who ask which names there are. */
export const nodeTable: VariableTable = Object.fromEntries(
  nodeVariables.map(({ name, expects, otherwise, ...rest }) => [
    name,
    variable({ ...text(otherwise), expected: expects, keepsEmpty: false }, { isSecret: 'isSecret' in rest }),
  ]),
)

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

/**
 * Reads the settings of a node.
 *
 * @throws RangeError naming the variable, what it is and what it may be.
 */
export function parseNodeSettings(variables: NodeVariables): ParsedSettings {
  const read = (name: VariableName, isValid: (text: string) => boolean): string => {
    const { expects, otherwise } = nodeVariables.find((one) => one.name === name) ?? {
      expects: '',
      otherwise: '',
    }
    const value = variables[name]
    const text = value === undefined || value === '' ? otherwise : String(value).trim()
    if (isValid(text)) return text
    throw new RangeError(`Cannot start node: ${name} is "${text.slice(0, 64)}", expected ${expects}`)
  }
  const isGiven = (name: VariableName) => variables[name] !== undefined && variables[name] !== ''
  const readFlag = (name: VariableName) =>
    truth.parse(read(name, (value) => truth.parse(value) !== null)) === true
  const readMegabytes = (name: VariableName, most: number) =>
    1_000_000 * Number(read(name, (text) => /^[1-9]\d{0,3}$/.test(text) && Number(text) <= most))
  const readAddresses = (name: VariableName) =>
    read(name, (text) => text === '' || text.split(',').every((one) => isAddress(one.trim())))
      .split(',')
      .flatMap((one) => (one.trim() === '' ? [] : [one.trim().toLowerCase()]))
  const isDevelopment = readFlag('STREAMNET_DEVELOPMENT')
  const given = readNodeKey(variables)
  const operator = given?.address ?? read('STREAMNET_OPERATOR', isAddress).toLowerCase()
  if (isGiven('STREAMNET_OPERATOR') && read('STREAMNET_OPERATOR', isAddress).toLowerCase() !== operator) {
    throw new RangeError(
      `Cannot start node: STREAMNET_NODE_KEY is the key of ${operator}, expected that of STREAMNET_OPERATOR, or no STREAMNET_OPERATOR`,
    )
  }
  const known = isDevelopment ? developmentManagers : []
  return {
    chainId: read('STREAMNET_CHAIN_ID', (text) => /^[\w.-]{1,64}$/.test(text)),
    profile:
      read('STREAMNET_PROFILE', (text) => Object.hasOwn(profiles, text)) === 'head'
        ? profiles.head
        : profiles.seed,
    isDevelopment,
    access:
      isDevelopment && !isGiven('STREAMNET_NODE')
        ? 'open'
        : (accessOf(read('STREAMNET_NODE', (text) => accessOf(text) !== undefined)) ?? 'off'),
    keptBodyBytes: readMegabytes('STREAMNET_KEPT_TRANSACTIONS_MB', 1000),
    maxStoreBytes: readMegabytes('STREAMNET_MAX_STORE_MB', 9000),
    mode:
      read('STREAMNET_MODE', (text) => text === 'open' || text === 'private') === 'private'
        ? 'private'
        : 'open',
    hasGas: readFlag('STREAMNET_GAS'),
    hasSeedNetwork: readFlag('STREAMNET_SEED_NETWORK'),
    operator,
    // A signature by a key that everybody knows proves nothing, so only a development node makes one.
    nodeKey: given?.key ?? (isDevelopment && operator === operatorOfKeyTwo ? keyTwo : undefined),
    managers: [...known, ...readAddresses('STREAMNET_MANAGERS')],
    writers: readAddresses('STREAMNET_WRITERS'),
    hasLocalStreams: isDevelopment || isGiven('STREAMNET_OPERATOR') || given !== undefined,
    requiresLocalSignature:
      readFlag('STREAMNET_LOCAL_SIGNATURE') && (isGiven('STREAMNET_LOCAL_SIGNATURE') || !isDevelopment),
    replayWindowMs:
      1000 *
      Number(
        read(
          'STREAMNET_REPLAY_WINDOW_SECONDS',
          (text) => /^[1-9]\d{0,3}$/.test(text) && Number(text) <= 3600,
        ),
      ),
  }
}

/**
 * Reads the node's key. The text of a bad one is not repeated.
 *
 * @throws RangeError
 */
function readNodeKey({
  STREAMNET_NODE_KEY: value,
}: NodeVariables): { readonly key: string; readonly address: string } | undefined {
  if (value === undefined || value === '') return undefined
  const key = String(value).trim().replace(/^0x/, '').toLowerCase()
  try {
    return { key, address: createSigner(key).address }
  } catch {
    throw new RangeError(
      'Cannot start node: STREAMNET_NODE_KEY is no key of secp256k1, expected a private key of 64 hex digits',
    )
  }
}

const accesses: readonly NodeAccess[] = ['off', 'read', 'open']

function accessOf(text: string): NodeAccess | undefined {
  return accesses.find((access) => access === text)
}

function isAddress(text: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(text)
}
