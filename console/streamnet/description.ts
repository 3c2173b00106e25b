/** Transactions in words. */

import { counted } from '#base/naming.ts'
import type { ListedTransaction, Payload } from '#gateway/contract/chain.ts'
import { idTitle, walletTitle } from './name-book.ts'

/** The members of a transaction that its sentence needs. */
type Transaction = Pick<ListedTransaction, 'sender' | 'payload' | 'code'>

/** A transaction as a sentence: its sender, and its action. */
export function describeTransaction(transaction: Transaction): string {
  return `${describeSender(transaction)} ${describeAction(transaction)}`
}

/** The sender of a transaction. */
export function describeSender({ sender }: Transaction): string {
  return sender === null ? 'An unknown sender' : walletTitle(sender)
}

/** The action of a transaction, done or failed. */
export function describeAction({ payload, code }: Transaction): string {
  const [past, present, what] = actionWords(payload)
  return `${code === 0 ? past : `failed to ${present}`} ${what}`
}

/** The lists of `insert_records`: providers, stream ids, times and values. Each record has an element in each of them. */
const recordParts = 4

type ActionWords = readonly [past: string, present: string, what: string]

function actionWords(payload: Payload | null): ActionWords {
  if (payload === null) return ['sent', 'send', 'a transaction whose body is pruned']
  if (payload.kind === 'transfer')
    return ['transferred', 'transfer', `${formatAmount(payload.amount)} to ${walletTitle(payload.to)}`]
  if (payload.kind === 'other') return ['sent', 'send', `${payload.bytes} octets`]
  const streams = findStreamIds(payload)
  const [first] = streams
  const named = first === undefined ? '' : idTitle(first)
  const others = new Set(streams).size > 1 ? ' and others' : ''
  if (payload.action === 'insert_records' && payload.calls === 1 && first !== undefined) {
    const count = streams.length + Math.ceil(payload.left_out / recordParts)
    return ['inserted', 'insert', `${counted(count, 'record')} into ${named}${others}`]
  }
  const times = payload.calls > 1 ? ` ${payload.calls} times` : ''
  return ['ran', 'run', `${payload.action}${times}${named === '' ? '' : ` on ${named}${others}`}`]
}

type Execution = Extract<Payload, { readonly kind: 'execute' }>

/** The ids of streams among the arguments that are shown. */
function findStreamIds({ args }: Execution): readonly string[] {
  return args.flat(2).flatMap((arg) => (typeof arg === 'string' && /^st[a-z0-9]{30}$/.test(arg) ? [arg] : []))
}

/** An amount of the smallest unit as a decimal of 18 places, without zeros at its end. */
export function formatAmount(wei: string): string {
  const digits = wei.padStart(19, '0')
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, '')
}
