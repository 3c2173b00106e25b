/** The client with every operation on it. */

import { type ClientOptions, createClient } from './client.ts'
import type * as records from './operations/records.ts'
import * as operations from './operations.ts'
import type { CallResult, Client, SendOptions } from './ports.ts'
import { callAction } from './rpc/call.ts'
import { createSigner, type Signer } from './signing/signer.ts'
import { sendTransaction } from './transaction/send.ts'
import type { ActionArg, TxHash } from './types.ts'

type Operations = typeof operations
type Bound<T> = {
  [K in keyof T]: T[K] extends (client: Client, ...rest: infer Rest) => infer R ? (...rest: Rest) => R : never
}

// Inference sees only the last overload of a function; these five have two.
type Reading = 'getRecords' | 'getIndex' | 'getIndexChange' | 'getFirstRecord' | 'getLastRecord'
type Cacheable = records.StreamRecord[]

/** Every operation of the network, bound to an endpoint and a key. */
export interface NetClient extends Client, Omit<Bound<Operations>, Reading> {
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
  /**
   * Reads records. With `useCache` the answer tells about the node's cache.
   *
   * @param params - `dateFrom` and `dateTo` are Unix times in seconds, both included.
   * @throws StreamNetError as `getRecords` does.
   */
  getRecords(params: records.ReadParams & records.WithCache): Promise<records.Cached<Readonly<Cacheable>>>
  getRecords(params: records.ReadParams): Promise<Readonly<Cacheable>>
  /**
   * Reads an index: 100 at the base date. With `useCache` the answer tells about the node's cache.
   *
   * @param params - `dateFrom`, `dateTo` and `baseDate` are Unix times in seconds.
   * @throws StreamNetError as `getIndex` does.
   */
  getIndex(params: records.ReadParams & records.WithCache): Promise<records.Cached<Readonly<Cacheable>>>
  getIndex(params: records.ReadParams): Promise<Readonly<Cacheable>>
  /**
   * Reads changes of an index in percent. With `useCache` the answer tells about the node's cache.
   *
   * @param params - `timeInterval` is in seconds, from 1.
   * @throws StreamNetError as `getIndexChange` does.
   */
  getIndexChange(params: records.ChangeParams & records.WithCache): Promise<records.Cached<Readonly<Cacheable>>>
  getIndexChange(params: records.ChangeParams): Promise<Readonly<Cacheable>>
  /**
   * Reads the first record at or after a date; null when there is none. With `useCache` the answer tells about the node's cache.
   *
   * @param params - `afterDate` is Unix time in seconds, included.
   * @throws StreamNetError as `getFirstRecord` does.
   */
  getFirstRecord(
    params: records.FirstRecordParams & records.WithCache,
  ): Promise<records.Cached<records.StreamRecord | null>>
  getFirstRecord(params: records.FirstRecordParams): Promise<records.StreamRecord | null>
  /**
   * Reads the last record before a date; null when there is none. With `useCache` the answer tells about the node's cache.
   *
   * @param params - `beforeDate` is Unix time in seconds.
   * @throws StreamNetError as `getLastRecord` does.
   */
  getLastRecord(
    params: records.LastRecordParams & records.WithCache,
  ): Promise<records.Cached<records.StreamRecord | null>>
  getLastRecord(params: records.LastRecordParams): Promise<records.StreamRecord | null>
}

/**
 * The client of the network. Nothing is sent until the first operation; a program that needs only one operation and
 * a smaller bundle takes `createClient` and the operation's function.
 *
 * @example
 * ```ts
 * const network = new NetClient('https://gateway.example', '11'.repeat(32))
 * const id = network.generateStreamId({ name: 'price of bread' })
 * ```
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
    const client = createClient({ ...options, endpoint, signer })
    const verbs = {
      call: (action: string, args: readonly ActionArg[]) => callAction(client, action, args),
      execute: (action: string, calls: readonly (readonly ActionArg[])[], sending?: SendOptions) =>
        sendTransaction(client, action, calls, sending),
    }
    // Each operation takes the client first; what follows is typed by the interface.
    const bound = Object.entries(operations).map(([name, operation]) => [
      name,
      (params: unknown) => (operation as (...args: unknown[]) => unknown)(client, params ?? {}),
    ])
    Object.assign(this, client, verbs, Object.fromEntries(bound))
  }
}
