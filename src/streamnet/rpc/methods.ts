/** The node's JSON-RPC dialect: its methods, and the JSON of their parameters and results. */

import type { SignInRequest } from '../signing/message.ts'

/** The path of the JSON-RPC endpoint below a node's base address. */
export const rpcPath = '/rpc/v1'

/** The error member of an answer. */
export interface RpcErrorBody {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** An answer: a result or an error, never both. */
export type RpcResponse =
  | { readonly jsonrpc: '2.0'; readonly id: number | string | null; readonly result: unknown }
  | { readonly jsonrpc: '2.0'; readonly id: number | string | null; readonly error: RpcErrorBody }

/** A transaction as JSON. An estimate of the price may leave signature, fee and nonce null. */
export interface TransactionJson {
  readonly signature: { readonly sig: string | null; readonly type: string }
  readonly body: {
    readonly desc: string
    /** Base64. */
    readonly payload: string
    readonly type: string
    /** Decimal digits. */
    readonly fee: string | null
    readonly nonce: number | null
    readonly chain_id: string
  }
  readonly serialization: string
  /** 40 hex digits without a prefix. */
  readonly sender: string
}

/** The outcome of a transaction, as JSON. */
export interface TxResultJson {
  readonly code: number
  readonly gas: number
  readonly log: string
  readonly events: unknown
}

/** The type of a column of a result. */
export interface ColumnType {
  readonly name: string
  readonly is_array: boolean
  /** Precision and scale; 0 and 0 for all but `numeric`. */
  readonly metadata: readonly number[] | null
}

/** A table of a result. Names and values may be null when there are no rows. */
export interface QueryResultJson {
  readonly column_names: readonly string[] | null
  readonly column_types: readonly ColumnType[] | null
  readonly values: readonly (readonly unknown[])[] | null
}

/** A view call as JSON. */
export interface CallJson {
  readonly body: {
    /** Base64 of the encoded action call. */
    readonly payload: string
    /** Base64; absent or null on an open node. */
    readonly challenge?: string | null
  }
  readonly auth_type: string
  /** 40 hex digits, or empty for an anonymous caller. */
  readonly sender: string
  /** Base64 of 65 bytes; empty or null on an open node. */
  readonly signature: string | null
}

/** An account's id as JSON. */
export interface AccountIdJson {
  /** 40 hex digits without a prefix. */
  readonly identifier: string
  readonly key_type: 'secp256k1'
}

/** Parameters and result of every method this client calls. */
export interface RpcMethods {
  'user.chain_info': {
    params: object
    result: { chain_id: string; block_height: number; block_hash: string; gas: boolean }
  }
  'user.account': {
    /** Status 1 counts what waits in the pool. */
    params: { id: AccountIdJson; status: 0 | 1 }
    result: { id?: AccountIdJson | null; balance: string; nonce: number }
  }
  'user.estimate_price': { params: { tx: TransactionJson }; result: { price: string } }
  'user.broadcast': {
    /** Sync 1 waits for the block. */
    params: { tx: TransactionJson; sync?: 0 | 1 }
    result: { tx_hash: string; result?: TxResultJson | null }
  }
  'user.tx_query': {
    params: { tx_hash: string }
    /** Height -1 while it waits in the pool. */
    result: { tx_hash: string; height: number; tx?: TransactionJson | null; tx_result?: TxResultJson | null }
  }
  'user.call': {
    params: CallJson
    result: { query_result: QueryResultJson | null; logs: string; error: string | null }
  }
  'chain.block': {
    params: { height: number }
    result: {
      hash: string
      block: {
        /** Today's nodes write names as their source has them, and the time in words. */
        header: { stamp_ms?: number; prev_hash?: string; Timestamp?: string; PrevHash?: string }
        /** Null for one whose body the node no longer has. */
        txns: readonly (TransactionJson | null)[] | null
      }
    }
  }
  'chain.block_header': {
    params: { height: number }
    /** Today's nodes write the header flat and the time in words. */
    result: { header?: { stamp_ms?: number }; Timestamp?: string; stamp_ms?: number }
  }
  'chain.block_result': {
    params: { height: number }
    /** Results in the order of the block's transactions; a log without text is left out by today's nodes. */
    result: { tx_results: readonly { readonly code: number; readonly log?: string }[] | null }
  }
  'user.challenge': { params: object; result: { challenge: string } }
  'kgw.authn_param': { params: object; result: SignInRequest }
  'kgw.authn': { params: { nonce: string; sender: string; signature: { sig: string; type: string } }; result: unknown }
}
