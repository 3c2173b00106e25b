/** The leader's settlement of due markets: it asks for their attestations, and settles those whose are signed. */

import { txCodes } from '../../streamnet/rpc/codes.ts'
import { createSyncSigner, hashTransactionSync, type SyncSigner } from '../../streamnet/signing/sync-signer.ts'
import type { SignedTransaction } from '../../streamnet/types.ts'
import { takePage } from '../actions/checks.ts'
import { nextBlockContext } from '../blocks.ts'
import { DevnodeError, engineError } from '../errors.ts'
import { applyTransaction } from '../ledger.ts'
import { enqueue, mineWaiting, type Node, nextBlockTime } from '../node.ts'
import { createOverlay, type Overlay } from '../overlay.ts'
import { type NodeAction, signAction } from '../signed-action.ts'
import { findSignedAttestation } from '../state/attestations.ts'
import { headBlock } from '../state/chain.ts'
import { readMining } from '../state/control.ts'
import { readMarketSettings } from '../state/market-settings.ts'
import { listDueMarkets, type Market } from '../state/markets.ts'
import { countPooled } from '../state/pool.ts'
import { readComponents } from './components.ts'

/** Ids of the markets that one run has worked on. */
interface SettlementRun {
  /** Their attestation is asked for; the next run settles them. */
  readonly requested: number[]
  readonly settled: number[]
  /** The transaction would fail, for want of tokens or of an answer, and is not sent. */
  readonly failed: number[]
}

/**
 * Runs the leader's settlement job once: one transaction of the operator for each due market, at most as many as the
 * network's settings allow. With automatic mining they are in a block afterwards, otherwise in the pool. While other
 * transactions of the operator wait, the run does nothing; engine_failed where the node has no key.
 */
export function settleDueMarkets(node: Node): SettlementRun {
  const { store, settings } = node
  if (settings.nodeKey === undefined) {
    throw engineError('tn_settlement is disabled: this node has no key to sign with, expected STREAMNET_NODE_KEY')
  }
  const run: SettlementRun = { requested: [], settled: [], failed: [] }
  const operator = createSyncSigner(settings.nodeKey)
  if (countPooled(store, operator.address.slice(2)) > 0) return run
  const trial = createOverlay(store)
  for (const market of dueMarkets(node)) run[sendNext(node, trial, operator, market)].push(market.id)
  if (readMining(store).kind === 'auto') mineWaiting(node)
  return run
}

function dueMarkets(node: Node): readonly Market[] {
  const { maxMarkets } = readMarketSettings(node.store, 'settlement')
  const due = listDueMarkets(node.store, Math.floor(nextBlockTime(node) / 1000))
  return takePage(due, { limit: BigInt(maxMarkets) })
}

/** Sends a market's next transaction, unless it fails on `trial`, the state after those that were sent before. */
function sendNext(node: Node, trial: Overlay, operator: SyncSigner, market: Market): keyof SettlementRun {
  const isSigned = findSignedAttestation(node.store, market.hash) !== undefined
  try {
    const action = isSigned
      ? { action: 'settle_market', calls: [[market.id]], description: 'automatic settlement' }
      : makeRequest(market)
    const transaction = signAction(node.store, node.settings, operator, action)
    if (!succeeds(node, trial, transaction)) return 'failed'
    enqueue(node, transaction)
    return isSigned ? 'settled' : 'requested'
  } catch (error) {
    if (!(error instanceof DevnodeError)) throw error
    // The pool is full, or the operator cannot pay for gas: the next run tries again.
    return 'failed'
  }
}

function makeRequest({ components }: Market): NodeAction {
  const { dataProvider, streamId, action, args } = readComponents(components)
  return {
    action: 'request_attestation',
    calls: [[dataProvider, streamId, action, args, false, null]],
    description: 'automatic settlement',
  }
}

function succeeds(node: Node, trial: Overlay, transaction: SignedTransaction): boolean {
  const { settings, store } = node
  const context = nextBlockContext(settings, headBlock(store), nextBlockTime(node))
  const hash = hashTransactionSync(transaction)
  return applyTransaction(trial, settings, context, { hash, transaction }).outcome.code === txCodes.ok
}
