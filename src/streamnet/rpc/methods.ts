/** The node's JSON-RPC dialect: its methods, the JSON of their parameters and results, and its error numbers. */

import { decodeBase64, encodeBase64 } from '../../base/base64.ts'
import { decodeHex } from '../../base/hex.ts'
import { serializationType, signatureType } from '../codec/transaction.ts'
import { dataType, isTypeName } from '../codec/value.ts'
import { malformedBytes } from '../errors.ts'
import { addressFromBytes } from '../ids.ts'
import type { SignInRequest } from '../signing/message.ts'
import type { Address, DataType, Scalar, SignedTransaction, UnsignedTransaction } from '../types.ts'

/** The path of the JSON-RPC endpoint below a node's base address. */
export const rpcPath = '/rpc/v1'

/** A request as it is posted. Parameters are always an object. */
export interface RpcRequest {
  readonly jsonrpc: '2.0'
  /** Number or text, never 0 or null. */
  readonly id: number | string
  readonly method: string
  readonly params: object
}

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

/** What became of a transaction, as JSON. */
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
  'user.version': {
    params: object
    result: {
      service: string
      api_ver: string
      major: number
      minor: number
      patch: number
      kwil_ver: string
    }
  }
  'user.ping': { params: { message: string }; result: { message: string } }
  'user.health': {
    params: object
    result: {
      chain_id: string
      block_height: number
      block_hash: string
      /** True when transactions cost a fee. */
      gas: boolean
      healthy: boolean
      version: string
      block_time: number
      block_age: number
      syncing: boolean
      height: number
      app_hash: string
      peer_count: number
      /** In private mode every call is signed over a challenge. */
      mode: 'open' | 'private'
    }
  }
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
  'chain.block_result': {
    params: { height: number }
    /** Results in the order of the block's transactions; a log without text is left out by today's nodes. */
    result: { tx_results: readonly { readonly code: number; readonly log?: string }[] | null }
  }
  'user.challenge': { params: object; result: { challenge: string } }
  'kgw.authn_param': { params: object; result: SignInRequest }
  'kgw.authn': {
    params: { nonce: string; sender: string; signature: { sig: string; type: string } }
    result: unknown
  }
}

/** The JSON-RPC error numbers of a node, a gateway, and the standard. */
export const rpcErrorCodes = {
  parse: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  resultEncoding: -32000,
  timeout: -32001,
  txInternal: -200,
  broadcast: -201,
  txNotFound: -202,
  txPayloadInvalid: -203,
  blockNotFound: -204,
  engineInternal: -300,
  namespaceNotFound: -301,
  namespaceExists: -302,
  accountInternal: -400,
  databaseInternal: -500,
  identity: -600,
  identityInvalid: -601,
  nodeInternal: -700,
  gatewayNotAuthorized: -901,
  gatewayInvalidPayload: -902,
  gatewayNotAllowed: -903,
  gatewayNotFound: -904,
  gatewayTooManyRequests: -905,
  gatewayMethodNotAllowed: -906,
  challengeNeeded: -1001,
  challengeLength: -1002,
  challengeExpired: -1003,
  challengeSignature: -1004,
  challengeAuthType: -1005,
  tooManyChallenges: -1006,
  noQueryInPrivateMode: -1007,
} as const

/** The result codes of a transaction, at broadcast and in a block. */
export const txCodes = {
  ok: 0,
  encoding: 1,
  invalidType: 2,
  invalidSignature: 3,
  invalidNonce: 4,
  wrongChain: 5,
  insufficientBalance: 6,
  insufficientFee: 7,
  invalidAmount: 8,
  invalidSender: 9,
  commitTimeout: 10,
  mempoolFull: 11,
  invalidSchema: 100,
  namespaceMissing: 110,
  namespaceExists: 120,
  invalidResolution: 130,
  networkInMigration: 200,
  networkHalted: 201,
  unknown: 65535,
} as const

/** Writes an account's id as JSON. */
export function accountIdToJson(address: Address): AccountIdJson {
  return { identifier: address.slice(2), key_type: 'secp256k1' }
}

/** Writes a signed transaction as JSON. */
export function transactionToJson(transaction: SignedTransaction): TransactionJson {
  return toJson(transaction, encodeBase64(transaction.signature), `${transaction.fee}`, transaction.nonce)
}

/** Writes a transaction without signature, fee and nonce, to ask what it would cost. */
export function estimateToJson(transaction: Omit<UnsignedTransaction, 'fee' | 'nonce'>): TransactionJson {
  return toJson(transaction, null, null, null)
}

function toJson(
  transaction: Omit<UnsignedTransaction, 'fee' | 'nonce'>,
  sig: string | null,
  fee: string | null,
  nonce: number | null,
): TransactionJson {
  return {
    signature: { sig, type: signatureType },
    body: {
      desc: transaction.description,
      payload: encodeBase64(transaction.payload),
      type: transaction.payloadType,
      fee,
      nonce,
      chain_id: transaction.chainId,
    },
    serialization: serializationType,
    sender: transaction.sender.slice(2),
  }
}

/**
 * Reads a signed transaction from JSON.
 *
 * @throws malformed_bytes when a member is missing, of the wrong type, or not the encoding it should be; a
 * sender with `0x` is one of those.
 */
export function transactionFromJson(json: unknown): SignedTransaction {
  try {
    // Every member is checked below before it is used; a missing object throws and is caught.
    const { signature, body, sender, serialization } = json as TransactionJson
    const [fee, nonce] = [body.fee ?? '0', body.nonce]
    const isShaped =
      signature.type === signatureType &&
      serialization === serializationType &&
      /^[0-9a-fA-F]{40}$/.test(sender) &&
      /^\d{1,100}$/.test(fee) &&
      Number.isSafeInteger(nonce) &&
      [body.desc, body.type, body.chain_id].every((text) => typeof text === 'string')
    if (!isShaped) throw new TypeError('a member has another form')
    return {
      description: body.desc,
      payload: decodeBase64(body.payload),
      payloadType: body.type,
      fee: BigInt(fee),
      nonce: Number(nonce),
      chainId: body.chain_id,
      sender: addressFromBytes(decodeHex(sender)),
      signature: decodeBase64(signature.sig ?? ''),
    }
  } catch (cause) {
    // The decoders and the check above throw Errors.
    throw malformedBytes(`Cannot read transaction: ${(cause as Error).message}`)
  }
}

/** Writes a type as the type of a column. */
export function columnTypeOf(type: DataType): ColumnType {
  return { name: type.name, is_array: type.isArray, metadata: [type.precision, type.scale] }
}

/** Reads the type of a column; an unknown name is undefined. */
export function dataTypeOf(column: ColumnType): DataType | undefined {
  if (!isTypeName(column.name)) return undefined
  return dataType(column.name, column.is_array, column.metadata?.[0] ?? 0, column.metadata?.[1] ?? 0)
}

/** Writes a value as a cell: int8 as decimal text, bytea as base64, all others as they are. */
export function encodeCell(value: Scalar | readonly Scalar[]): unknown {
  if (Array.isArray(value)) return value.map(encodeCell)
  if (typeof value === 'bigint') return `${value}`
  return value instanceof Uint8Array ? encodeBase64(value) : value
}

/**
 * Reads a cell by the type of its column, never by its looks: base64 that begins with `0x` is base64.
 *
 * @throws TypeError when the cell is not of that type.
 */
export function decodeCell(cell: unknown, column: ColumnType): Scalar | readonly Scalar[] {
  if (!column.is_array || cell === null) return decodeScalar(cell, column.name)
  if (!Array.isArray(cell)) throw wrongCell(column.name)
  return cell.map((one) => decodeScalar(one, column.name))
}

function decodeScalar(cell: unknown, name: string): Scalar {
  if (cell === null || cell === undefined) return null
  if (name === 'bool' && typeof cell === 'boolean') return cell
  if (
    name === 'int8' &&
    (typeof cell === 'string' ? /^-?\d{1,19}$/.test(cell) : Number.isSafeInteger(cell))
  ) {
    // Tested one line above: digits, or a safe integer as older nodes write it.
    return BigInt(cell as string | number)
  }
  if (name === 'bytea' && typeof cell === 'string') return decodeBytes(cell)
  if ((name === 'text' || name === 'numeric' || name === 'uuid') && typeof cell === 'string') return cell
  throw wrongCell(name)
}

// Base64 has a length of a multiple of four, with any beginning. Old nodes wrote 0x and hex, old gateways
// 0x and base64; what has another length can only be one of those.
function decodeBytes(cell: string): Uint8Array {
  if (cell.length % 4 === 0 || !cell.startsWith('0x')) return decodeBase64(cell)
  const rest = cell.slice(2)
  return /^([0-9a-f]{2})*$/i.test(rest) ? decodeHex(rest) : decodeBase64(rest)
}

function wrongCell(name: string): TypeError {
  return new TypeError(`a cell is not of type ${name}`)
}

/** A challenge or signature in base64, from hex or bytes. */
export function hexToBase64(hex: string): string {
  return encodeBase64(decodeHex(hex))
}
