/** Applies transactions and answers calls: the one place where an action meets the state. */

import { decodeActionCall, type decodeTransfer } from '../streamnet/codec/payload.ts'
import { txCodes } from '../streamnet/rpc/codes.ts'
import type { QueryResultJson } from '../streamnet/rpc/methods.ts'
import type { ActionCall } from '../streamnet/types.ts'
import type { ActionContext } from './actions/action.ts'
import { findPrice } from './admission.ts'
import { authorizeRun } from './agents/authorize.ts'
import type { BlockTransaction } from './blocks.ts'
import { callerText } from './caller.ts'
import { invoke, toQueryResult } from './engine.ts'
import { DevnodeError } from './errors.ts'
import type { Overlay } from './overlay.ts'
import { decodePayload } from './payload.ts'
import type { LedgerStore } from './ports.ts'
import { type Budget, createBudget } from './queries/reader.ts'
import type { NodeSettings } from './settings.ts'
import { findAccount, putAccount } from './state/accounts.ts'
import type { TxOutcome } from './state/chain.ts'
import { rowId } from './state/metadata.ts'

const maxLogLength = 10_000

/** The block that an action runs in. */
export interface BlockContext {
  readonly height: number
  /** UNIX seconds. */
  readonly blockTime: number
  readonly leader: string
}

interface CallOutcome {
  readonly result: QueryResultJson
  /** The notices of the action as numbered lines. */
  readonly logs: string
  /** The text an action refused with; the call itself is then still a success. */
  readonly error: string | null
}

/** Rows that take as long to read as a transaction does without its calls. */
const transactionRows = 100
/** Rows that take as long as a call does without its reads and writes. */
const callRows = 40
/** Rows that take as long as a write. */
const writeRows = 10

/** The outcome of a transaction, and the rows that it has touched. */
interface Applied {
  readonly outcome: TxOutcome
  readonly rows: number
}

/**
 * Applies one transaction to the state.
 *
 * A transaction that fails leaves nothing but its nonce, and its fee where the chain charges one. It fails when its
 * calls touch more than `maxReadRows`, of which a call and a write count several.
 */
export function applyTransaction(
  store: Overlay,
  settings: NodeSettings,
  block: BlockContext,
  item: BlockTransaction,
): Applied {
  const { transaction } = item
  const fee = findPrice(settings, transaction.payloadType) ?? 0n
  const account = findAccount(store, transaction.sender)
  putAccount(store, transaction.sender, { nonce: transaction.nonce, balance: account.balance - fee })
  const notices: string[] = []
  const budget = createBudget(settings.maxReadRows)
  const run = { store: chargeWrites(store, budget), settings, block, notices, budget }
  const applied = (code: number, log: string) => ({
    outcome: { code, log, gas: Number(fee) },
    rows: transactionRows + budget.spent(),
  })
  try {
    store.attempt(() => execute(run, item))
    return applied(txCodes.ok, formatLogs(notices))
  } catch (error) {
    const failure = toFailure(error)
    const text = failure.message.startsWith('ERROR: ') ? failure.message : `ERROR: ${failure.message}`
    const logs = formatLogs(notices)
    const log = logs === '' ? text : `${logs}\n${text}`
    // A text may quote an argument, and an argument may have megabytes.
    return applied(findTxCode(failure), log.slice(0, maxLogLength))
  }
}

/** A ledger that is read, and the block whose height and time its views see. */
interface LedgerView {
  readonly store: LedgerStore
  readonly settings: NodeSettings
  readonly block: BlockContext
}

/**
 * Answers a view call.
 *
 * @param caller - the address that asks, in mixed case; empty for an anonymous caller.
 * @throws DevnodeError as the action does, but for the action's own refusal, which is part of the outcome.
 */
export function answerCall(view: LedgerView, caller: string, call: ActionCall): CallOutcome {
  const notices: string[] = []
  const budget = createBudget(view.settings.maxReadRows)
  const context = contextFor({ ...view, notices, budget }, { caller, txId: '' })
  try {
    const invoked = invoke(context, call, { isReadOnly: true })
    return { result: toQueryResult(invoked), logs: formatLogs(notices), error: null }
  } catch (error) {
    if (!(error instanceof DevnodeError) || error.code !== 'action_failed') throw error
    const empty = { column_names: null, column_types: null, values: null }
    return { result: empty, logs: formatLogs(notices), error: error.message }
  }
}

/** A store whose writes are paid for. */
function chargeWrites(store: LedgerStore, { spend }: Budget): LedgerStore {
  return {
    ...store,
    put(key, value) {
      spend(writeRows)
      store.put(key, value)
    },
    delete(key) {
      spend(writeRows)
      store.delete(key)
    },
  }
}

/** One transaction or call while it runs: what it acts on, its notices, and the bound on its work. */
interface Run extends LedgerView {
  readonly notices: string[]
  readonly budget: Budget
}

function execute(run: Run, { hash, transaction, payload = decodePayload(transaction) }: BlockTransaction): void {
  if (payload?.kind === 'transfer') {
    transfer(run.store, transaction.sender, payload.transfer)
    return
  }
  if (payload?.kind === 'agent') {
    runAsWallet(run, { hash, transaction })
    return
  }
  if (payload?.kind !== 'execute') {
    throw new DevnodeError('engine_failed', 'raw statements are not supported by the development node')
  }
  const { namespace, action, calls } = payload.execution
  const caller = callerText(transaction.sender)
  const context = contextFor(run, { caller, txId: hash })
  // A list of calls that is too long is refused before its first call is made.
  run.budget.spend(callRows * Math.max(1, calls.length))
  for (const args of calls.length === 0 ? [[]] : calls) {
    invoke(context, { namespace, action, args }, { isReadOnly: false })
  }
}

/** Runs an action whose caller is the agent wallet; the nonce and the fee are the signer's. */
function runAsWallet(run: Run, { hash, transaction }: Pick<BlockTransaction, 'hash' | 'transaction'>): void {
  run.budget.spend(callRows)
  const { wallet, isAgent, invocation } = authorizeRun(run.store, transaction.sender, transaction.payload)
  invoke(contextFor(run, { caller: callerText(wallet), txId: hash, isAgent }), invocation, { isReadOnly: false })
}

function transfer(store: LedgerStore, sender: string, { to, amount }: ReturnType<typeof decodeTransfer>): void {
  if (amount < 0n) throw new DevnodeError('engine_failed', `invalid transfer amount: ${amount}`)
  const from = findAccount(store, sender)
  if (from.balance < amount) throw new DevnodeError('engine_failed', 'insufficient balance')
  putAccount(store, sender, { ...from, balance: from.balance - amount })
  const receiver = findAccount(store, to)
  putAccount(store, to, { ...receiver, balance: receiver.balance + amount })
}

/** The caller of an action and its transaction, which a view does not have; `isAgent` is false when left out. */
type CallOrigin = Pick<ActionContext, 'caller' | 'txId'> & Partial<Pick<ActionContext, 'isAgent'>>

function contextFor(run: Run, { caller, txId, isAgent = false }: CallOrigin): ActionContext {
  const { store, settings, block, notices, budget } = run
  let rows = 0
  const context: ActionContext = {
    store,
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
  }
  return context
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

function formatLogs(notices: readonly string[]): string {
  return notices.map((line, index) => `${index + 1}. ${line}`).join('\n')
}

function findTxCode(failure: DevnodeError): number {
  if (failure.code === 'namespace_missing') return txCodes.namespaceMissing
  if (failure.code === 'invalid_sender') return txCodes.invalidSender
  return failure.code === 'invalid_payload' ? txCodes.encoding : txCodes.unknown
}

/** An error that is not the node's own must not stop the chain: the transaction fails and tells nothing. */
function toFailure(error: unknown): DevnodeError {
  if (error instanceof DevnodeError) return error
  return new DevnodeError('engine_failed', 'internal error', { cause: error })
}
