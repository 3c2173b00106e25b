/** A development node for tests: in this process, answered by its own `fetch`, and on a port where one is asked for. */

import { randomBytes } from 'node:crypto'
import { type MemoryNode, openMemoryNode } from '#devnode/memory/node.ts'
import { type ParsedSettings, parseNodeSettings } from '#devnode/settings.ts'
import { defaultPlatform, type Platform } from '#streamnet/platform.ts'
import { createSigner } from '#streamnet/signing/signer.ts'
import { createNodeFetch, operatorPath } from './node-fetch.ts'
import { serve } from './serve.ts'

/** Options of a node for tests. */
export interface TestNodeOptions {
  /** Costs, rights and texts: `head` (when left out) is the network of today, `seed` that of the interface description. */
  readonly profile?: 'seed' | 'head' | undefined
  /** True for a network with three providers, a year of prices and markets; empty when left out. */
  readonly seed?: boolean | undefined
  /** Unix time in milliseconds at which the clock begins; that of this machine when left out. */
  readonly nowMs?: number | undefined
  /** A port of 127.0.0.1 for programs outside of this process, 0 for any free one; none when left out. */
  readonly port?: number | undefined
  /** Settings of the node by their names, such as `{ STREAMNET_MODE: 'private' }`. */
  readonly settings?: Readonly<Record<string, string>> | undefined
}

/** A wallet that may write: its private key and its address. */
interface TestWallet {
  readonly key: string
  readonly address: string
}

/** A node that runs until `stop()`. */
export interface StartedNode {
  readonly endpoint: string
  /** The address of the operator's port, for `LocalClient` and `dev.*`. */
  readonly operatorEndpoint: string
  readonly chainId: string
  /** Four wallets with public keys: each may create streams, and has a million tokens of `testnet_a` and `testnet_b`. */
  readonly wallets: readonly [TestWallet, TestWallet, TestWallet, TestWallet]
  /** The platform to give to a client: requests stay in this process, and its clock is that of the chain. */
  readonly platform: Platform
  /** Answers requests to `endpoint` and `operatorEndpoint` in this process; refuses all others. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** Calls a method of the operator's port, such as `dev.failNext`. @throws Error with the text of a refusal. */
  operate(method: string, params?: object): Promise<unknown>
  /** Remembers the state of the chain. @returns the number to revert to. */
  snapshot(): Promise<number>
  /** Brings the chain back to a snapshot, which is used up then with all later ones. */
  revert(snapshot: number): Promise<void>
  /** Pays tokens in; `amount` is in the token's smallest unit, `bridge` is `testnet_a` when left out. */
  deposit(deposit: { readonly wallet: string; readonly amount: string; readonly bridge?: string }): Promise<void>
  /** Moves the clock of the chain ahead by this many seconds. */
  advance(seconds: number): Promise<void>
  /** Makes blocks, one when left out. */
  mine(blocks?: number): Promise<void>
  /** Closes the port; later requests fail. */
  stop(): Promise<void>
}

/** A million tokens in their smallest unit, of which a token has 10^18. */
const million = `${10n ** 24n}`
/** The keys that the network's own tests use, and two more. */
const wallets = [
  walletOf('1'.padStart(64, '0')),
  walletOf('11'.repeat(32)),
  walletOf('22'.repeat(32)),
  walletOf('33'.repeat(32)),
] as const
const inProcess = 'http://node.test'

/**
 * Starts a development node with an empty ledger.
 *
 * @throws Error when the port is taken, or a setting is malformed.
 * @example
 * const node = await startNode()
 * const client = new NetClient(node.endpoint, node.wallets[0].key, { platform: node.platform })
 */
export async function startNode(options: TestNodeOptions = {}): Promise<StartedNode> {
  const clock = createClock(options.nowMs)
  const settings = readOptions(options)
  const node = openMemoryNode(settings, { ...clock, randomHex: () => randomBytes(32).toString('hex') })
  const answer = createNodeFetch(node)
  const server = options.port === undefined ? undefined : await serve(answer, options.port)
  const endpoint = server?.url ?? inProcess
  let isStopped = false

  const fetchNode: StartedNode['fetch'] = async (input, init) => {
    const request = new Request(input, init)
    if (isStopped) throw new TypeError(`Cannot fetch ${request.url}: the node was stopped`)
    if (new URL(request.url).origin === endpoint) return answer(request)
    throw new TypeError(`Cannot fetch ${request.url}: this node answers at ${endpoint}`)
  }
  const operations = createOperations(node)
  await fundWallets(operations.deposit)

  return {
    endpoint,
    operatorEndpoint: `${endpoint}${operatorPath}`,
    chainId: settings.chainId,
    wallets,
    platform: { ...defaultPlatform, fetch: fetchNode, now: node.chainTime, sleep: clock.sleep },
    fetch: fetchNode,
    ...operations,
    async stop() {
      isStopped = true
      await server?.close()
    },
  }
}

/** Makes the clock of this machine or, from `startMs` on, one that only `sleep` moves. */
function createClock(startMs: number | undefined): { now(): number; sleep(ms: number): Promise<void> } {
  if (startMs === undefined) return { now: Date.now, sleep: defaultPlatform.sleep }
  if (!Number.isSafeInteger(startMs) || startMs < 0) {
    throw new Error(`Cannot start a node: nowMs is ${startMs}, expected whole milliseconds from 0`)
  }
  let elapsedMs = 0
  return {
    now: () => startMs + elapsedMs,
    async sleep(ms) {
      elapsedMs += ms
      // Yields to the event loop, so that a caller which polls does not starve others.
      await defaultPlatform.sleep(0)
    },
  }
}

/** Makes the functions that call the operator's port. */
function createOperations(node: MemoryNode) {
  const operate: StartedNode['operate'] = async (method, params = {}) => {
    const answered = await node.ask('admin', JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    // The operator's port answers each request, as JSON-RPC.
    const { result, error } = JSON.parse(answered?.text ?? '{}') as { result?: unknown; error?: { message: string } }
    if (error !== undefined) throw new Error(`Cannot call ${method}: ${error.message}`)
    return result
  }
  const run = async (method: string, params: object): Promise<void> => void (await operate(method, params))
  return {
    operate,
    async snapshot() {
      // The result of `dev.snapshot`.
      const { snapshot } = (await operate('dev.snapshot')) as { readonly snapshot: number }
      return snapshot
    },
    revert: (snapshot) => run('dev.revert', { snapshot }),
    deposit: ({ wallet, amount, bridge = 'testnet_a' }) => run('dev.deposit', { bridge, wallet, amount }),
    advance: (seconds) => run('dev.increaseTime', { seconds }),
    mine: (blocks = 1) => run('dev.mine', { blocks }),
  } satisfies Partial<StartedNode>
}

async function fundWallets(deposit: StartedNode['deposit']): Promise<void> {
  for (const { address: wallet } of wallets) {
    for (const bridge of ['testnet_a', 'testnet_b']) await deposit({ wallet, amount: million, bridge })
  }
}

function walletOf(key: string): TestWallet {
  return { key, address: createSigner(key).address }
}

function readOptions({ profile = 'head', seed = false, settings }: TestNodeOptions): ParsedSettings {
  return parseNodeSettings({
    STREAMNET_DEVELOPMENT: 'true',
    STREAMNET_PROFILE: profile,
    STREAMNET_SEED_NETWORK: `${seed}`,
    STREAMNET_WRITERS: wallets.map(({ address }) => address).join(),
    ...settings,
  })
}
