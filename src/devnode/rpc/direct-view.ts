/** Views that the deployment's own gateway asks of the node without the forms of the wire. */

import { toTypedValue } from '../../streamnet/codec/value.ts'
import type { QueryResultJson } from '../../streamnet/rpc/methods.ts'
import type { ActionArg, Address } from '../../streamnet/types.ts'
import { currentContext } from '../blocks.ts'
import { callerText } from '../caller.ts'
import type { ReadonlyNode } from '../node.ts'
import { createOverlay } from '../overlay.ts'
import { readFaults } from '../state/control.ts'
import { answerCall } from '../view-call.ts'

/** A value that is the same when it has been encoded and decoded: text without lone surrogates, and no lists. */
export type DirectArg = string | number | bigint | boolean | null

/** A view to read. */
export interface DirectView {
  readonly action: string
  readonly args: readonly DirectArg[]
  /** The caller; undefined for an anonymous one. */
  readonly sender: Address | undefined
}

/** The result of a view, in the members of an answer to `user.call`. */
export interface DirectOutcome {
  readonly query_result: QueryResultJson
  readonly logs: string
}

/** Tells whether a view may be asked with these arguments without encoding them. */
export function areDirect(args: readonly ActionArg[]): args is readonly DirectArg[] {
  return args.every((arg) =>
    typeof arg === 'string' ? !loneSurrogate.test(arg) : typeof arg !== 'object' || arg === null,
  )
}

const loneSurrogate = /\p{Surrogate}/u

/** Reads a view as `user.call` does, and changes nothing; undefined when the caller has to use `user.call`. */
export function answerView(node: ReadonlyNode, { action, args, sender }: DirectView): DirectOutcome | undefined {
  if (node.settings.mode === 'private') return undefined
  if (readFaults(node.store).some(({ method }) => method === 'user.call')) return undefined
  try {
    const call = { namespace: '', action, args: args.map(toTypedValue) }
    const caller = sender === undefined ? '' : callerText(sender)
    const view = { store: createOverlay(node.store), settings: node.settings, block: currentContext(node) }
    const { result, logs, error } = answerCall(view, caller, call)
    return error === null ? { query_result: result, logs } : undefined
  } catch {
    // Asked again over the wire, the view fails again.
    return undefined
  }
}
