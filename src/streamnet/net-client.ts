/** The client with every operation on it. */

import { type ClientOptions, createClient } from './client.ts'
import * as market from './market-data.ts'
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
  /** Reads any view action. */
  call(action: string, args: readonly ActionArg[]): Promise<CallResult>
  /** Sends one transaction in which an action runs once for each list of arguments. */
  execute(action: string, calls: readonly (readonly ActionArg[])[], options?: SendOptions): Promise<TxHash>
  getRecords(params: records.ReadParams & records.WithCache): Promise<records.Cached<Readonly<Cacheable>>>
  getRecords(params: records.ReadParams): Promise<Readonly<Cacheable>>
  getIndex(params: records.ReadParams & records.WithCache): Promise<records.Cached<Readonly<Cacheable>>>
  getIndex(params: records.ReadParams): Promise<Readonly<Cacheable>>
  getIndexChange(
    params: records.ChangeParams & records.WithCache,
  ): Promise<records.Cached<Readonly<Cacheable>>>
  getIndexChange(params: records.ChangeParams): Promise<Readonly<Cacheable>>
  getFirstRecord(
    params: records.FirstRecordParams & records.WithCache,
  ): Promise<records.Cached<records.StreamRecord | null>>
  getFirstRecord(params: records.FirstRecordParams): Promise<records.StreamRecord | null>
  getLastRecord(
    params: records.LastRecordParams & records.WithCache,
  ): Promise<records.Cached<records.StreamRecord | null>>
  getLastRecord(params: records.LastRecordParams): Promise<records.StreamRecord | null>
}

/**
 * The client of the network. Nothing is sent until the first operation; a program that needs only one operation and
 * a smaller bundle takes `createClient` and the operation's function.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor defines every member of the interface
export class NetClient {
  /** Decodes a market's question; needs no client. */
  static readonly decodeMarketData = market.decodeMarketData
  /** Decodes the basic parts of query components; needs no client. */
  static readonly decodeQueryComponents = market.decodeQueryComponents

  /**
   * @param endpoint - address of a node or gateway.
   * @param key - private key in hex, or a signer; without one the client only reads.
   * @throws invalid_argument
   */
  constructor(
    endpoint: string,
    key?: string | Signer,
    options: Omit<ClientOptions, 'endpoint' | 'signer'> = {},
  ) {
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
      (...rest: readonly unknown[]) => (operation as (...args: unknown[]) => unknown)(client, ...rest),
    ])
    Object.assign(this, client, verbs, Object.fromEntries(bound))
  }
}
