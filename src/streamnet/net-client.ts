/** The client with every operation on it. */

import { type BoundOperations, bindOperations, type ClientOptions, createClient } from './client.ts'
import * as operations from './operations.ts'
import type { CallResult, Client, SendOptions } from './ports.ts'
import { callAction } from './rpc/call.ts'
import { proveCall } from './rpc/prove-call.ts'
import { createSigner, type Signer } from './signing/signer.ts'
import { sendTransaction } from './transaction/send.ts'
import type { ActionArg, TxHash } from './types.ts'

/** Every operation of the network, bound to an endpoint and a key. */
export interface NetClient extends Client, BoundOperations<typeof operations> {
  /**
   * Reads any view action.
   *
   * @param action - its name on the network.
   * @param args - in the action's order; null for one left out.
   * @throws StreamNetError as `callAction` does.
   */
  call(action: string, args: readonly ActionArg[]): Promise<CallResult>
  /**
   * Sends one transaction in which an action runs once for each list of arguments; all succeed or none.
   *
   * @param action - its name on the network.
   * @param calls - a list of arguments for each run.
   * @param options - `timeoutMs` to wait for the block, in milliseconds.
   * @throws StreamNetError as `sendTransaction` does.
   */
  execute(action: string, calls: readonly (readonly ActionArg[])[], options?: SendOptions): Promise<TxHash>
}

/**
 * The client of the network. Nothing is sent until the first operation; a program that needs some
 * operations and a smaller bundle binds those to a client of `createClient` by `bindOperations`, or calls them with it.
 *
 * @example
 * const network = new NetClient('https://gateway.example', '11'.repeat(32))
 * const id = network.generateStreamId({ name: 'price of bread' })
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor defines every member of the interface
export class NetClient {
  /** Decodes a market's question; needs no client. */
  static readonly decodeMarketData = operations.decodeMarketData
  /** Decodes the basic parts of query components; needs no client. */
  static readonly decodeQueryComponents = operations.decodeQueryComponents

  /**
   * @param endpoint - http or https address of a node or gateway.
   * @param key - private key in hex, or a signer; without one the client only reads.
   * @param options - `timeoutMs` of one request in milliseconds, 30,000 when left out.
   * @throws StreamNetError invalid_argument when the endpoint or the key is malformed.
   */
  constructor(endpoint: string, key?: string | Signer, options: Omit<ClientOptions, 'endpoint' | 'signer'> = {}) {
    const signer = typeof key === 'string' ? createSigner(key) : key
    const client = createClient({ proveCall, ...options, endpoint, signer })
    const verbs = {
      call: (action: string, args: readonly ActionArg[]) => callAction(client, action, args),
      execute: (action: string, calls: readonly (readonly ActionArg[])[], sending?: SendOptions) =>
        sendTransaction(client, action, calls, sending),
    }
    Object.assign(this, bindOperations(client, operations), verbs)
  }
}
