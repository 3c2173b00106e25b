/** Reading rules and wallets of agents. */

import { type BridgeParams, requirePrefix } from '../bridge-names.ts'
import { addressToBytes, parseAddress } from '../ids.ts'
import { iterateList } from '../pages.ts'
import type { Client } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { type Row, readRows } from '../rpc/table.ts'
import { checkPage, type Page, parseRuleId } from './parameters.ts'

interface RuleParams {
  /** 64 hex digits, with or without `0x`. */
  readonly ruleId: string
}

const eventShape = {
  id: 'int',
  maa_address: 'text?',
  event_type: 'text',
  actor_role: 'text',
  actor_addr: 'text',
  inner_namespace: 'text?',
  inner_action: 'text?',
  amount: 'decimal?',
  tx_hash: 'text',
  block_height: 'int',
  block_timestamp: 'int',
} as const

/** An event of a rule: `CREATE_RULE`, `JOIN` or `WITHDRAW`. */
export type AgentEvent = Row<typeof eventShape>

/**
 * Reads a rule.
 *
 * @param params - `ruleId` is 64 hex digits, with or without `0x`.
 * @returns null when there is none of this id.
 * @throws StreamNetError invalid_argument when the id is malformed.
 *
 * @example
 * const rule = await getAgentRule(client, { ruleId: 'ab'.repeat(32) })
 */
export async function getAgentRule(client: Client, params: RuleParams) {
  const rows = readRows(await callAction(client, 'maa_get_rule', [parseRuleId(params.ruleId)]), {
    rule_id: 'text',
    restricted_addr: 'text',
    rules_hash: 'text',
    fee_mode: 'text',
    fee_bps: 'int',
    fee_flat: 'decimal',
    created_at: 'int',
  })
  return rows.map(({ restrictedAddr: restricted, ...rule }) => ({ ...rule, restricted }))[0] ?? null
}

/**
 * Lists what the wallets of a rule may run.
 *
 * @param params - `ruleId` is 64 hex digits, with or without `0x`.
 * @throws StreamNetError invalid_argument when the id is malformed.
 *
 * @example
 * const actions = await getAgentRuleAllowedActions(client, { ruleId: 'ab'.repeat(32) })
 */
export async function getAgentRuleAllowedActions(client: Client, params: RuleParams) {
  const table = await callAction(client, 'maa_get_allowed_actions', [parseRuleId(params.ruleId)])
  return readRows(table, { namespace: 'text', action: 'text', body_hash: 'text?' })
}

/**
 * Reads an agent wallet: its rule, its agent and its owner.
 *
 * @param params - `wallet` is `0x` and 40 hex digits.
 * @returns null when the address is not that of an agent wallet.
 * @throws StreamNetError invalid_argument when the address is malformed.
 *
 * @example
 * const wallet = await getAgentWallet(client, { wallet: friend })
 */
export async function getAgentWallet(client: Client, params: { readonly wallet: string }) {
  const rows = readRows(await callAction(client, 'maa_get_instance', [walletBytes(params)]), {
    maa_address: 'text',
    rule_id: 'text',
    restricted_addr: 'text',
    unrestricted_addr: 'text',
    created_at: 'int',
  })
  const [found] = rows.map(({ restrictedAddr: restricted, unrestrictedAddr: unrestricted, ...wallet }) => ({
    ...wallet,
    restricted,
    unrestricted,
  }))
  return found ?? null
}

/**
 * Tells whether an address is that of an agent wallet.
 *
 * @param params - `wallet` is `0x` and 40 hex digits.
 * @throws StreamNetError invalid_argument when the address is malformed.
 *
 * @example
 * const isKnown = await isAgentWallet(client, { wallet: friend })
 */
export async function isAgentWallet(client: Client, params: { readonly wallet: string }): Promise<boolean> {
  const rows = readRows(await callAction(client, 'maa_is_known', [walletBytes(params)]), { known: 'bool' })
  return rows[0]?.known ?? false
}

/**
 * The free balance of an agent wallet in the token's smallest unit; what its orders have locked is not in it.
 *
 * @param params - `wallet` is `0x` and 40 hex digits.
 * @throws StreamNetError invalid_argument when the address is malformed or the bridge unknown.
 *
 * @example
 * const free = await getAgentWalletBalance(client, { wallet: friend, bridgeIdentifier: 'testnet_b' })
 */
export async function getAgentWalletBalance(
  client: Client,
  params: BridgeParams & { readonly wallet: string },
): Promise<string> {
  const table = await callAction(client, 'maa_get_balance', [walletBytes(params), requirePrefix(params)])
  return readRows(table, { balance: 'decimal?' })[0]?.balance ?? '0'
}

/**
 * Lists the rules that an agent has made, oldest first.
 *
 * @param params - `agent` is `0x` and 40 hex digits; `limit` is 1 to 10,000 rows, 100 when left out.
 * @throws StreamNetError invalid_argument when the address or the page is malformed.
 *
 * @example
 * const rules = await listAgentRulesByRestricted(client, { agent: provider, limit: 10 })
 */
export async function listAgentRulesByRestricted(client: Client, params: { readonly agent: string } & Page) {
  const args = [parseAddress(params.agent, 'agent'), ...checkPage(params, 100, mostRows)]
  const table = await callAction(client, 'maa_list_by_restricted', args)
  return readRows(table, { rule_id: 'text', created_at: 'int' })
}

/**
 * Lists the agent wallets of an owner, oldest first.
 *
 * @param params - `owner` is `0x` and 40 hex digits; `limit` is 1 to 10,000 rows, 100 when left out.
 * @throws StreamNetError invalid_argument when the address or the page is malformed.
 *
 * @example
 * const wallets = await listAgentWalletsByOwner(client, { owner: provider })
 */
export async function listAgentWalletsByOwner(client: Client, params: { readonly owner: string } & Page) {
  const args = [parseAddress(params.owner, 'owner'), ...checkPage(params, 100, mostRows)]
  const table = await callAction(client, 'maa_list_by_unrestricted', args)
  return readRows(table, { maa_address: 'text', rule_id: 'text', created_at: 'int' })
}

/**
 * Lists the wallets that have joined a rule, oldest first.
 *
 * @param params - `limit` is 1 to 10,000 rows, 100 when left out.
 * @throws StreamNetError invalid_argument when the id or the page is malformed.
 *
 * @example
 * const wallets = await listAgentWalletsByRule(client, { ruleId: 'ab'.repeat(32) })
 */
export async function listAgentWalletsByRule(client: Client, params: RuleParams & Page) {
  const args = [parseRuleId(params.ruleId), ...checkPage(params, 100, mostRows)]
  const table = await callAction(client, 'maa_list_instances_by_rule', args)
  const rows = readRows(table, { maa_address: 'text', unrestricted_addr: 'text', created_at: 'int' })
  return rows.map(({ unrestrictedAddr: unrestricted, ...wallet }) => ({ ...wallet, unrestricted }))
}

/**
 * Lists the events of a rule and of its wallets, oldest first.
 *
 * @param params - `limit` is 1 to 10,000 rows, 100 when left out.
 * @returns amounts with the commission, in the token's smallest unit.
 * @throws StreamNetError invalid_argument when the id or the page is malformed.
 *
 * @example
 * const events = await getAgentRuleEvents(client, { ruleId: 'ab'.repeat(32), limit: 20 })
 */
export async function getAgentRuleEvents(client: Client, params: RuleParams & Page): Promise<readonly AgentEvent[]> {
  const args = [parseRuleId(params.ruleId), ...checkPage(params, 100, mostRows)]
  return readRows(await callAction(client, 'maa_get_events', args), eventShape)
}

/**
 * Lists the events of a rule one by one, reading a page when the last is used up.
 *
 * @param params - as of `getAgentRuleEvents`; `limit` is the rows of a page.
 * @throws StreamNetError as `getAgentRuleEvents` does.
 *
 * @example
 * const rule = { ruleId: 'ab'.repeat(32) }
 * for await (const { eventType } of iterateAgentRuleEvents(client, rule)) console.log(eventType)
 */
export function iterateAgentRuleEvents(client: Client, params: RuleParams & Page): AsyncIterable<AgentEvent> {
  return iterateList(getAgentRuleEvents, client, params, 1000)
}

/** The network has no bound; a page of this client has. */
const mostRows = 10_000

function walletBytes({ wallet }: { readonly wallet: string }): Uint8Array {
  return addressToBytes(parseAddress(wallet, 'wallet'))
}
