/** The `dev.*` methods of the bridges: balances, what the other chain does, and the end of an epoch. */

import { encodeHex } from '../../base/hex.ts'
import { currentContext } from '../blocks.ts'
import { epochSeconds } from '../bridges.ts'
import { mine, mineWaiting } from '../node.ts'
import type { LedgerStore } from '../ports.ts'
import type { Bridge } from '../profiles.ts'
import { addDeposit, readBalance, setBalance } from '../state/balances.ts'
import { headBlock } from '../state/chain.ts'
import {
  type Claim,
  findClaim,
  findOpenEpoch,
  findUnconfirmed,
  listEndedEpochs,
  putClaim,
  putOpenEpoch,
} from '../state/epochs.ts'
import { addMovement, noteDeposit } from '../state/movements.ts'
import { amountParam, bridgeParam, walletParam } from './dev-params.ts'
import { intParam, invalidParams, type Method, type Params, type RpcHost, show, textParam } from './method.ts'

/** The methods by name. */
export const devBridgeMethods: Readonly<Record<string, Method>> = {
  'dev.setBalance': ({ node }, params) => {
    const [bridge, wallet] = [bridgeParam(params), walletParam(params)]
    const amount = amountParam(params)
    const before = readBalance(node.store, bridge, wallet)
    if (amount > before) addDeposit(node.store, bridge, wallet, { ...currentContext(node), amount: amount - before })
    else setBalance(node.store, bridge, wallet, amount)
    return { result: { balance: `${amount}` } }
  },
  'dev.deposit': ({ node, randomHex }, params) => {
    const [bridge, wallet, amount] = [bridgeParam(params), walletParam(params), amountParam(params)]
    const { height, blockTime } = currentContext(node)
    const external = externalParams(params, randomHex)
    // A second deposit of one transaction for one wallet would have no row of history.
    if (params.external_tx_hash !== undefined && !noteDeposit(node.store, bridge, external.txId, wallet)) {
      throw invalidParams(
        `external_tx_hash is "${external.txId}", which has paid in for this wallet already, expected the hash of another transaction`,
      )
    }
    setBalance(node.store, bridge, wallet, readBalance(node.store, bridge, wallet) + amount)
    addMovement(node.store, bridge, {
      type: 'deposit',
      amount,
      from: params.from === undefined ? wallet : walletParam(params, 'from'),
      to: wallet,
      txId: null,
      height,
      blockTime,
      external,
      epoch: null,
    })
    return { result: { balance: `${readBalance(node.store, bridge, wallet)}` } }
  },
  'dev.advanceEpoch': ({ node }, params) => {
    const bridge = bridgeParam(params)
    const open = findOpenEpoch(node.store, bridge)
    const startTime = currentContext(node).blockTime - epochSeconds
    if (open !== undefined) putOpenEpoch(node.store, bridge, { ...open, startTime })
    mine(node)
    mineWaiting(node)
    return { result: epochStatus(node.store, bridge) }
  },
  'dev.claim': ({ node, randomHex }, params) => {
    const [bridge, wallet] = [bridgeParam(params), walletParam(params)]
    const claimed = externalParams(params, randomHex)
    const epoch = epochParam(node.store, bridge, wallet, params)
    if (epoch === undefined) return { result: { claimed: 0 } }
    putClaim(node.store, bridge, epoch.start, { ...epoch.claim, claimed })
    return { result: { claimed: 1 } }
  },
}

/** The one claim that a transaction of the other chain pays out: that of the named block, or the oldest due. */
function epochParam(store: LedgerStore, bridge: Bridge, wallet: string, params: Params): DueClaim | undefined {
  const due = dueClaims(store, bridge, wallet)
  if (params.block_hash === undefined) return due.at(-1)
  const hash = hashParam(params, 'block_hash')
  const named = due.find(({ blockHash }) => blockHash === hash)
  if (named !== undefined) return named
  const hashes = due.map(({ blockHash }) => blockHash)
  throw invalidParams(
    `block_hash is ${show(hash)}, expected that of a claim of this wallet: ${hashes.join(', ') || 'there is none'}`,
  )
}

interface DueClaim {
  readonly start: number
  readonly blockHash: string
  readonly claim: Claim
}

/** Lists the claims of a wallet that are due, the newest first. */
function dueClaims(store: LedgerStore, bridge: Bridge, wallet: string): readonly DueClaim[] {
  return [...listEndedEpochs(store, bridge, wallet)].flatMap(({ start, blockHash, signatures }) => {
    const claim = findClaim(store, bridge, start, wallet)
    if (claim === undefined || claim.claimed !== null || signatures.length === 0) return []
    return [{ start, blockHash: encodeHex(blockHash), claim }]
  })
}

/** The transaction of the other chain: a made-up one of block 0 where none is given. */
function externalParams(
  params: Params,
  randomHex: RpcHost['randomHex'],
): { readonly txId: string; readonly height: number } {
  const height = intParam(params, 'external_block_height', { least: 0, most: Number.MAX_SAFE_INTEGER, otherwise: 0 })
  if (params.external_tx_hash === undefined) return { txId: randomHex(), height }
  return { txId: hashParam(params, 'external_tx_hash'), height }
}

function hashParam(params: Params, name: string): string {
  const hash = textParam(params, name).toLowerCase().replace(/^0x/, '')
  if (/^[0-9a-f]{64}$/.test(hash)) return hash
  throw invalidParams(`${name} is ${show(params[name])}, expected 64 hex digits`)
}

function epochStatus(store: LedgerStore, bridge: Bridge): object {
  return {
    height: headBlock(store)?.height ?? 0,
    open_epoch: findOpenEpoch(store, bridge)?.start ?? 0,
    unconfirmed_epoch: findUnconfirmed(store, bridge)?.start ?? null,
  }
}
