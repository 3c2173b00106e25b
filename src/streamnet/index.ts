/** The public face of the stream network client. */

export { parseAttestationPayload, verifyAttestationSignature } from './attestation.ts'
export { BulkInserter, type BulkInserterOptions, type BulkProgress } from './bulk-inserter.ts'
export {
  type BulkOptions,
  type BulkState,
  bulkDefaults,
  isBulkDone,
  parseBulkOptions,
  planChunks,
  resumeBulk,
  startBulk,
  stepBulk,
} from './bulk-job.ts'
export { type ClientOptions, createClient } from './client.ts'
export { dataType, nullValue, numeric, uuid } from './codec/value.ts'
export {
  BulkInsertError,
  isStreamNetError,
  StreamNetError,
  type StreamNetErrorCode,
  type StreamNetErrorData,
} from './errors.ts'
export {
  generateStreamId,
  isStreamId,
  parseAddress,
  parseStreamId,
  parseTxHash,
  toChecksumAddress,
} from './ids.ts'
export { LocalClient, type LocalClientOptions } from './local-client.ts'
export {
  decodeMarketData,
  decodeQueryComponents,
  encodeActionArgs,
  encodeQueryComponents,
  hashQueryComponents,
} from './market-data.ts'
export { NetClient, operations } from './net-client.ts'
export type { CallResult, Chain, Client, SendOptions, WaitOptions } from './ports.ts'
export { recoverPersonalMessage } from './signing/digest.ts'
export {
  createSigner,
  createWalletSigner,
  type DigestSigner,
  type Signer,
  type WalletProvider,
} from './signing/signer.ts'
export { createNonceSource, type NonceSource } from './transaction/nonce.ts'
export type * from './types.ts'
export { type World, world } from './world.ts'
