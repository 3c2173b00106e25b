/** Makes blocks: takes what waits, applies it in order, and chains the results. */

import { encodeHex } from '../base/hex.ts'
import { transactionFromJson } from '../streamnet/rpc/transaction-json.ts'
import { digestPersonalMessage } from '../streamnet/signing/digest.ts'
import type { BlockContext, LedgerView } from './actions/context.ts'
import { signAttestations } from './attestations/sign.ts'
import { applyTransaction, type BlockTransaction } from './ledger.ts'
import { sampleActiveMarkets } from './markets/sampling.ts'
import type { Overlay } from './overlay.ts'
import type { LedgerStore } from './ports.ts'
import type { NodeSettings } from './settings.ts'
import { type Block, findTransaction, headBlock, putBlock, putOutcome, zeroHash } from './state/chain.ts'
import { takeFromPool } from './state/pool.ts'
import { addMember, networkWriter, networkWritersManager, putRole } from './state/roles.ts'
import { addProvider } from './state/streams.ts'
import { endEpochs, voteEpochs } from './withdrawals/epochs.ts'

/** Makes the first block of an empty ledger: the system's roles and their first members. */
export function createGenesis(store: LedgerStore, settings: NodeSettings, timeMs: number): Block {
  putRole(store, networkWritersManager, undefined)
  putRole(store, networkWriter, networkWritersManager)
  for (const wallet of settings.managers) {
    addMember(store, networkWritersManager, { wallet, grantedAt: 1, grantedBy: 'system' })
  }
  for (const wallet of settings.writers) {
    addMember(store, networkWriter, { wallet, grantedAt: 1, grantedBy: 'system' })
    addProvider(store, wallet, 1)
  }
  const block = chainBlock(settings, undefined, { timeMs, transactions: [], results: settings.chainId })
  putBlock(store, block)
  return block
}

/**
 * Makes the next block, or an empty one, at a time (UNIX milliseconds) that is at least the last block's. It takes the
 * transactions that are given, or what waits in order until that has touched half of `maxReadRows`.
 */
export function mineBlock(
  store: Overlay,
  settings: NodeSettings,
  timeMs: number,
  given?: readonly BlockTransaction[],
): Mined {
  const previous = headBlock(store)
  const context = nextBlockContext(settings, previous, timeMs)
  signAttestations(store, settings, context.height)
  voteEpochs(store, settings)
  const hashes: string[] = []
  const outcomes: string[] = []
  let rows = 0
  for (const item of given ?? takeWaiting(store, () => rows < blockRows(settings))) {
    const { hash } = item
    const { outcome, rows: own } = applyTransaction(store, settings, context, item)
    rows += own
    putOutcome(store, hash, context.height, outcome)
    hashes.push(hash)
    outcomes.push(`${hash} ${outcome.code} ${outcome.log}`)
  }
  sampleActiveMarkets(store, context.height)
  const block = chainBlock(settings, previous, { timeMs, transactions: hashes, results: outcomes.join('\n') })
  putBlock(store, block)
  endEpochs(store, block)
  return { block, rows }
}

/** A new block, and the rows that its transactions have touched. */
export interface Mined {
  readonly block: Block
  readonly rows: number
}

/** The rows after which no further transaction enters a block; its last one may touch `maxReadRows` more. */
export function blockRows({ maxReadRows }: NodeSettings): number {
  return maxReadRows / 2
}

/** Takes transactions out of the pool while there is room; one by one, since together they may not fit in memory. */
function* takeWaiting(store: LedgerStore, hasRoom: () => boolean): Generator<BlockTransaction> {
  while (hasRoom()) {
    const hash = takeFromPool(store)
    if (hash === undefined) return
    yield { hash, transaction: transactionFromJson(findTransaction(store, hash)) }
  }
}

/** The block whose height and time calls see: the last one. */
export function currentContext({ store, settings }: Pick<LedgerView, 'store' | 'settings'>): BlockContext {
  const head = headBlock(store)
  return { height: head?.height ?? 0, blockTime: Math.floor((head?.timeMs ?? 0) / 1000), leader: settings.operator }
}

/** The block that the next transactions will be in. */
export function nextBlockContext(settings: NodeSettings, previous: Block | undefined, timeMs: number): BlockContext {
  return {
    height: (previous?.height ?? 0) + 1,
    blockTime: Math.floor(Math.max(previous?.timeMs ?? 0, timeMs) / 1000),
    leader: settings.operator,
  }
}

/** The content of a block before it is chained to the one before. */
interface BlockContent extends Pick<Block, 'timeMs' | 'transactions'> {
  /** The outcomes of its transactions as text, which its hash covers. */
  readonly results: string
}

function chainBlock(settings: NodeSettings, previous: Block | undefined, content: BlockContent): Block {
  const { timeMs, transactions, results } = content
  const header = {
    height: (previous?.height ?? 0) + 1,
    previousHash: previous?.hash ?? zeroHash,
    appHash: digestText(`${previous?.appHash ?? zeroHash}\n${results}`),
    timeMs: Math.max(previous?.timeMs ?? 0, timeMs),
    leader: settings.operator,
    transactions,
  }
  return { ...header, hash: digestText(JSON.stringify(header)) }
}

/** The hash that chains blocks: Keccak-256 of text in the form of a personal message. Nothing outside reads it. */
function digestText(text: string): string {
  return encodeHex(digestPersonalMessage(text))
}
