/** Agent wallets: joining a rule makes one, and agent and owner run actions as it. */

import { type BridgeParams, checkWei, requirePrefix } from '../bridge-names.ts'
import { agentPayloadType, encodeAgentExecution } from '../codec/agent-payload.ts'
import { numeric, toTypedValue } from '../codec/value.ts'
import { invalidArgument } from '../errors.ts'
import { addressToBytes, parseAddress } from '../ids.ts'
import type { Client, SendOptions } from '../ports.ts'
import { sendPayload, sendTransaction } from '../transaction/send.ts'
import type { ActionArg, TxHash } from '../types.ts'
import { parseRuleId } from './parameters.ts'

export * from './agent-rules.ts'

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

function readAmount({ amount }: { readonly amount: string }) {
  return numeric(checkWei(amount), 78, 0)
}
