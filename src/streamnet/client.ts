/** Makes the client that every operation works on, from an endpoint and perhaps a signer. */

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
  /** For a signer of yours that has none; `NetClient` needs no mention of it. */
  readonly proveCall?: ProveCall | undefined
  /** The chain the caller means; a node of another one is refused before anything is signed. */
  readonly chainId?: string | undefined
  /** Shared by clients that write with the same key; each has its own when left out. */
  readonly nonces?: NonceSource | undefined
  /**
   * For requests that change nothing, as `readBudget` when left out; `maxAttempts` of 1 repeats none. What sends a
   * transaction is never repeated: the node is asked for its hash.
   */
  readonly retries?: Partial<Retries> | undefined
}

/**
 * Makes a client. Nothing is sent until the first call.
 *
 * @param options - `endpoint` is the http or https address of a node or gateway.
 * @throws StreamNetError invalid_argument when the endpoint is not an http address, or the retries are none.
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
