/** The terms of an agent's rule as an action is given them: the commission, and the actions that its wallets may run. */

import { messageOf } from '../../base/errors.ts'
import { encodeHex } from '../../base/hex.ts'
import { hashRuleTerms, type RuleTerms } from '../../streamnet/codec/agent-rule.ts'
import type { ActionContext, ArgumentsOf } from '../actions/action.ts'
import { actionError, requireArgument } from '../errors.ts'

/** The parameters of `maa_create_rule`. */
export const ruleParameters = {
  salt: 'BYTEA',
  fee_mode: 'TEXT',
  fee_bps: 'INT',
  fee_flat: 'NUMERIC(78,0)',
  namespaces: 'TEXT[]',
  actions: 'TEXT[]',
  body_hashes: 'BYTEA[]',
} as const

/** Its arguments. */
export type RuleArguments = ArgumentsOf<typeof ruleParameters>

/** An action as it was given. */
interface GivenAction {
  readonly namespace: string | null
  readonly action: string | null
  readonly bodyHash: Uint8Array | null
}

interface GivenTerms {
  readonly terms: RuleTerms
  /** The actions of the terms with their nulls. */
  readonly listed: readonly GivenAction[]
}

/**
 * Reads the terms of a rule, and its actions with their nulls. In the network's language a comparison with null is not
 * true, so nulls pass the checks; the method that hashes the terms refuses them.
 */
export function readTerms(context: ActionContext, args: RuleArguments): GivenTerms {
  const { fee_mode: mode, fee_bps, fee_flat, namespaces } = args
  const feeMode = mode === null || mode === 'bps' || mode === 'flat' ? mode : undefined
  if (feeMode === undefined) throw actionError('fee_mode must be bps or flat')
  if (fee_bps !== null && (fee_bps < 0n || fee_bps > 10_000n)) {
    throw actionError('fee_bps must be between 0 and 10000 (10000 = 100%)')
  }
  if (fee_flat !== null && fee_flat < 0n) throw actionError('fee_flat must be >= 0')
  const listed = listActions(context, args)
  const require = <T>(position: number, value: T | null) => requireArgument('compute_rules_hash', position, value)
  const terms: RuleTerms = {
    feeMode: require(1, feeMode),
    feeBps: Number(require(2, fee_bps)),
    feeFlat: require(3, fee_flat),
    allowed: require(4, namespaces && listed).map(({ namespace, action, bodyHash }) => ({
      namespace: namespace ?? '',
      action: action ?? '',
      bodyHash,
    })),
  }
  return { terms, listed }
}

/** The actions that a rule allows; action_failed when the lists differ in length or name one twice. */
function listActions(
  { budget }: ActionContext,
  { namespaces, actions, body_hashes }: RuleArguments,
): readonly GivenAction[] {
  if (namespaces?.length !== actions?.length || namespaces?.length !== body_hashes?.length) {
    throw actionError('namespaces, actions and body_hashes must be the same length')
  }
  const listed = (namespaces ?? []).map((namespace, index) => ({
    namespace,
    action: actions?.[index] ?? null,
    bodyHash: body_hashes?.[index] ?? null,
  }))
  budget.spend(listed.length)
  if (new Set(listed.map(({ namespace, action }) => JSON.stringify([namespace, action]))).size < listed.length) {
    throw actionError('duplicate (namespace, action) in allow-list; each pair may appear at most once')
  }
  return listed
}

/** Hashes terms; the codec's errors have the network's texts. */
export function hashTerms(terms: RuleTerms): Uint8Array {
  try {
    return hashRuleTerms(terms)
  } catch (cause) {
    throw actionError(messageOf(cause))
  }
}

/** Bytes of an id or an address as the ledger has them. */
export function hexOf(bytes: Uint8Array): string {
  return `0x${encodeHex(bytes)}`
}
