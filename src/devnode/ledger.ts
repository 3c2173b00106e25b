/** Applies transactions: each changes the state as a whole or leaves only its nonce and its fee. */

import type { decodeTransfer } from '../streamnet/codec/payload.ts'
import { txCodes } from '../streamnet/rpc/codes.ts'
import type { SignedTransaction } from '../streamnet/types.ts'
import { type BlockContext, createContext, formatLogs, type Run } from './actions/context.ts'
import { findPrice } from './admission.ts'
import { authorizeRun } from './agents/authorize.ts'
import { callerText } from './caller.ts'
import { invoke } from './engine.ts'
import { DevnodeError, engineError } from './errors.ts'
import type { Overlay } from './overlay.ts'
import { decodePayload, type Payload } from './payload.ts'
import type { LedgerStore } from './ports.ts'
import { type Budget, createBudget } from './queries/reader.ts'
import type { NodeSettings } from './settings.ts'
import { findAccount, putAccount } from './state/accounts.ts'
import type { TxOutcome } from './state/chain.ts'

const maxLogLength = 10_000

/** Rows that take as long to read as a transaction does without its calls. */
const transactionRows = 100
/** Rows that take as long as a call does without its reads and writes. */
const callRows = 40
/** Rows that take as long as a write. */
const writeRows = 10

/** A transaction by its hash. */
export interface BlockTransaction {
  readonly hash: string
  readonly transaction: SignedTransaction
  /** As admission has decoded it; a transaction that has waited is decoded again. */
  readonly payload?: Payload
}

/** The outcome of a transaction, and the rows that it has touched. */
interface Applied {
  readonly outcome: TxOutcome
  readonly rows: number
}

/**
 * Applies one transaction to the state. One that fails leaves nothing but its nonce, and its fee where the chain
 * charges one. It fails when its calls touch more than `maxReadRows`, of which a call and a write count several.
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
    throw engineError('raw statements are not supported by the development node')
  }
  const { namespace, action, calls } = payload.execution
  const caller = callerText(transaction.sender)
  const context = createContext(run, { caller, txId: hash })
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
  invoke(createContext(run, { caller: callerText(wallet), txId: hash, isAgent }), invocation, { isReadOnly: false })
}

function transfer(store: LedgerStore, sender: string, { to, amount }: ReturnType<typeof decodeTransfer>): void {
  if (amount < 0n) throw engineError(`invalid transfer amount: ${amount}`)
  const from = findAccount(store, sender)
  if (from.balance < amount) throw engineError('insufficient balance')
  putAccount(store, sender, { ...from, balance: from.balance - amount })
  const receiver = findAccount(store, to)
  putAccount(store, to, { ...receiver, balance: receiver.balance + amount })
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
