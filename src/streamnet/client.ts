/** Makes the client that every operation works on, from an endpoint and perhaps a signer, and gives it methods. */

import { type CallOptions, withOptions } from './call-options.ts'
import { invalidArgument, malformedResponse, StreamNetError } from './errors.ts'
import { defaultPlatform } from './platform.ts'
import type { Chain, Client } from './ports.ts'
import type { RpcMethods } from './rpc/methods.ts'
import type { ProveCall } from './rpc/prove-call.ts'
import { createTransport, type Retries, readBudget, type TransportOptions } from './rpc/transport.ts'
import type { Signer } from './signing/signer.ts'
import { createNonceSource, type NonceSource } from './transaction/nonce.ts'

/** The address of a client's node, and the client's key. */
export interface ClientOptions extends TransportOptions {
  /** Without one the client reads anonymously and cannot write. */
  readonly signer?: Signer | undefined
  /** Repeats a read with proof of who asks, which private nodes and gateways demand; `NetClient` has it by itself. */
  readonly proveCall?: ProveCall | undefined
  /** The chain the caller means; a node of another one is refused before anything is signed. */
  readonly chainId?: string | undefined
  /** Shared by clients that write with the same key; each has its own when left out. */
  readonly nonces?: NonceSource | undefined
  /**
   * Retries of requests that change nothing; those of `readBudget` when left out, none with `maxAttempts` of 1. A
   * transaction is never sent again: the node is asked for its hash.
   */
  readonly retries?: Partial<Retries> | undefined
}

/**
 * Makes a client. Nothing is sent until the first call.
 *
 * @param options - `endpoint` is the http or https address of a node or gateway.
 * @throws StreamNetError invalid_argument when the endpoint is not an http address, or `retries` is malformed.
 *
 * @example
 * const signer = createSigner('11'.repeat(32))
 * const writer = createClient({ endpoint: 'https://gateway.example', signer, timeoutMs: 10_000 })
 */
export function createClient(options: ClientOptions): Client {
  const { signer, platform = defaultPlatform } = options
  const retries = { ...readBudget, ...options.retries }
  if (!(Number.isSafeInteger(retries.maxAttempts) && retries.maxAttempts >= 1 && retries.delayMs >= 0)) {
    throw invalidArgument('retries must have max_attempts of at least 1, and a delay_ms of at least 0')
  }
  const transport = createTransport(options)
  let chain: Promise<Chain> | undefined

  const client: Client = {
    signer,
    proveCall: options.proveCall,
    platform,
    transport,
    chainId: options.chainId,
    nonces: options.nonces ?? createNonceSource(),
    chain() {
      chain ??= askChain(client, options.chainId).catch((error) => {
        chain = undefined
        throw error
      })
      return chain
    },
    async request(method, params, signal) {
      const budget = method === 'user.broadcast' ? undefined : retries
      // The shape the node documents for this method; users of a member read it strictly.
      return (await transport.request(method, params, budget, signal)) as RpcMethods[typeof method]['result']
    },
  }
  return client
}

async function askChain(client: Client, expected: string | undefined): Promise<Chain> {
  const { chain_id: chainId, gas } = await client.request('user.chain_info', {})
  if (typeof chainId !== 'string' || chainId === '') {
    throw malformedResponse("Cannot read the node's answer: it names no chain")
  }
  if (expected !== undefined && expected !== chainId) {
    throw new StreamNetError('wrong_chain', `wrong chain ID: the node's is "${chainId}", expected "${expected}"`, {
      hash: '',
    })
  }
  return { chainId, hasFees: gas !== false }
}

/** Parameters of an operation, then the end of this call. */
type WithOptions<Params extends readonly unknown[]> = Params extends readonly []
  ? [params?: Readonly<Record<string, never>>, options?: CallOptions]
  : [...params: Params, options?: CallOptions]

// The first pattern is for operations with two signatures, which read records; for one it infers `unknown[]`.
type Bound<F> = F extends {
  (client: Client, ...first: infer A): infer R
  (client: Client, ...second: infer B): infer S
}
  ? unknown[] extends A
    ? (...rest: WithOptions<B>) => S
    : { (...first: WithOptions<A>): R; (...second: WithOptions<B>): S }
  : F extends (client: Client, ...rest: infer B) => infer S
    ? (...rest: WithOptions<B>) => S
    : never

/** Operations without their first parameter, the client; each takes the end of the call last. */
export type BoundOperations<Operations> = { [Name in keyof Operations]: Bound<Operations[Name]> }

/**
 * Makes a client with the operations that a program names, as `NetClient` is one with every operation. A bundle holds
 * these and no others.
 *
 * @param client - one of `createClient`.
 * @param operations - functions that take a client first, by the names that the methods shall have.
 * @throws StreamNetError as `withOptions` does, when a method is called.
 *
 * @example
 * const { getIndex, insertRecords } = operations
 * const feed = bindOperations(client, { getIndex, insertRecords })
 * await feed.insertRecords({ streamId, records: [{ date: 1_760_001_000, value: '40' }] }, { timeoutMs: 60_000 })
 */
export function bindOperations<Operations extends object>(
  client: Client,
  operations: Operations,
): Client & BoundOperations<Operations> {
  const bound = Object.entries(operations).map(([name, operation]) => [
    name,
    // Each operation takes the client first; what follows is typed by the result.
    (params: unknown, options?: CallOptions) =>
      (operation as (...args: unknown[]) => unknown)(options ? withOptions(client, options) : client, params ?? {}),
  ])
  // The members are those of the operations, each without its client.
  return { ...client, ...(Object.fromEntries(bound) as BoundOperations<Operations>) }
}
