/** The client of one node's own streams: off the chain, free, and owned by the node's operator. */

import { sha256 } from '@noble/hashes/webcrypto.js'
import { encodeBase64 } from '../base/base64.ts'
import { canonicalJson, parseExactJson } from '../base/canonical-json.ts'
import { encodeUtf8 } from '../base/utf8.ts'
import { invalidArgument } from './errors.ts'
import { parseStreamId } from './ids.ts'
import { defaultPlatform, type Platform } from './platform.ts'
import {
  type LocalIndex,
  type LocalParams,
  type LocalRange,
  type LocalRecord,
  type LocalRecordInput,
  type LocalStreamInfo,
  readIndex,
  readRecords,
  readStreams,
  writeDecimal,
  writeInteger,
  writeRange,
} from './rpc/local-json.ts'
import { createTransport, readBudget, type Transport, type TransportOptions } from './rpc/transport.ts'
import { digestLocalAuth, encodeLocalAuth } from './signing/local-auth.ts'
import { createSigner, type DigestSigner } from './signing/signer.ts'
import type { StreamType } from './types.ts'

/** Options of a client of one node. */
export interface LocalClientOptions extends Omit<TransportOptions, 'endpoint' | 'json'> {
  /** The admin server's password, when it asks for one. */
  readonly adminPassword?: string | undefined
}

/**
 * Manages the streams of one node through its admin server, port 8485.
 *
 * With the operator's key every request carries a signed envelope, whose time grows with each request: two
 * equal requests in one millisecond would have one signature, and the node would take the second for a replay.
 *
 * @example
 * const node = new LocalClient('http://127.0.0.1:8485', '11'.repeat(32))
 */
export class LocalClient {
  readonly #transport: Transport
  readonly #signer: DigestSigner | undefined
  readonly #platform: Platform
  #lastTs = 0

  /**
   * @param adminUrl - http or https address of the admin server.
   * @param operator - private key of the node's operator, or a signer of it; needed when the node asks for
   * signatures.
   * @param options - `timeoutMs` of one request in milliseconds, 30,000 when left out.
   * @throws StreamNetError invalid_argument when the address or the key is malformed.
   */
  constructor(adminUrl: string, operator?: string | DigestSigner, options: LocalClientOptions = {}) {
    const { adminPassword, headers, platform = defaultPlatform } = options
    // The server checks only the password.
    const basic = adminPassword && { authorization: `Basic ${encodeBase64(encodeUtf8(`:${adminPassword}`))}` }
    this.#platform = platform
    this.#signer = typeof operator === 'string' ? createSigner(operator) : operator
    this.#transport = createTransport({
      ...options,
      endpoint: adminUrl,
      headers: { ...basic, ...headers },
      json: { parse: parseExactJson, stringify: canonicalJson },
    })
  }

  /**
   * Creates a stream.
   *
   * @param params - `streamId` is `st` and 30 lower-case letters or digits; `streamType` is `primitive` or
   * `composed`.
   * @throws StreamNetError invalid_argument when the id or the type is malformed.
   * @throws StreamNetError rpc_error when the node refuses it.
   */
  async createStream(params: { readonly streamId: string; readonly streamType: StreamType }): Promise<void> {
    const { streamId, streamType } = params
    if (streamType !== 'primitive' && streamType !== 'composed') {
      throw invalidArgument(`stream_type must be 'primitive' or 'composed', got "${streamType}"`)
    }
    await this.#change('local.create_stream', { stream_id: parseStreamId(streamId), stream_type: streamType })
  }

  /**
   * Removes a stream with its records and taxonomies, also where it is a child.
   *
   * @param params - `streamId` is `st` and 30 lower-case letters or digits.
   * @throws StreamNetError invalid_argument when the id is malformed.
   * @throws StreamNetError rpc_error when the node refuses it.
   */
  async deleteStream(params: { readonly streamId: string }): Promise<void> {
    await this.#change('local.delete_stream', { stream_id: parseStreamId(params.streamId) })
  }

  /**
   * Inserts records into a primitive stream. Zeros are dropped.
   *
   * @param params - `eventTime` is Unix time in seconds, `value` decimal text or a number.
   * @throws StreamNetError invalid_argument when there is no record, or one is malformed.
   * @throws StreamNetError rpc_error when the node refuses it.
   */
  async insertRecords(params: {
    readonly streamId: string
    readonly records: readonly LocalRecordInput[]
  }): Promise<void> {
    await this.batchInsertRecords({ batches: [params] })
  }

  /**
   * Inserts records into many primitive streams in one request.
   *
   * @param params - `batches` of records by stream; `eventTime` is Unix time in seconds.
   * @throws StreamNetError invalid_argument when there is no record, or one is malformed.
   * @throws StreamNetError rpc_error when the node refuses it.
   */
  async batchInsertRecords(params: {
    readonly batches: readonly { readonly streamId: string; readonly records: readonly LocalRecordInput[] }[]
  }): Promise<void> {
    const rows = params.batches.flatMap(({ streamId, records }) => {
      const id = parseStreamId(streamId)
      return records.map((record) => ({ id, ...record }))
    })
    if (rows.length === 0) throw invalidArgument('records must not be empty')
    await this.#change('local.insert_records', {
      stream_id: rows.map(({ id }) => id),
      event_time: rows.map(({ eventTime }) => writeInteger(eventTime, 'event_time')),
      value: rows.map(({ value }) => writeDecimal(value, 'value')),
    })
  }

  /**
   * Gives a composed stream a new version of its children.
   *
   * @param params - as many `weights`, decimal text or numbers, as `childStreamIds`; `startDate` is Unix time
   * in seconds.
   * @throws StreamNetError invalid_argument when there is no child, or an id, a weight or the date is
   * malformed.
   * @throws StreamNetError rpc_error when the node refuses it.
   */
  async insertTaxonomy(params: {
    readonly streamId: string
    readonly childStreamIds: readonly string[]
    readonly weights: readonly (string | number)[]
    /** Unix time in seconds; 0 when left out. */
    readonly startDate?: number | undefined
  }): Promise<void> {
    const { streamId, childStreamIds, weights, startDate = 0 } = params
    if (childStreamIds.length === 0) throw invalidArgument('there must be at least 1 child')
    if (childStreamIds.length !== weights.length) throw invalidArgument('child array lengths mismatch')
    if (startDate < 0) throw invalidArgument('start_date must be >= 0')
    await this.#change('local.insert_taxonomy', {
      stream_id: parseStreamId(streamId),
      child_stream_ids: childStreamIds.map(parseStreamId),
      weights: weights.map((weight) => writeDecimal(weight, 'weight')),
      start_date: writeInteger(startDate, 'start_date'),
    })
  }

  /**
   * Takes a version of a stream's children out of use.
   *
   * @param params - `groupSequence` is the number of the version, from 0.
   * @throws StreamNetError invalid_argument when the id or the number is malformed.
   * @throws StreamNetError rpc_error when the node refuses it.
   */
  async disableTaxonomy(params: { readonly streamId: string; readonly groupSequence: number }): Promise<void> {
    const { streamId, groupSequence } = params
    if (groupSequence < 0) throw invalidArgument('group_sequence must be >= 0')
    await this.#change('local.disable_taxonomy', {
      stream_id: parseStreamId(streamId),
      group_sequence: writeInteger(groupSequence, 'group_sequence'),
    })
  }

  /**
   * Reads records.
   *
   * @param params - `fromTime` and `toTime` are Unix times in seconds, both included.
   * @throws StreamNetError invalid_argument when the id or the range is malformed.
   * @throws StreamNetError malformed_response when a member of the answer is missing or malformed.
   * @throws StreamNetError rpc_error when the node refuses it.
   */
  async getRecord(params: LocalRange): Promise<readonly LocalRecord[]> {
    return readRecords(await this.#read('local.get_record', writeRange(params)))
  }

  /**
   * Reads an index: 100 at the base time, or at the first record.
   *
   * @param params - `fromTime`, `toTime` and `baseTime` are Unix times in seconds.
   * @throws StreamNetError invalid_argument when the id or the range is malformed.
   * @throws StreamNetError malformed_response when a member of the answer is missing or malformed.
   * @throws StreamNetError rpc_error when the node refuses it.
   */
  async getIndex(
    params: LocalRange & { readonly baseTime?: number | bigint | undefined },
  ): Promise<readonly LocalIndex[]> {
    const { baseTime } = params
    const base = baseTime !== undefined && { base_time: writeInteger(baseTime, 'base_time') }
    return readIndex(await this.#read('local.get_index', { ...writeRange(params), ...base }))
  }

  /**
   * Lists every stream of the node.
   *
   * @throws StreamNetError malformed_response when a member of the answer is missing or malformed.
   * @throws StreamNetError rpc_error when the node refuses it.
   */
  async listStreams(): Promise<readonly LocalStreamInfo[]> {
    return readStreams(await this.#read('local.list_streams', {}))
  }

  async #change(method: string, params: LocalParams): Promise<void> {
    await this.#transport.request(method, await this.#signed(method, params))
  }

  async #read(method: string, params: LocalParams): Promise<unknown> {
    // A signature is good for one request: the node takes a second one for a replay.
    const budget = this.#signer ? undefined : readBudget
    return this.#transport.request(method, await this.#signed(method, params), budget)
  }

  async #signed(method: string, params: LocalParams): Promise<object> {
    if (!this.#signer) return params
    const ts = Math.max(this.#platform.now(), this.#lastTs + 1)
    this.#lastTs = ts
    const hash = await sha256(encodeUtf8(canonicalJson(params)))
    const signature = await this.#signer.signDigest(digestLocalAuth(method, hash, ts))
    return { ...params, _auth: encodeLocalAuth(signature, ts) }
  }
}
