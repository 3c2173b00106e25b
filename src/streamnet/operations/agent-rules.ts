/** Rules for what an agent may do with an owner's funds, and the ids and wallets that follow from them. */

import { encodeHex } from '../../base/hex.ts'
import { deriveRuleId, deriveAgentWallet as deriveWallet, hashRuleTerms, type RuleTerms } from '../codec/agent-rule.ts'
import { dataType, numeric } from '../codec/value.ts'
import { invalidArgument } from '../errors.ts'
import { parseAddress } from '../ids.ts'
import type { Client, SendOptions } from '../ports.ts'
import { sendTransaction } from '../transaction/send.ts'
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
  // Refuses names that are too long and hashes of another length, as the network does.
  hashRuleTerms(terms)
  return sendTransaction(client, 'maa_create_rule', [[params.salt ?? null, ...termArgs(terms)]], params)
}

/**
 * Computes the id of a rule, which follows from the agent and the terms, in any order of the actions.
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

function readTerms({ feeMode, feeBps = 0, feeFlat = '0', actions = [] }: AgentRuleTerms): RuleTerms {
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

/** Writes terms as arguments: the fee, then three lists with an entry for each action. */
function termArgs({ feeMode, feeBps, feeFlat, allowed }: RuleTerms): readonly ActionArg[] {
  const listOf = (name: 'text' | 'bytea', member: keyof (typeof allowed)[number]): ActionArg => ({
    // An empty list has no elements to take its type from.
    type: dataType(name, true),
    value: allowed.map((action) => action[member]),
  })
  return [
    feeMode,
    feeBps,
    numeric(`${feeFlat}`, 78, 0),
    listOf('text', 'namespace'),
    listOf('text', 'action'),
    listOf('bytea', 'bodyHash'),
  ]
}
