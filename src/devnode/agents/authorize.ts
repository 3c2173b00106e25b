/** Transactions that run an action as an agent wallet: who may, and which action. */

import { messageOf } from '../../base/errors.ts'
import { type AgentExecution, agentPayloadType, decodeAgentExecution } from '../../streamnet/codec/agent-payload.ts'
import { addressFromBytes } from '../../streamnet/ids.ts'
import type { ActionCall, Address } from '../../streamnet/types.ts'
import { mainNamespace } from '../engine.ts'
import { DevnodeError } from '../errors.ts'
import type { LedgerStore } from '../ports.ts'
import { findRule, isAllowed } from '../state/agent-rules.ts'
import { findWallet } from '../state/agent-wallets.ts'

/** Actions that only the owner runs, and runs even where the rule does not list them. */
const exits: ReadonlySet<string> = new Set(['maa_withdraw', 'maa_bridge_out'])

/** A run that may be made. */
interface AuthorizedRun {
  readonly wallet: Address
  /** True for the agent, who moves no tokens out of the wallet. */
  readonly isAgent: boolean
  readonly invocation: ActionCall
}

/** Says from which height on, 0 for never, a network takes these transactions; undefined where it does. */
export function findInactivity(activation: number, height: number): string | undefined {
  const state = `unknown payload type: ${agentPayloadType}`
  if (activation === 0) return `${state} is not activated on this network`
  return height < activation ? `${state} activates at height ${activation}, current height ${height}` : undefined
}

/**
 * Reads a payload and checks its signer: the agent and the owner of a wallet may run what the rule lists, and only the
 * owner may take funds out. Invalid_payload when it cannot be read, invalid_sender when the wallet is unknown, or its
 * rule does not let the signer run the action.
 */
export function authorizeRun(store: LedgerStore, signer: Address, payload: Uint8Array): AuthorizedRun {
  const { wallet: bytes, namespace: given, action, args } = decodeExecution(payload)
  if (bytes.length !== 20) throw invalidPayload(`maa_address must be 20 bytes, got ${bytes.length}`)
  if (action === '') throw invalidPayload('inner action must not be empty')
  const namespace = given === '' ? mainNamespace : given
  const wallet = addressFromBytes(bytes)
  const found = findWallet(store, wallet)
  const rule = found && findRule(store, found.ruleId)
  if (rule === undefined) throw refuse(`unknown MAA ${wallet}: no joined instance`)
  const isAgent = signer === rule.agent
  if (!isAgent && signer !== found?.owner) {
    throw refuse(`signer ${signer} is neither the restricted nor the unrestricted key of MAA ${wallet}`)
  }
  const isExit = namespace.toLowerCase() === mainNamespace && exits.has(action.toLowerCase())
  const name = `action ${namespace}.${action}`
  if (isExit && isAgent) {
    throw refuse(
      `${name} withdraws the agent wallet's funds and is reserved for the unrestricted owner of MAA ${wallet}`,
    )
  }
  if (!isExit && !isAllowed(store, rule.ruleId, { namespace, action })) {
    throw refuse(`${name} is not in the allow-list for MAA ${wallet}`)
  }
  return { wallet, isAgent, invocation: { namespace, action, args } }
}

function decodeExecution(payload: Uint8Array): AgentExecution {
  try {
    return decodeAgentExecution(payload)
  } catch (cause) {
    throw invalidPayload(messageOf(cause))
  }
}

function invalidPayload(text: string): DevnodeError {
  return new DevnodeError('invalid_payload', text)
}

function refuse(text: string): DevnodeError {
  return new DevnodeError('invalid_sender', text)
}
