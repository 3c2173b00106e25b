/** Methods of the bridges' own namespaces, which the network's actions call and every wallet may call too. */

import { bridgeSetups } from '../bridges.ts'
import { engineError, requireArgument } from '../errors.ts'
import { type Bridge, bridges } from '../profiles.ts'
import { readBalance } from '../state/balances.ts'
import { parseHexAddress, transferTokens, withdrawTokens } from '../withdrawals/tokens.ts'
import { type Action, change, columns, listing, row, view } from './action.ts'
import { listProvenClaims, type ProvenClaim, proofColumns } from './bridges.ts'

const rewards = columns<ProvenClaim>({
  chain: proofColumns.chain,
  chain_id: proofColumns.chain_id,
  contract: proofColumns.contract,
  created_at: proofColumns.created_at,
  param_recipient: proofColumns.recipient,
  param_amount: proofColumns.amount,
  param_block_hash: proofColumns.block_hash,
  param_root: proofColumns.root,
  param_proofs: proofColumns.proofs,
  param_signatures: proofColumns.signatures,
})

/** The methods by namespace, then by name. */
export const bridgeMethods: ReadonlyMap<string, ReadonlyMap<string, Action>> = new Map(
  bridges.map((bridge) => [
    bridgeSetups[bridge].alias,
    new Map(createMethods(bridge).map((method) => [method.name, method] as const)),
  ]),
)

function createMethods(bridge: Bridge): readonly Action[] {
  return [
    change('transfer', { to: 'TEXT', amount: 'NUMERIC(78,0)' }, (context, args) => {
      const to = requireArgument('transfer', 1, args.to)
      const amount = requireArgument('transfer', 2, args.amount)
      if (amount < 0n) throw engineError('amount cannot be negative')
      transferTokens(context, bridge, to, amount)
    }),
    change('bridge', { recipient: 'TEXT', amount: 'NUMERIC(78,0)' }, (context, { recipient, amount }) => {
      withdrawTokens(context, bridge, recipient ?? context.caller, requireArgument('bridge', 2, amount))
    }),
    view('balance', { address: 'TEXT' }, row({ balance: 'NUMERIC(78,0)' }), ({ store }, { address }) => [
      [readBalance(store, bridge, parseHexAddress(requireArgument('balance', 1, address)))],
    ]),
    listing('list_wallet_rewards', { wallet: 'TEXT', with_pending: 'BOOL' }, rewards, (context, args) => {
      const address = parseHexAddress(requireArgument('list_wallet_rewards', 1, args.wallet))
      const hasUnsigned = requireArgument('list_wallet_rewards', 2, args.with_pending)
      return listProvenClaims(context, bridge, address, { hasUnsigned })
    }),
  ]
}
