/** Actions on agent wallets that write: rules, joining them, and taking funds out. */

import { divideRounded } from '../../base/decimal.ts'
import { decodeHex } from '../../base/hex.ts'
import { deriveAgentWallet, deriveRuleId } from '../../streamnet/codec/agent-rule.ts'
import { parseAddress } from '../../streamnet/ids.ts'
import { hashTerms, hexOf, type RuleArguments, readTerms, ruleParameters } from '../agents/rule-terms.ts'
import { actionError, requireColumn } from '../errors.ts'
import { type AgentEvent, addAgentEvent } from '../state/agent-events.ts'
import { type AgentRule, addRule, findRule } from '../state/agent-rules.ts'
import { addWallet, findWallet } from '../state/agent-wallets.ts'
import { readBalance } from '../state/balances.ts'
import { transferTokens, withdrawTokens } from '../withdrawals/tokens.ts'
import { type Action, type ActionContext, change, optional, row } from './action.ts'

/** The network's actions that make rules and wallets, and those that an owner runs as a wallet. */
export const agentActions: readonly Action[] = [
  change('maa_create_rule', ruleParameters, createRule, row({ rule_id: 'BYTEA' })),
  change(
    'maa_join',
    { rule_id: 'BYTEA' },
    (context, { rule_id }) => void join(context, rule_id),
    row({ maa_address: 'BYTEA' }),
  ),
  change(
    'maa_join_and_fund',
    { rule_id: 'BYTEA', bridge: 'TEXT', amount: 'NUMERIC(78,0)' },
    (context, { rule_id, bridge, amount }) => {
      if (amount === null || amount <= 0n) throw actionError('Funding amount must be positive')
      const wallet = join(context, rule_id)
      transferTokens(context, requireAgentBridge(bridge), wallet, amount)
    },
    row({ maa_address: 'BYTEA' }),
  ),
  change('maa_withdraw', { bridge: 'TEXT', amount: 'NUMERIC(78,0)' }, (context, { bridge, amount }) => {
    withdraw(context, bridge, amount, (held, owner, payout) => transferTokens(context, held, owner, payout))
  }),
  change(
    'maa_bridge_out',
    { bridge: 'TEXT', amount: 'NUMERIC(78,0)', recipient: optional('TEXT', null) },
    (context, { bridge, amount, recipient }) => {
      withdraw(context, bridge, amount, (held, owner, payout) =>
        withdrawTokens(context, held, (recipient ?? owner).toLowerCase(), payout),
      )
    },
  ),
]

/** The bridges whose tokens agent wallets hold. */
const agentBridges = ['hoodi_tt', 'hoodi_tt2'] as const

/** A bridge of agent wallets by its exact name; action_failed for another name, or null. */
export function requireAgentBridge(name: string | null): (typeof agentBridges)[number] {
  const found = agentBridges.find((bridge) => bridge === name)
  if (found === undefined) throw actionError(`Invalid bridge. Supported: ${agentBridges.join(', ')}`)
  return found
}

function createRule(context: ActionContext, args: RuleArguments): void {
  const { terms, listed } = readTerms(context, args)
  const hash = hashTerms(terms)
  const agent = callerAddress(context)
  const ruleId = hexOf(deriveRuleId(agent, hash, args.salt ?? new Uint8Array()))
  if (findRule(context.store, ruleId) !== undefined) {
    throw actionError('a rule already exists for this {restricted, rules, salt}')
  }
  const { allowed: _, ...fee } = terms
  const relation = 'maa_allowed_actions'
  addRule(
    context.store,
    { ruleId, agent, termsHash: hexOf(hash), ...fee, createdAt: context.height },
    listed.map(({ namespace, action, bodyHash }) => ({
      namespace: requireColumn(namespace, 'namespace', relation),
      action: requireColumn(action, 'action', relation),
      bodyHash: bodyHash === null ? null : hexOf(bodyHash),
    })),
  )
  record(context, { ruleId, wallet: null, type: 'CREATE_RULE', actor: agent, amount: null })
}

function join(context: ActionContext, ruleId: Uint8Array | null): string {
  const { store } = context
  const rule = ruleId === null ? undefined : findRule(store, hexOf(ruleId))
  if (rule === undefined) throw actionError('unknown rule_id')
  const owner = callerAddress(context)
  if (owner === rule.agent) throw actionError('unrestricted must differ from the rule creator')
  const address = deriveAgentWallet(owner, parseAddress(rule.agent), decodeHex(rule.ruleId.slice(2)))
  if (findWallet(store, address) !== undefined) {
    throw actionError('this funder has already joined this rule (MAA exists)')
  }
  addWallet(store, { address, ruleId: rule.ruleId, owner, createdAt: context.height })
  record(context, { ruleId: rule.ruleId, wallet: address, type: 'JOIN', actor: owner, amount: null })
  return address
}

type AgentBridge = ReturnType<typeof requireAgentBridge>

/** Takes funds out of the calling wallet: commission to the agent, the rest by `pay`; null moves nothing. */
function withdraw(
  context: ActionContext,
  bridgeName: string | null,
  amount: bigint | null,
  pay: (bridge: AgentBridge, owner: string, payout: bigint) => void,
): void {
  const { store } = context
  if (amount !== null && amount <= 0n) throw actionError('withdraw amount must be positive')
  const address = context.caller.toLowerCase()
  const wallet = findWallet(store, address)
  if (wallet === undefined) {
    throw actionError('caller is not a known agent wallet (withdrawal must run as the MAA)')
  }
  const rule = findRule(store, wallet.ruleId)
  if (rule === undefined) throw actionError('agent wallet references a missing rule')
  const bridge = requireAgentBridge(bridgeName)
  if (amount !== null) {
    if (readBalance(store, bridge, address) < amount) throw actionError('insufficient free balance for withdrawal')
    const commission = computeCommission(rule, amount)
    if (commission > 0n) transferTokens(context, bridge, rule.agent, commission)
    if (commission < amount) pay(bridge, wallet.owner, amount - commission)
  }
  record(context, { ruleId: rule.ruleId, wallet: address, type: 'WITHDRAW', actor: wallet.owner, amount })
}

/** A part of the amount, half up, or a fixed sum; never more than the amount. */
function computeCommission({ feeMode, feeBps, feeFlat }: AgentRule, amount: bigint): bigint {
  const commission = feeMode === 'flat' ? feeFlat : divideRounded(amount * BigInt(feeBps), 10_000n)
  return commission > amount ? amount : commission
}

function callerAddress({ caller }: ActionContext) {
  return parseAddress(caller.toLowerCase())
}

function record(
  { store, txId, height, blockTime }: ActionContext,
  event: Omit<AgentEvent, 'id' | 'txId' | 'height' | 'blockTime'>,
): void {
  addAgentEvent(store, { ...event, txId, height, blockTime })
}
