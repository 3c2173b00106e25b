/** The context of actions while a transaction or a call runs. */

import { invoke } from '../engine.ts'
import { duplicateError } from '../errors.ts'
import type { KeyRange, LedgerStore } from '../ports.ts'
import { type Budget, chargeRows } from '../queries/reader.ts'
import type { NodeSettings } from '../settings.ts'
import { isMetadataRange, rowId } from '../state/metadata.ts'
import type { ActionContext } from './action.ts'

/** The block that an action runs in. */
export interface BlockContext {
  readonly height: number
  /** UNIX seconds. */
  readonly blockTime: number
  readonly leader: string
}

/** A ledger that is read, and the block whose height and time its views see. */
export interface LedgerView {
  readonly store: LedgerStore
  readonly settings: NodeSettings
  readonly block: BlockContext
}

/** One transaction or call while it runs: what it acts on, its notices, and the bound on its work. */
export interface Run extends LedgerView {
  readonly notices: string[]
  readonly budget: Budget
}

/** The caller of an action and its transaction, which a view does not have; `isAgent` is false when left out. */
type CallOrigin = Pick<ActionContext, 'caller' | 'txId'> & Partial<Pick<ActionContext, 'isAgent'>>

/** Makes the context of one call of an action; calls of one run share its notices and its budget. */
export function createContext(run: Run, { caller, txId, isAgent = false }: CallOrigin): ActionContext {
  const { settings, block, notices, budget } = run
  let rows = 0
  const claimed = new Set<string>()
  const context: ActionContext = {
    store: chargeMetadata(run),
    budget,
    profile: settings.profile,
    caller,
    txId,
    isAgent,
    ...block,
    hasNodeKey: settings.nodeKey !== undefined,
    call: (action, args) => invoke(context, { namespace: '', action, args }, { isReadOnly: txId === '' }).rows,
    notice: (text) => void notices.push(text),
    nextRowId: () => rowId(txId, ++rows),
    claimId(constraint, source) {
      const id = `${constraint} ${source}`
      if (claimed.has(id)) throw duplicateError(constraint)
      claimed.add(id)
    },
  }
  return context
}

/** The store of a run, where rows of metadata are paid for as they are walked: no action counts those of its checks. */
function chargeMetadata({ store, budget }: Run): LedgerStore {
  const list = (range: KeyRange) => (isMetadataRange(range) ? chargeRows(budget, store.list(range)) : store.list(range))
  return { ...store, list }
}

/** Writes notices as numbered lines. */
export function formatLogs(notices: readonly string[]): string {
  return notices.map((line, index) => `${index + 1}. ${line}`).join('\n')
}
