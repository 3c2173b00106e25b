/** Visibility of a stream to readers and to streams that compose it. */

import { invalidArgument } from '../errors.ts'
import { parseAddress } from '../ids.ts'
import type { Client, SendOptions } from '../ports.ts'
import type { TxHash, Visibility } from '../types.ts'
import { insertMetadata, readMetadata, removeRef, type StreamParams } from './metadata.ts'

type VisibilityParams = { readonly streamId: string; readonly visibility: Visibility } & SendOptions
type WalletParams = { readonly streamId: string; readonly walletAddress: string } & SendOptions

/**
 * Sets who may read one's own stream: all, or the wallets that are allowed to.
 *
 * @param params - `visibility` is `public` or `private`.
 * @throws StreamNetError invalid_argument when the id or the visibility is malformed, or the client has no
 * signer.
 *
 * @example
 * await setReadVisibility(client, { streamId, visibility: 'private' })
 */
export async function setReadVisibility(client: Client, params: VisibilityParams): Promise<TxHash> {
  return insertMetadata(client, params, ['read_visibility', toNumber(params.visibility), 'int'])
}

/**
 * Sets who may compose one's own stream: all, or the streams that are allowed to.
 *
 * @param params - `visibility` is `public` or `private`.
 * @throws StreamNetError invalid_argument when the id or the visibility is malformed, or the client has no
 * signer.
 *
 * @example
 * await setComposeVisibility(client, { streamId, visibility: 'private' })
 */
export async function setComposeVisibility(client: Client, params: VisibilityParams): Promise<TxHash> {
  return insertMetadata(client, params, ['compose_visibility', toNumber(params.visibility), 'int'])
}

/**
 * Tells who may read a stream; public when it was never set.
 *
 * @param params - `dataProvider` is `0x` and 40 hex digits; one's own when left out.
 * @throws StreamNetError invalid_argument when the id or the address is malformed, or there is neither
 * provider nor signer.
 *
 * @example
 * const visibility = await getReadVisibility(client, { streamId })
 */
export async function getReadVisibility(client: Client, params: StreamParams): Promise<Visibility> {
  return readVisibility(client, params, 'read_visibility')
}

/**
 * Tells who may compose a stream; public when it was never set.
 *
 * @param params - `dataProvider` is `0x` and 40 hex digits; one's own when left out.
 * @throws StreamNetError invalid_argument when the id or the address is malformed, or there is neither
 * provider nor signer.
 *
 * @example
 * const visibility = await getComposeVisibility(client, { streamId })
 */
export async function getComposeVisibility(client: Client, params: StreamParams): Promise<Visibility> {
  return readVisibility(client, params, 'compose_visibility')
}

/**
 * Allows a wallet to read one's own private stream.
 *
 * @param params - `walletAddress` is `0x` and 40 hex digits.
 * @throws StreamNetError invalid_argument when the id or the address is malformed, or the client has no
 * signer.
 *
 * @example
 * await allowReadWallet(client, { streamId, walletAddress: friend })
 */
export async function allowReadWallet(client: Client, params: WalletParams): Promise<TxHash> {
  return insertMetadata(client, params, ['allow_read_wallet', parseWallet(params), 'ref'])
}

/**
 * Takes back what `allowReadWallet` allowed.
 *
 * @param params - `walletAddress` is `0x` and 40 hex digits.
 * @throws StreamNetError invalid_argument when the id or the address is malformed, or the client has no
 * signer.
 * @throws StreamNetError not_found when the wallet was never allowed.
 *
 * @example
 * await allowReadWallet(client, { streamId, walletAddress: friend })
 * await disableReadWallet(client, { streamId, walletAddress: friend })
 */
export async function disableReadWallet(client: Client, params: WalletParams): Promise<TxHash> {
  return removeRef(client, params, ['allow_read_wallet', parseWallet(params)])
}

/**
 * The wallets that may read a stream while it is private.
 *
 * @param params - `dataProvider` is `0x` and 40 hex digits; one's own when left out.
 * @throws StreamNetError invalid_argument when the id or the address is malformed, or there is neither
 * provider nor signer.
 *
 * @example
 * const wallets = await getAllowedReadWallets(client, { streamId })
 */
export async function getAllowedReadWallets(client: Client, params: StreamParams): Promise<readonly string[]> {
  return readRefs(client, params, 'allow_read_wallet')
}

/**
 * The ids of the streams that may compose a stream while that is private.
 *
 * @param params - `dataProvider` is `0x` and 40 hex digits; one's own when left out.
 * @throws StreamNetError invalid_argument when the id or the address is malformed, or there is neither
 * provider nor signer.
 *
 * @example
 * const parents = await getAllowedComposeStreams(client, { streamId })
 */
export async function getAllowedComposeStreams(client: Client, params: StreamParams): Promise<readonly string[]> {
  return readRefs(client, params, 'allow_compose_stream')
}

async function readVisibility(client: Client, params: StreamParams, key: string): Promise<Visibility> {
  const [row] = await readMetadata(client, params, [key, null, 1])
  return row?.valueI === 1 ? 'private' : 'public'
}

async function readRefs(client: Client, params: StreamParams, key: string): Promise<readonly string[]> {
  const rows = await readMetadata(client, params, [key, null, null])
  return rows.flatMap(({ valueRef }) => valueRef ?? [])
}

function toNumber(visibility: Visibility): string {
  if (visibility === 'public') return '0'
  if (visibility === 'private') return '1'
  throw invalidArgument(`visibility is "${visibility}", expected public or private`)
}

function parseWallet({ walletAddress }: WalletParams): string {
  return parseAddress(walletAddress, 'wallet_address')
}
