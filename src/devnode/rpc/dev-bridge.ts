/** The `dev.*` methods of the bridges: what the other chain does, and the end of an epoch. */

import { epochSeconds } from '../bridges.ts'
import { mine, mineWaiting } from '../node.ts'
import type { LedgerStore } from '../ports.ts'
import type { Bridge } from '../profiles.ts'
import { balanceOf, setBalance } from '../state/balances.ts'
import { headBlock } from '../state/chain.ts'
import {
  findClaim,
  findOpenEpoch,
  findUnconfirmed,
  listEpochsOf,
  putClaim,
  putOpenEpoch,
} from '../state/epochs.ts'
import { addMovement, hasDeposit, putDeposit } from '../state/movements.ts'
import { amountParam, bridgeParam, walletParam } from './dev-params.ts'
import { intParam, invalidParams, type Method, type Params, type RpcHost, show, textParam } from './method.ts'

/** Methods by their names. */
export const devBridgeMethods: Readonly<Record<string, Method>> = {
  'dev.deposit': ({ node, randomHex }, params) => {
    const [bridge, wallet, amount] = [bridgeParam(params), walletParam(params), amountParam(params)]
    const { height, timeMs } = headBlock(node.store) ?? { height: 0, timeMs: 0 }
    const external = externalParams(params, randomHex)
    if (params.external_tx_hash !== undefined) noteDeposit(node.store, bridge, external.txId, wallet)
    setBalance(node.store, bridge, wallet, balanceOf(node.store, bridge, wallet) + amount)
    addMovement(node.store, bridge, {
      type: 'deposit',
      amount,
      from: params.from === undefined ? wallet : walletParam(params, 'from'),
      to: wallet,
      txId: null,
      height,
      blockTime: Math.floor(timeMs / 1000),
      external,
      epoch: null,
    })
    return { result: { balance: `${balanceOf(node.store, bridge, wallet)}` } }
  },
  'dev.advanceEpoch': ({ node }, params) => {
    const bridge = bridgeParam(params)
    const open = findOpenEpoch(node.store, bridge)
    const endTime = Math.floor((headBlock(node.store)?.timeMs ?? 0) / 1000)
    if (open !== undefined) putOpenEpoch(node.store, bridge, { ...open, startTime: endTime - epochSeconds })
    mine(node)
    mineWaiting(node)
    return { result: epochStatus(node.store, bridge) }
  },
  'dev.claim': ({ node, randomHex }, params) => {
    const [bridge, wallet] = [bridgeParam(params), walletParam(params)]
    const claimed = externalParams(params, randomHex)
    let count = 0
    for (const { start, signatures } of [...listEpochsOf(node.store, bridge, wallet)]) {
      const claim = findClaim(node.store, bridge, start, wallet)
      if (claim === undefined || claim.claimed !== null || signatures.length === 0) continue
      putClaim(node.store, bridge, start, { ...claim, claimed })
      count += 1
    }
    return { result: { claimed: count } }
  },
}

/** The transaction of the other chain: a made-up one of block 0 where none is given. */
function externalParams(
  params: Params,
  randomHex: RpcHost['randomHex'],
): { readonly txId: string; readonly height: number } {
  const height = intParam(params, 'external_block_height', 0, Number.MAX_SAFE_INTEGER, 0)
  if (params.external_tx_hash === undefined) return { txId: randomHex(), height }
  const hash = textParam(params, 'external_tx_hash').toLowerCase().replace(/^0x/, '')
  if (/^[0-9a-f]{64}$/.test(hash)) return { txId: hash, height }
  throw invalidParams(`external_tx_hash is ${show(params.external_tx_hash)}, expected 64 hex digits`)
}

/** One transaction of the other chain pays in once for each wallet; a second deposit would have no row of history. */
function noteDeposit(store: LedgerStore, bridge: Bridge, txId: string, wallet: string): void {
  if (hasDeposit(store, bridge, txId, wallet)) {
    throw invalidParams(
      `external_tx_hash is "${txId}", which has paid in for this wallet already, expected the hash of another transaction`,
    )
  }
  putDeposit(store, bridge, txId, wallet)
}

function epochStatus(store: LedgerStore, bridge: Bridge): object {
  return {
    height: headBlock(store)?.height ?? 0,
    open_epoch: findOpenEpoch(store, bridge)?.start ?? 0,
    unconfirmed_epoch: findUnconfirmed(store, bridge)?.start ?? null,
  }
}
