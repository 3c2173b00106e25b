/** The public face of the stream network client. */

export { type Attested, type AttestParams, attest } from './attest.ts'
export type { AttestedRow, ParsedAttestation, VerifiedAttestation } from './attestation.ts'
export { parseAttestationPayload, verifyAttestationSignature } from './attestation.ts'
export { readEach } from './batch.ts'
export { BulkInserter, type BulkInserterOptions, type BulkProgress } from './bulk/inserter.ts'
export { type BulkState, isBulkDone, planChunks, startBulk } from './bulk/job.ts'
export { type BulkOptions, bulkDefaults, parseBulkOptions } from './bulk/options.ts'
export { resumeBulk, stepBulk } from './bulk/step.ts'
export { type CallOptions, withOptions } from './call-options.ts'
export { type BoundOperations, bindOperations, type ClientOptions, createClient } from './client.ts'
export { isBinaryAction } from './codec/attestation.ts'
export { dataType, nullValue, numeric, uuid } from './codec/value.ts'
export { deployComposedStream } from './compose.ts'
export type { ConsolidatedBook, ConsolidatedLevel } from './consolidated-book.ts'
export {
  BulkInsertError,
  isStreamNetError,
  StreamNetError,
  type StreamNetErrorCode,
  type StreamNetErrorData,
} from './errors.ts'
export { bucketBoundsFromMarketData } from './forecast/bounds.ts'
export type { ForecastBasis } from './forecast/distribution.ts'
export { type ForecastBucket, forecastFromDepth, type MarketForecast } from './forecast/forecast.ts'
export type { Bucket, BucketBounds } from './forecast/quote.ts'
export { type GatewayBlock, watchBlockEvents } from './gateway/blocks.ts'
export { watchMarketEvents } from './gateway/market.ts'
export {
  generateStreamId,
  isStreamId,
  parseAddress,
  parseStreamId,
  parseTxHash,
  toChecksumAddress,
} from './ids.ts'
export { LocalClient, type LocalClientOptions } from './local-client.ts'
export type { DecodedMarketData, DecodedQueryComponents } from './market-data.ts'
export type { MarketQuestion } from './market-question.ts'
export { encodeActionArgs, encodeQueryComponents, hashQueryComponents } from './market-question.ts'
export { findStreamByName, listStreamNames, type NamedStream, setStreamName } from './names.ts'
export { NetClient } from './net-client.ts'
export type { AgentEvent } from './operations/agent-reads.ts'
export type { AgentRuleTerms } from './operations/agent-rules.ts'
export type { ListedAttestation } from './operations/attestation.ts'
export type { BridgeRecord, OrderedBalance } from './operations/bridge.ts'
export type { Taxonomy, TaxonomyEntry } from './operations/composition.ts'
export type { FeeMode, LastTransaction, TransactionEvent, TransactionFee } from './operations/ledger.ts'
export type { MarketTerms } from './operations/market-creation.ts'
export type { MarketByHash, MarketInfo, MarketSummary } from './operations/markets.ts'
export type { OrderBookEntry } from './operations/order-book.ts'
export type { Collateral, OrderEvent, Position } from './operations/positions.ts'
export type { Finding } from './operations/prechecks.ts'
export type { ProcedureResult } from './operations/procedures.ts'
export type { ChangeParams, ReadParams } from './operations/records.ts'
export type { RoleMember } from './operations/roles.ts'
export type { ExtremeParams, FirstRecordParams, LastRecordParams } from './operations/single-records.ts'
export type { ListedStream, StreamLocator, StreamOrder } from './operations/stream-list.ts'
export type { MetadataEntry } from './operations/stream-metadata.ts'
export type { StreamDefinition } from './operations/streams.ts'
export type { TransactionInput, TransactionMarket } from './operations/transaction-input.ts'
export type { VerifiedWithdrawal, WalletReward, WithdrawalProof } from './operations/withdrawals.ts'
export * as operations from './operations.ts'
export * from './operations.ts'
export { iteratePages, type PagesOptions } from './pages.ts'
export { defaultPlatform, type Platform } from './platform.ts'
export type { CallResult, Chain, Client, SendOptions, WaitOptions } from './ports.ts'
export type { RecordBatch, RecordInput } from './record-args.ts'
export type { Cached, StreamRecord } from './record-query.ts'
export type {
  LocalIndex,
  LocalRange,
  LocalRecord,
  LocalRecordInput,
  LocalStreamInfo,
} from './rpc/local-json.ts'
export { type ProveCall, proveCall, type RefusedCall } from './rpc/prove-call.ts'
export { recoverPersonalMessage } from './signing/digest.ts'
export {
  createSigner,
  createWalletSigner,
  type DigestSigner,
  type Signer,
  type WalletAccount,
  type WalletClient,
  type WalletProvider,
} from './signing/signer.ts'
export type { ChildStreams, TaxonomyParams, WeightedChild } from './taxonomy-children.ts'
export { createNonceSource, type NonceSource } from './transaction/nonce.ts'
export type * from './types.ts'
export {
  type WatchedBlock,
  type WatchedMarket,
  type WatchOptions,
  type WatchRecordsParams,
  watchBlocks,
  watchMarket,
  watchRecords,
} from './watch.ts'
export { type StreamChange, type WatchChangesParams, watchChanges } from './watch-changes.ts'
