/** View calls: actions that only read, in the name of a caller. */

import { decodeActionCall } from '../streamnet/codec/payload.ts'
import type { QueryResultJson } from '../streamnet/rpc/methods.ts'
import type { ActionCall } from '../streamnet/types.ts'
import { createContext, formatLogs, type LedgerView } from './actions/context.ts'
import { invoke, toQueryResult } from './engine.ts'
import { DevnodeError } from './errors.ts'
import { createBudget } from './queries/reader.ts'

interface CallOutcome {
  readonly result: QueryResultJson
  /** The notices of the action as numbered lines. */
  readonly logs: string
  /** The text an action refused with; the call itself is then still a success. */
  readonly error: string | null
}

/**
 * Answers a view call of an address in mixed case, or of an anonymous caller (empty). Throws as the action does, but
 * for the action's own refusal, which is part of the outcome.
 */
export function answerCall(view: LedgerView, caller: string, call: ActionCall): CallOutcome {
  const notices: string[] = []
  const budget = createBudget(view.settings.maxReadRows)
  const context = createContext({ ...view, notices, budget }, { caller, txId: '' })
  try {
    const invoked = invoke(context, call, { isReadOnly: true })
    return { result: toQueryResult(invoked), logs: formatLogs(notices), error: null }
  } catch (error) {
    if (!(error instanceof DevnodeError) || error.code !== 'action_failed') throw error
    const empty = { column_names: null, column_types: null, values: null }
    return { result: empty, logs: formatLogs(notices), error: error.message }
  }
}

/** Reads the body of a view call; invalid_payload when it is malformed. */
export function decodeCall(payload: Uint8Array): ActionCall {
  try {
    return decodeActionCall(payload)
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : 'malformed payload'
    throw new DevnodeError('invalid_payload', `failed to convert action call: ${text}`, { cause })
  }
}
