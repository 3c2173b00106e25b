/** Rules of agent wallets: the agent, its commission, and the actions that its wallets may run. None ever changes. */

import { stringifyWide } from '../../base/json.ts'
import {
  countPart,
  joinKey,
  keysUnder,
  lastPart,
  parseCountPart,
  parseTextPart,
  readJson,
  textPart,
  type WithText,
} from '../keys.ts'
import type { LedgerStore } from '../ports.ts'

/** A rule; ids, hashes and addresses are lower-case hex with `0x`. */
export interface AgentRule {
  readonly ruleId: string
  /** The address that made it and gets the commission. */
  readonly agent: string
  readonly termsHash: string
  readonly feeMode: 'bps' | 'flat'
  readonly feeBps: number
  readonly feeFlat: bigint
  /** Height of the block. */
  readonly createdAt: number
}

/** An action that the wallets of a rule may run. */
export interface RuleAction {
  readonly namespace: string
  readonly action: string
  /** `0x` and hex digits; null where the body is not pinned. */
  readonly bodyHash: string | null
}

const rules = 'agent-rule'
const byAgent = 'agent-rule-agent'
const actions = 'agent-rule-action'

/** Adds a rule; the caller has made sure that there is none of its id. */
export function addRule(store: LedgerStore, { ruleId, ...rule }: AgentRule, allowed: readonly RuleAction[]): void {
  store.put(joinKey(rules, ruleId), stringifyWide(rule))
  store.put(joinKey(byAgent, rule.agent, countPart(rule.createdAt), ruleId), '')
  // One entry each: all of a rule may not fit into one.
  for (const one of allowed) store.put(actionKey(ruleId, one), one.bodyHash ?? '')
}

/** Finds a rule by its id. */
export function findRule(store: LedgerStore, ruleId: string): AgentRule | undefined {
  const stored = readJson<WithText<AgentRule, 'feeFlat'>>(store, joinKey(rules, ruleId))
  return stored && { ...stored, ruleId, feeFlat: BigInt(stored.feeFlat) }
}

/** The rules of an agent, by height and id. */
export function* listRules(store: LedgerStore, agent: string): Generator<Pick<AgentRule, 'ruleId' | 'createdAt'>> {
  for (const [key] of store.list(keysUnder(byAgent, agent))) {
    yield { ruleId: lastPart(key), createdAt: parseCountPart(key.split('/')[2] ?? '') }
  }
}

/** Tells whether a rule has exactly this action. */
export function isAllowed(store: LedgerStore, ruleId: string, action: Omit<RuleAction, 'bodyHash'>): boolean {
  return store.get(actionKey(ruleId, action)) !== undefined
}

/** The actions of a rule, in the order of keys. */
export function* listRuleActions(store: LedgerStore, ruleId: string): Generator<RuleAction> {
  for (const [key, bodyHash] of store.list(keysUnder(actions, ruleId))) {
    const [, , namespace = '', action = ''] = key.split('/').map(parseTextPart)
    yield { namespace, action, bodyHash: bodyHash === '' ? null : bodyHash }
  }
}

function actionKey(ruleId: string, { namespace, action }: Omit<RuleAction, 'bodyHash'>): string {
  return joinKey(actions, ruleId, textPart(namespace), textPart(action))
}
