/** Actions that read rules and wallets of agents. */

import { hexOf } from '../agents/rule-terms.ts'
import { compare } from '../compare.ts'
import { requireArgument } from '../errors.ts'
import { chargeRows } from '../queries/reader.ts'
import { type AgentEvent, listAgentEvents } from '../state/agent-events.ts'
import { type AgentRule, findRule, listRuleActions, listRules, type RuleAction } from '../state/agent-rules.ts'
import { type AgentWallet, findWallet, listWalletsOfOwner, listWalletsOfRule } from '../state/agent-wallets.ts'
import { readBalance } from '../state/balances.ts'
import { parseHexAddress } from '../withdrawals/tokens.ts'
import { type Action, type ActionContext, columns, listing, row, view } from './action.ts'
import { requireAgentBridge } from './agents.ts'
import { parseWallet, takePage, usualPage } from './checks.ts'

const maa_address = ['TEXT', (wallet: AgentWallet) => wallet.address] as const
const unrestricted_addr = ['TEXT', (wallet: AgentWallet) => wallet.owner] as const
const rule_id = ['TEXT', (one: Pick<AgentRule, 'ruleId'>) => one.ruleId] as const
const created_at = ['INT8', (one: Pick<AgentRule, 'createdAt'>) => one.createdAt] as const

const rules = columns<AgentRule>({
  rule_id,
  restricted_addr: ['TEXT', (rule) => rule.agent],
  rules_hash: ['TEXT', (rule) => rule.termsHash],
  fee_mode: ['TEXT', (rule) => rule.feeMode],
  fee_bps: ['INT', (rule) => rule.feeBps],
  fee_flat: ['NUMERIC(78,0)', (rule) => rule.feeFlat],
  created_at,
})

const instances = columns<AgentWallet & { readonly agent: string }>({
  maa_address,
  rule_id,
  restricted_addr: ['TEXT', (wallet) => wallet.agent],
  unrestricted_addr,
  created_at,
})
const ownedWallets = columns<AgentWallet>({ maa_address, rule_id, created_at })
const joinedWallets = columns<AgentWallet>({ maa_address, unrestricted_addr, created_at })
const ruleIds = columns<Pick<AgentRule, 'ruleId' | 'createdAt'>>({ rule_id, created_at })

const events = columns<AgentEvent>({
  id: ['INT8', (event) => event.id],
  maa_address: ['TEXT', (event) => event.wallet],
  event_type: ['TEXT', (event) => event.type],
  actor_role: ['TEXT', (event) => (event.type === 'CREATE_RULE' ? 'restricted' : 'unrestricted')],
  actor_addr: ['TEXT', (event) => event.actor],
  // The network has the two columns and writes nothing into them.
  inner_namespace: ['TEXT', () => null],
  inner_action: ['TEXT', () => null],
  amount: ['NUMERIC(78,0)', (event) => event.amount],
  tx_hash: ['TEXT', (event) => `0x${event.txId}`],
  block_height: ['INT8', (event) => event.height],
  block_timestamp: ['INT8', (event) => event.blockTime],
})

const allowedActions = columns<RuleAction>({
  namespace: ['TEXT', (one) => one.namespace],
  action: ['TEXT', (one) => one.action],
  body_hash: ['TEXT', (one) => one.bodyHash],
})

const page = { limit: 'INT', offset: 'INT' } as const

/** The network's actions that read rules, wallets and their events. */
export const agentViewActions: readonly Action[] = [
  listing('maa_get_rule', { rule_id: 'BYTEA' }, rules, ({ store }, { rule_id }) =>
    listFound(rule_id && findRule(store, hexOf(rule_id))),
  ),
  listing('maa_get_allowed_actions', { rule_id: 'BYTEA' }, allowedActions, (context, { rule_id }) =>
    [...chargeRows(context.budget, rule_id === null ? [] : listRuleActions(context.store, hexOf(rule_id)))].sort(
      (left, right) => compare(left.namespace, right.namespace) || compare(left.action, right.action),
    ),
  ),
  listing('maa_get_instance', { maa_address: 'BYTEA' }, instances, ({ store }, { maa_address }) => {
    const wallet = maa_address === null ? undefined : findWallet(store, hexOf(maa_address))
    const rule = wallet && findRule(store, wallet.ruleId)
    return listFound(rule && { ...wallet, agent: rule.agent })
  }),
  listing('maa_list_by_restricted', { agent: 'TEXT', ...page }, ruleIds, (context, { agent, ...rows }) =>
    readPage(context, listRules(context.store, parseWallet('agent', agent)), rows),
  ),
  listing('maa_list_by_unrestricted', { owner: 'TEXT', ...page }, ownedWallets, (context, { owner, ...rows }) =>
    readPage(context, listWalletsOfOwner(context.store, parseWallet('owner', owner)), rows),
  ),
  listing(
    'maa_list_instances_by_rule',
    { rule_id: 'BYTEA', ...page },
    joinedWallets,
    (context, { rule_id, ...rows }) =>
      rule_id === null ? [] : readPage(context, listWalletsOfRule(context.store, hexOf(rule_id)), rows),
  ),
  listing('maa_get_events', { rule_id: 'BYTEA', ...page }, events, (context, { rule_id, ...rows }) =>
    rule_id === null ? [] : readPage(context, listAgentEvents(context.store, hexOf(rule_id)), rows),
  ),
  view('maa_is_known', { maa_address: 'BYTEA' }, row({ known: 'BOOL' }), ({ store }, { maa_address }) => [
    [maa_address !== null && findWallet(store, hexOf(maa_address)) !== undefined],
  ]),
  view(
    'maa_get_balance',
    { maa_address: 'BYTEA', bridge: 'TEXT' },
    row({ balance: 'NUMERIC(78,0)' }),
    ({ store }, { maa_address, bridge }) => {
      const held = requireAgentBridge(bridge)
      const wallet = parseHexAddress(hexOf(requireArgument('balance', 1, maa_address)))
      return [[readBalance(store, held, wallet)]]
    },
  ),
]

function listFound<T extends object>(found: T | null | undefined): readonly T[] {
  return found ? [found] : []
}

function readPage<T>(
  { budget }: ActionContext,
  values: Iterable<T>,
  rows: Readonly<Record<'limit' | 'offset', bigint | null>>,
): readonly T[] {
  const [limit, offset] = usualPage(rows, 100n)
  return takePage(chargeRows(budget, values), { limit, offset })
}
