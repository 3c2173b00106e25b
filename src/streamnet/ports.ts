/** The ports of operations: a client that reaches a node and may sign. */

import type { Platform } from './platform.ts'
import type { RpcMethods, TransactionJson } from './rpc/methods.ts'
import type { ProveCall } from './rpc/prove-call.ts'
import type { Table } from './rpc/table.ts'
import type { Transport } from './rpc/transport.ts'
import type { Signer } from './signing/signer.ts'
import type { NonceSource } from './transaction/nonce.ts'
import type { ActionArg, TxHash } from './types.ts'

/** The time to wait. */
export interface WaitOptions {
  /** Milliseconds; 120,000 when left out. */
  readonly timeoutMs?: number | undefined
}

/** Options of sending; every operation that changes something takes these. */
export interface SendOptions extends WaitOptions {
  /** True (when left out) to return when the transaction has succeeded in a block, false when it is in the pool. */
  readonly wait?: boolean | undefined
  /** Text for people, at most 200 bytes; public on the chain. */
  readonly description?: string | undefined
}

/** The chain behind an endpoint. */
export interface Chain {
  readonly chainId: string
  /** True when transactions cost a fee. */
  readonly hasFees: boolean
}

/** The answer of a view action. */
export interface CallResult extends Table {
  /** The action's notices, one line each, without their numbers. */
  readonly logs: readonly string[]
}

/** The client that operations take. `createClient` makes one; `NetClient` is one with every operation bound. */
export interface Client {
  readonly signer: Signer | undefined
  /** Repeats a refused read as the signer. */
  readonly proveCall?: ProveCall | undefined
  readonly platform: Platform
  readonly nonces: NonceSource
  /** Called with every transaction after it is signed and before it is sent, so that a caller can keep it. */
  readonly onSigned?: ((hash: TxHash, transaction: TransactionJson) => void) | undefined
  /** Asks the node once, then remembers. */
  chain(): Promise<Chain>
  readonly transport: Transport
  /** The chain the caller means, when it named one. */
  readonly chainId: string | undefined
  /**
   * Reads a view where the node is a part of the same program, without the forms of the wire. Undefined means that the
   * node has to be asked over the wire, which also tells what is wrong; nothing has changed then.
   */
  readonly view?: ((action: string, args: readonly ActionArg[]) => Promise<CallResult | undefined>) | undefined
  /** Ends what this client does when it aborts; `withOptions` gives one. */
  readonly signal?: AbortSignal | undefined
  /** Calls a method of the node; one that changes nothing is repeated when the connection fails. */
  request<M extends keyof RpcMethods>(
    method: M,
    params: RpcMethods[M]['params'],
    signal?: AbortSignal,
  ): Promise<RpcMethods[M]['result']>
}
