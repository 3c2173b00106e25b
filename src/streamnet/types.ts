/** The words of the stream network: what its values, transactions and resources are made of. */

declare const brand: unique symbol

/** `T` that has passed the parser named `Name`, the only place that may cast to it: checked once, proven by the type. */
type Brand<T, Name extends string> = T & { readonly [brand]: Name }

/** `st` and 30 lower-case letters or digits; made by `parseStreamId`. */
export type StreamId = Brand<string, 'StreamId'>
/** `0x` and 40 lower-case hex digits; made by `parseAddress`. */
export type Address = Brand<string, 'Address'>
/** 64 lower-case hex digits without a prefix, as nodes write them; made by `parseTxHash`. */
export type TxHash = Brand<string, 'TxHash'>

/** The types a value on the wire may have; SQL's INT, INT8 and BIGINT are all `int8`. */
export type TypeName = 'text' | 'int8' | 'bool' | 'bytea' | 'uuid' | 'numeric' | 'null'

/** The full type of a value. Only `numeric` has precision and scale; they are 0 for all others. */
export interface DataType {
  readonly name: TypeName
  readonly isArray: boolean
  readonly precision: number
  readonly scale: number
}

/** One value: text, numeric (decimal text) and uuid (canonical text) are strings, `int8` is a bigint. */
export type Scalar = string | bigint | boolean | Uint8Array | null

/** A value with its wire type; arrays may hold nulls. */
export interface TypedValue {
  readonly type: DataType
  readonly value: Scalar | readonly Scalar[]
}

/** A value whose wire type follows from its JavaScript type. A number must be a safe integer. */
export type PlainArg = Scalar | number

/**
 * An argument of an action: plain, a list of plain ones, or with its type spelled out. Decimals always carry
 * their type (`numeric('1.5', 36, 18)`), because the node refuses text and other precisions.
 */
export type ActionArg = PlainArg | readonly PlainArg[] | TypedValue

/** A read of one view action. */
export interface ActionCall {
  readonly namespace: string
  readonly action: string
  readonly args: readonly TypedValue[]
}

/** A change: the action runs once per argument list, all in one transaction. No list means once, without arguments. */
export interface ActionExecution {
  readonly namespace: string
  readonly action: string
  readonly calls: readonly (readonly TypedValue[])[]
}

/** A transfer of the chain's native token, in its smallest unit. */
export interface Transfer {
  readonly to: Address
  readonly amount: bigint
}

/** A statement for the chain owner, with named parameters. */
export interface RawStatement {
  readonly statement: string
  readonly parameters: readonly { readonly name: string; readonly value: TypedValue }[]
}

/** Payload bytes and the word that says how to read them. */
export interface Payload {
  readonly type: 'execute' | 'maa_exec' | 'raw_statement' | 'transfer'
  readonly bytes: Uint8Array
}

/** A transaction that lacks nothing but a signature. */
export interface UnsignedTransaction {
  /** At most 200 bytes of text for people; part of what is signed. */
  readonly description: string
  readonly payload: Uint8Array
  /** The word for the payload, such as `execute`; a node may meet any. */
  readonly payloadType: string
  readonly fee: bigint
  /** One more than the account's last; starts at 1. */
  readonly nonce: number
  readonly chainId: string
  readonly sender: Address
}

/** A transaction as it goes to a node. */
export interface SignedTransaction extends UnsignedTransaction {
  /** 65 bytes R, S, V with V 0 or 1 (27 or 28 from wallets). The hash covers these bytes as they are. */
  readonly signature: Uint8Array
}

/** The outcome of a transaction that is in a block. */
export interface TxReceipt {
  readonly hash: TxHash
  /** Height of the block, from 1. */
  readonly height: number
  /** 0 when it succeeded. */
  readonly code: number
  /** The action's notices, then `ERROR: ...` when it failed. */
  readonly log: string
}

/** The kind of a stream: stored values, or values computed from children. */
export type StreamType = 'primitive' | 'composed'
/** The visibility of a stream: who may read it, or compute from it. */
export type Visibility = 'public' | 'private'
