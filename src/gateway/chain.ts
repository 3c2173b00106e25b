/** The newest blocks and transactions of the chain, newest first and a page at a time, with payloads decoded. */

import { type Client, isStreamNetError, parseTxHash } from '../streamnet/index.ts'
import { getTransactionEvent } from '../streamnet/operations/ledger.ts'
import type { TransactionJson } from '../streamnet/rpc/methods.ts'
import type { Block, ListedTransaction } from './contract/chain.ts'
import { describeTransaction, wholeBounds } from './transaction-summary.ts'

type BlockSummary = Omit<Block, 'list'>

/** The start of a page: below this height, or in it before the transaction with this index. */
export interface Position {
  readonly height: number
  readonly index?: number
}

/** The entries of a page when the caller does not say, and the most. */
export const pageSizes = { usual: 20, most: 100 } as const

/** The most blocks that one answer reads: where most blocks are empty, a page of transactions is short. */
const mostBlocks = 100
/** Blocks asked for at once. */
const atOnce = 10

/** Lists blocks below the height `before`, newest first; `next` begins the next page, undefined after block 1. */
export async function listBlocks(client: Client, limit: number, before?: Position) {
  const { head, top } = await readStart(client, before)
  const blocks: BlockSummary[] = []
  for await (const { summary } of readBlocks(client, top, limit)) blocks.push(summary)
  const last = blocks.at(-1)?.height ?? 0
  return { height: head, blocks, ...(last > 1 && { next: formatPosition({ height: last }) }) }
}

/**
 * Lists transactions of the newest blocks. A page may be short, or empty, where it ends at the number of blocks that
 * one answer reads; `next` goes on from there.
 *
 * @param before - where the page begins; the newest block when absent.
 * @param limit - 1 to `pageSizes.most`.
 */
export async function listTransactions(client: Client, limit: number, before?: Position) {
  const { head, top } = await readStart(client, before)
  const found: ListedTransaction[] = []
  let next: Position | undefined
  for await (const block of readBlocks(client, top, mostBlocks)) {
    const { height } = block.summary
    const isCut = before?.index !== undefined && before.height === height
    const newestFirst = (await summarize(client, block)).slice(0, isCut ? before.index : undefined).reverse()
    found.push(...newestFirst.slice(0, limit - found.length))
    const last = found.at(-1)
    next = { height }
    if (last !== undefined && found.length >= limit) return toPage(head, found, last)
  }
  return toPage(head, found, next)
}

function toPage(head: number, transactions: readonly ListedTransaction[], next: Position | undefined) {
  const isEnd = next === undefined || (next.height <= 1 && !next.index)
  return { height: head, transactions, ...(!isEnd && { next: formatPosition(next) }) }
}

/** Shows a block with at most `pageSizes.most` transactions; not_found when the chain does not have it. */
export async function showBlock(client: Client, height: number) {
  const block = await askBlock(client, height)
  const list = await summarize(client, { ...block, transactions: block.transactions.slice(0, pageSizes.most) })
  return { ...block.summary, list }
}

/**
 * Shows a transaction whole: its arguments, its outcome, and the fees that the network recorded.
 *
 * @param hash - 64 hex digits, with or without `0x`; else invalid_argument, or transaction_not_found.
 * @returns `height` is -1 and there is no time while it waits in the pool.
 */
export async function showTransaction(client: Client, hash: string) {
  const txHash = parseTxHash(hash)
  const answer = await client.request('user.tx_query', { tx_hash: txHash })
  const { height } = answer
  const time_ms = height > 0 ? (await askBlock(client, height)).summary.time_ms : null
  const result = answer.tx_result ?? unknownResult
  const { index: _, ...described } = describeTransaction(
    answer.tx ?? null,
    result,
    { height, index: 0, time_ms },
    wholeBounds,
  )
  return { ...described, hash: txHash, event: height > 0 ? await findEvent(client, txHash) : null }
}

/** The network's record of a transaction; it records none of many kinds. */
async function findEvent(client: Client, txId: string) {
  try {
    return await getTransactionEvent(client, { txId })
  } catch (error) {
    if (isStreamNetError(error, 'not_found')) return null
    throw error
  }
}

/** Reads `120` or `120-3`; undefined for any other text. */
export function parsePosition(text: string): Position | undefined {
  const match = /^(\d{1,15})(?:-(\d{1,6}))?$/.exec(text)
  if (match === null) return undefined
  const height = Number(match[1])
  return match[2] === undefined ? { height } : { height, index: Number(match[2]) }
}

/** Writes a position as `parsePosition()` reads it. */
export function formatPosition({ height, index }: Position): string {
  return index === undefined ? String(height) : `${height}-${index}`
}

/** The chain's height, and the first block of a page. */
async function readStart(client: Client, before: Position | undefined) {
  const { block_height: head } = await client.request('user.chain_info', {})
  if (before === undefined) return { head, top: head }
  return { head, top: Math.min(head, before.index === undefined ? before.height - 1 : before.height) }
}

/** Reads so many blocks downwards, some at once, without those that the node does not have; the first block is 1. */
async function* readBlocks(client: Client, top: number, count: number): AsyncGenerator<FoundBlock> {
  for (let first = top, left = Math.min(count, top); left > 0; first -= atOnce, left -= atOnce) {
    const heights = Array.from({ length: Math.min(atOnce, left) }, (_, step) => first - step)
    const blocks = await Promise.all(heights.map((height) => readBlock(client, height)))
    yield* blocks.filter((block) => block !== undefined)
  }
}

interface FoundBlock {
  readonly summary: BlockSummary
  readonly transactions: readonly (TransactionJson | null)[]
}

/** A block, or undefined where the node does not have it: one that began from a snapshot lacks the first blocks. */
async function readBlock(client: Client, height: number): Promise<FoundBlock | undefined> {
  try {
    return await askBlock(client, height)
  } catch (error) {
    if (isStreamNetError(error, 'not_found')) return undefined
    throw error
  }
}

async function askBlock(client: Client, height: number): Promise<FoundBlock> {
  const { hash, block } = await client.request('chain.block', { height })
  const { header } = block
  const transactions = block.txns ?? []
  const time_ms = header.stamp_ms ?? Date.parse(header.Timestamp ?? '')
  const previous_hash = header.prev_hash ?? header.PrevHash ?? ''
  return { summary: { height, hash, previous_hash, time_ms, transactions: transactions.length }, transactions }
}

/** The transactions of a block in their order, with what became of them. */
async function summarize(client: Client, { summary, transactions }: FoundBlock) {
  if (transactions.length === 0) return []
  const { height, time_ms } = summary
  const { tx_results: results } = await client.request('chain.block_result', { height })
  return transactions.map((transaction, index) =>
    describeTransaction(transaction, results?.[index] ?? unknownResult, { height, index, time_ms }),
  )
}

/** The result of a transaction whose block's results the node has forgotten. */
const unknownResult = { code: 0, log: '' } as const
