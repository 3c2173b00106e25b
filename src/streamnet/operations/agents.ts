/** Agent wallets: rules for what an agent may do with an owner's funds, and actions that are run as such a wallet. */

import { encodeHex } from '../../base/hex.ts'
import { type BridgeParams, checkWei, requirePrefix } from '../bridge-names.ts'
import { agentPayloadType, encodeAgentExecution } from '../codec/agent-payload.ts'
import { deriveRuleId, deriveAgentWallet as deriveWallet, hashRuleTerms } from '../codec/agent-rule.ts'
import { dataType, numeric, toTypedValue } from '../codec/value.ts'
import { invalidArgument } from '../errors.ts'
import { addressToBytes, parseAddress } from '../ids.ts'
import type { Client, SendOptions } from '../ports.ts'
import { sendPayload, sendTransaction } from '../transaction/send.ts'
import type { ActionArg, Address, TxHash } from '../types.ts'
import { assertInteger, parseRuleId } from './parameters.ts'

/** The terms of a rule, which never change. */
export interface AgentRuleTerms {
  /** The commission of a withdrawal: ten-thousandths of it, or a fixed sum. */
  readonly feeMode: 'bps' | 'flat'
  /** 0 to 10000; 0 when left out. */
  readonly feeBps?: number | undefined
  /** In the smallest unit of the token that is withdrawn; 0 when left out. */
  readonly feeFlat?: string | undefined
  /** The actions that agent and owner may run as a wallet of the rule, each at most once; none when left out. */
  readonly actions?: readonly {
    readonly action: string
    /** `main` when left out. */
    readonly namespace?: string | undefined
    /** The 32 bytes that pin the action's body; the network shows and does not compare them. */
    readonly bodyHash?: Uint8Array | undefined
  }[]
  /** Of any length; an agent needs one to make a second rule of the same terms. */
  readonly salt?: Uint8Array | undefined
}

/**
 * Makes a rule, whose agent is the caller. Any number of owners may join it, and each gets another wallet.
 *
 * @param params - the terms; `feeBps` in ten-thousandths, `feeFlat` in the smallest unit of the token.
 * @throws StreamNetError invalid_argument when a term is out of range, or an action is listed twice.
 *
 * @example
 * const terms = { feeMode: 'bps', feeBps: 250, actions: [{ action: 'place_buy_order' }] }
 * await createAgentRule(client, terms)
 * const { ruleId } = deriveAgentRule(client, { ...terms, agent: provider })
 */
export async function createAgentRule(client: Client, params: AgentRuleTerms & SendOptions): Promise<TxHash> {
  const terms = readTerms(params)
  // Finds names that are too long and hashes of another length, which the network refuses too.
  hashRuleTerms(terms)
  const { feeMode, feeBps, feeFlat, allowed } = terms
  const args: readonly ActionArg[] = [
    params.salt ?? null,
    feeMode,
    feeBps,
    numeric(`${feeFlat}`, 78, 0),
    toList(
      'text',
      allowed.map(({ namespace }) => namespace),
    ),
    toList(
      'text',
      allowed.map(({ action }) => action),
    ),
    toList(
      'bytea',
      allowed.map(({ bodyHash }) => bodyHash),
    ),
  ]
  return sendTransaction(client, 'maa_create_rule', [args], params)
}

/**
 * Computes what a rule will be called: it follows from the agent and the terms, in any order of the actions.
 *
 * @param params - `agent` is the address that makes the rule.
 * @returns hex with `0x`.
 * @throws StreamNetError invalid_argument when a term is out of range, or an action is listed twice.
 *
 * @example
 * const { ruleId } = deriveAgentRule(client, { agent: provider, feeMode: 'flat', feeFlat: '100' })
 */
export function deriveAgentRule(_client: Client, params: AgentRuleTerms & { readonly agent: string }) {
  const rulesHash = hashRuleTerms(readTerms(params))
  const ruleId = deriveRuleId(parseAddress(params.agent, 'agent'), rulesHash, params.salt ?? new Uint8Array())
  return { ruleId: `0x${encodeHex(ruleId)}`, rulesHash: `0x${encodeHex(rulesHash)}` }
}

/**
 * Computes the address of the wallet that an owner has, or will have, by joining a rule.
 *
 * @param params - `ruleId` is 64 hex digits, with or without `0x`.
 * @throws StreamNetError invalid_argument when an address or the id is malformed.
 *
 * @example
 * const wallet = deriveAgentWallet(client, { owner: friend, agent: provider, ruleId: 'ab'.repeat(32) })
 */
export function deriveAgentWallet(
  _client: Client,
  params: { readonly owner: string; readonly agent: string; readonly ruleId: string },
): Address {
  const [owner, agent] = [parseAddress(params.owner, 'owner'), parseAddress(params.agent, 'agent')]
  return deriveWallet(owner, agent, parseRuleId(params.ruleId))
}

/** A rule to join. */
export interface JoinParams extends SendOptions {
  /** 64 hex digits, with or without `0x`. */
  readonly ruleId: string
}

/**
 * Joins a rule, which makes a wallet whose owner is the caller; `deriveAgentWallet` gives its address.
 *
 * @param params - `ruleId` is 64 hex digits, with or without `0x`.
 * @throws StreamNetError invalid_argument when the id is malformed.
 * @throws StreamNetError transaction_failed when the rule is unknown, the caller's own, or joined already.
 *
 * @example
 * // The rule of another agent.
 * const joined = joinAgentAddress(client, { ruleId: 'ab'.repeat(32) })
 * await joined.catch(({ data }) => console.log(data.reason))
 */
export async function joinAgentAddress(client: Client, params: JoinParams): Promise<TxHash> {
  return sendTransaction(client, 'maa_join', [[parseRuleId(params.ruleId)]], params)
}

/**
 * Joins a rule and moves funds of the caller to the new wallet, both or neither.
 *
 * @param params - `amount` is a whole number of the token's smallest unit.
 * @throws StreamNetError as `joinAgentAddress` does.
 *
 * @example
 * const funds = { bridgeIdentifier: 'testnet_b', amount: '1000' }
 * const joined = joinAndFundAgentAddress(client, { ruleId: 'ab'.repeat(32), ...funds })
 * await joined.catch(({ data }) => console.log(data.reason))
 */
export async function joinAndFundAgentAddress(
  client: Client,
  params: JoinParams & BridgeParams & { readonly amount: string },
): Promise<TxHash> {
  const args = [parseRuleId(params.ruleId), requirePrefix(params), readAmount(params)]
  return sendTransaction(client, 'maa_join_and_fund', [args], params)
}

/** An action that is run as a wallet. */
export interface AgentActionParams extends SendOptions {
  /** The agent wallet, `0x` and 40 hex digits. */
  readonly wallet: string
  readonly action: string
  /** `main` when left out. */
  readonly namespace?: string | undefined
  /** In the action's order, null for one left out. */
  readonly args?: readonly ActionArg[] | undefined
}

/**
 * Runs an action as an agent wallet, which pays what the action costs. The caller is the agent or the owner.
 *
 * @param params - `args` in the order of the action.
 * @throws StreamNetError invalid_argument when the address is malformed or the action has no name.
 * @throws StreamNetError transaction_failed when the rule does not let the caller run it, with code 9.
 *
 * @example
 * const run = executeAgentAction(client, { wallet: friend, action: 'cancel_order', args: [1, true, -50] })
 * await run.catch(({ data }) => console.log(data.reason))
 */
export async function executeAgentAction(client: Client, params: AgentActionParams): Promise<TxHash> {
  const { action, namespace = 'main', args = [] } = params
  if (!action) throw invalidArgument('action must not be empty')
  const wallet = addressToBytes(parseAddress(params.wallet, 'wallet'))
  const bytes = encodeAgentExecution({ wallet, namespace, action, args: args.map(toTypedValue) })
  return sendPayload(client, { type: agentPayloadType, bytes }, params)
}

/** Funds that leave a wallet. */
export interface AgentWithdrawal extends BridgeParams, SendOptions {
  readonly wallet: string
  /** With the agent's commission, in the token's smallest unit. */
  readonly amount: string
}

/**
 * Takes funds out of a wallet to its owner, who is the caller; the agent gets its commission of them.
 *
 * @param params - `amount` is a whole number of the token's smallest unit, with the commission.
 * @throws StreamNetError as `executeAgentAction` does.
 *
 * @example
 * const funds = { bridgeIdentifier: 'testnet_b', amount: '1000' }
 * const withdrawn = withdrawFromAgentWallet(client, { wallet: friend, ...funds })
 * await withdrawn.catch(({ data }) => console.log(data.reason))
 */
export async function withdrawFromAgentWallet(client: Client, params: AgentWithdrawal): Promise<TxHash> {
  const args = [requirePrefix(params), readAmount(params)]
  return executeAgentAction(client, { ...params, namespace: 'main', action: 'maa_withdraw', args })
}

/**
 * Takes funds of a wallet out of the network, where a wallet of the other chain may claim them. The owner is the
 * caller; the agent gets its commission inside the network.
 *
 * @param params - `recipient` is an address of the other chain, the owner when left out.
 * @throws StreamNetError as `executeAgentAction` does.
 *
 * @example
 * const funds = { bridgeIdentifier: 'testnet_b', amount: '1000' }
 * const bridged = bridgeOutOfAgentWallet(client, { wallet: friend, recipient: provider, ...funds })
 * await bridged.catch(({ data }) => console.log(data.reason))
 */
export async function bridgeOutOfAgentWallet(
  client: Client,
  params: AgentWithdrawal & { readonly recipient?: string | undefined },
): Promise<TxHash> {
  const recipient = params.recipient === undefined ? null : parseAddress(params.recipient, 'recipient')
  const args = [requirePrefix(params), readAmount(params), recipient]
  return executeAgentAction(client, { ...params, namespace: 'main', action: 'maa_bridge_out', args })
}

function readTerms({ feeMode, feeBps = 0, feeFlat = '0', actions = [] }: AgentRuleTerms) {
  if (feeMode !== 'bps' && feeMode !== 'flat') throw invalidArgument("feeMode must be 'bps' or 'flat'")
  assertInteger(feeBps, 0, 10_000, 'feeBps must be between 0 and 10000 (10000 = 100%)')
  if (!/^\d{1,78}$/.test(feeFlat) || BigInt(feeFlat) >= 2n ** 256n) {
    throw invalidArgument('fee_flat must be a whole number below 2^256, as text')
  }
  const allowed = actions.map(({ action, namespace = 'main', bodyHash = null }) => ({ namespace, action, bodyHash }))
  const names = new Set(allowed.map(({ namespace, action }) => JSON.stringify([namespace, action])))
  if (names.size < allowed.length) throw invalidArgument('actions must not repeat a namespace and action')
  return { feeMode, feeBps, feeFlat: BigInt(feeFlat), allowed }
}

function readAmount({ amount }: { readonly amount: string }) {
  return numeric(checkWei(amount), 78, 0)
}

/** An empty list has no elements to take its type from. */
function toList(name: 'text' | 'bytea', value: readonly (string | Uint8Array | null)[]): ActionArg {
  return { type: dataType(name, true), value }
}
