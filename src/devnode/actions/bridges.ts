/** Actions that move tokens of a bridge to another wallet or out of the network, and that prove a withdrawal. */

import { divideRounded } from '../../base/decimal.ts'
import { parseAddress, toChecksumAddress } from '../../streamnet/ids.ts'
import { type BridgeSetup, bridgeSetups, epochSeconds, transferFee } from '../bridges.ts'
import { actionError, requireArgument } from '../errors.ts'
import { isMarketBridge } from '../markets/bridges.ts'
import { type Bridge, bridges } from '../profiles.ts'
import { readBalance } from '../state/balances.ts'
import { findBlock } from '../state/chain.ts'
import { type Claim, type EndedEpoch, findClaim, listClaims, listEndedEpochs } from '../state/epochs.ts'
import { readVault } from '../state/market-totals.ts'
import { epochTree, makeLeaf } from '../withdrawals/epochs.ts'
import { makeProof } from '../withdrawals/merkle-tree.ts'
import { parseHexAddress, transferTokens, withdrawTokens } from '../withdrawals/tokens.ts'
import {
  type Action,
  type ActionContext,
  type ColumnShape,
  change,
  columns,
  listing,
  optional,
  row,
  view,
} from './action.ts'
import { castDecimal } from './casts.ts'
import { assertAddress } from './checks.ts'
import { recordPayment } from './fees.ts'

const info = columns<Pick<ActionContext, 'store' | 'profile'> & { readonly setup: BridgeSetup }>({
  chain: ['TEXT', ({ setup }) => setup.chain],
  escrow: ['TEXT', ({ setup }) => toChecksumAddress(setup.escrow)],
  epoch_period: ['TEXT', () => `${epochSeconds / 60}m0s`],
  erc20: ['TEXT', ({ setup }) => toChecksumAddress(setup.erc20)],
  decimals: ['INT', ({ setup }) => setup.decimals],
  balance: ['NUMERIC(78,0)', ({ store, setup }) => (isMarketBridge(setup.alias) ? readVault(store, setup.alias) : 0n)],
  synced: ['BOOLEAN', () => true],
  // A development node knows its bridges from block 1 on. Today's network tells the height, the described one the time.
  synced_at: [
    'INT8',
    ({ store, profile }) => (profile.answers === 'current' ? 1 : Math.floor((findBlock(store, 1)?.timeMs ?? 0) / 1000)),
  ],
  enabled: ['BOOLEAN', () => true],
})

/** A claim in an epoch that has ended, and the way from it to the root of the epoch. */
export interface ProvenClaim {
  readonly bridge: Bridge
  readonly epoch: EndedEpoch
  readonly claim: Claim
  readonly proof: readonly Uint8Array[]
}

/** Columns of a claim. `satisfies` keeps their names known, because other columns are made of single ones. */
export const proofColumns = {
  chain: ['TEXT', ({ bridge }) => bridgeSetups[bridge].chain],
  chain_id: ['TEXT', ({ bridge }) => bridgeSetups[bridge].chainId],
  contract: ['TEXT', ({ bridge }) => toChecksumAddress(bridgeSetups[bridge].escrow)],
  created_at: ['INT8', ({ epoch }) => epoch.endHeight],
  recipient: ['TEXT', ({ claim }) => toChecksumAddress(parseAddress(claim.recipient))],
  amount: ['NUMERIC(78,0)', ({ claim }) => claim.amount],
  block_hash: ['BYTEA', ({ epoch }) => epoch.blockHash],
  root: ['BYTEA', ({ epoch }) => epoch.root],
  proofs: ['BYTEA[]', ({ proof }) => proof],
  signatures: ['BYTEA[]', ({ epoch }) => epoch.signatures],
} as const satisfies ColumnShape<ProvenClaim>

const proofs = columns<ProvenClaim>(proofColumns)

/** The network's actions of every bridge that move its tokens. */
export const bridgeActions: readonly Action[] = bridges.flatMap((bridge) => [
  change(`${bridge}_transfer`, { to_address: 'TEXT', amount: 'TEXT' }, (context, { to_address, amount }) =>
    transfer(context, bridge, to_address, amount),
  ),
  change(
    `${bridge}_bridge_tokens`,
    { recipient: optional('TEXT', null), amount: 'TEXT' },
    (context, { recipient, amount }) => withdraw(context, bridge, recipient, amount),
  ),
  view(`${bridge}_get_erc20_bridge_info`, {}, row(info.types), ({ store, profile }) => [
    info.cells({ setup: bridgeSetups[bridge], store, profile }),
  ]),
  ...(bridgeSetups[bridge].hasProofs ? [proofAction(bridge)] : []),
])

function proofAction(bridge: Bridge): Action {
  return listing(
    `${bridge}_get_withdrawal_proof`,
    { wallet_address: 'TEXT' },
    proofs,
    (context, { wallet_address }) => {
      // The network's action asks this method, whose name is in its error.
      const wallet = parseHexAddress(requireArgument('list_wallet_rewards', 1, wallet_address))
      return listProvenClaims(context, bridge, wallet)
    },
  )
}

function transfer(context: ActionContext, bridge: Bridge, to: string | null, amountText: string | null): void {
  const { store, caller, profile, leader } = context
  if (to !== null) assertAddress('Ethereum address format', to.toLowerCase(), to)
  const amount = parseAmount(amountText)
  if (amount !== null && amount <= 0n) throw actionError('Transfer amount must be positive')
  const { fee, text } = transferFee(bridge, profile)
  if (amount !== null && readBalance(store, bridge, caller) < amount + fee) {
    throw actionError(`Insufficient balance for transfer. Requires an extra ${text} fee on top of the transfer amount`)
  }
  // In this order: where both cannot be moved, the network reports the failure of the fee.
  transferTokens(context, bridge, leader, fee)
  transferTokens(context, bridge, requireArgument('transfer', 1, to), requireArgument('transfer', 2, amount))
  const metadata = JSON.stringify({ bridge: bridgeSetups[bridge].alias })
  recordPayment(context, 'transferTN', { fee, recipient: leader }, metadata)
}

function withdraw(context: ActionContext, bridge: Bridge, recipient: string | null, amountText: string | null): void {
  const { store, caller, leader } = context
  const { withdrawalFee: fee } = bridgeSetups[bridge]
  const amount = parseAmount(amountText)
  if (amount !== null && readBalance(store, bridge, caller) < amount + fee) {
    throw actionError(`Insufficient balance for withdrawal. Required: ${requiredText(amount, fee)}`)
  }
  if (fee > 0n) transferTokens(context, bridge, leader, fee)
  withdrawTokens(context, bridge, (recipient ?? caller).toLowerCase(), requireArgument('bridge', 2, amount))
  if (fee > 0n) recordPayment(context, 'withdrawTN', { fee, recipient: leader })
}

const wholeToken = 10n ** 18n

/** The network's text for what a withdrawal needs: whole tokens, rounded as its engine divides numerics. */
function requiredText(amount: bigint, fee: bigint): string {
  const required = divideRounded(amount + fee, wholeToken)
  if (fee === 0n) return `${required} tokens`
  return `${required} TRUF (${amount} wei withdrawal + ${fee / wholeToken} TRUF fee)`
}

/** An amount as the engine casts it to NUMERIC(78,0). */
function parseAmount(text: string | null): bigint | null {
  return text === null ? null : castDecimal(text, 78, 0)
}

/** The claims of a wallet in ended epochs that it has not used; those of unsigned epochs only where they are wanted. */
export function listProvenClaims(
  { store, budget }: ActionContext,
  bridge: Bridge,
  wallet: string,
  { hasUnsigned = false }: { readonly hasUnsigned?: boolean } = {},
): readonly ProvenClaim[] {
  return [...listEndedEpochs(store, bridge, wallet)].flatMap((epoch) => {
    const claim = findClaim(store, bridge, epoch.start, wallet)
    const isListed = hasUnsigned || epoch.signatures.length > 0
    if (!isListed || claim === undefined || claim.claimed !== null) return []
    const claims = [...listClaims(store, bridge, epoch.start)]
    budget.spend(claims.length)
    const tree = epochTree(bridge, claims, epoch.blockHash)
    const proof = tree === undefined ? [] : makeProof(tree, makeLeaf(bridge, claim, epoch.blockHash))
    return [{ bridge, epoch, claim, proof }]
  })
}
