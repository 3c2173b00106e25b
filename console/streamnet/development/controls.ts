/** The controls of the development node: a method each, with its fields and its result in words. */

import type { Options } from '../../frame/fields.tsx'
import { formatNumber } from '../../frame/number.ts'
import { dateTime } from '../../frame/time.ts'
import { units } from '../funds.ts'
import type { Outcome } from './node.ts'

/** Texts of the fields of a control by their names. */
export type Values = Readonly<Record<string, string>>

/** A field, and the parameter of the method that it gives. */
export interface ControlField {
  readonly name: string
  readonly label: string
  readonly hint: string
  /** A whole number from 1, or one with a fraction; text when absent. */
  readonly form?: 'integer' | 'decimal'
  readonly options?: Options
  /** Sent while the field is empty; `own wallet` is the gateway's address. */
  readonly initial?: string
  readonly isOptional?: boolean
}

/** A method that a person calls from a form. */
export interface Control {
  readonly title: string
  readonly method: string
  readonly action: string
  readonly fields: readonly ControlField[]
  /** The result in a few words. */
  readonly describe: (outcome: Outcome, values: Values) => string
}

const describeBlock = ({ height = 0, chain_time_ms = 0 }: Outcome) =>
  `block ${formatNumber(height)}, the clock says ${dateTime(chain_time_ms)}`
const bridges = ['hoodi_tt', 'hoodi_tt2', 'sepolia', 'ethereum', 'eth_truf', 'eth_usdc']
const faults = [
  'invalid_nonce', 'mempool_full', 'catching_up', 'no_backend', 'connection_refused', 'no_such_host',
  'connection_reset', 'unexpected_eof', 'deadline_exceeded', 'failed_to_estimate_price', 'internal_error',
  'signature_lost', 'vote_lost', 'applied_then_lost',
] // biome-ignore format: one glance
const wallet: ControlField = {
  name: 'wallet',
  label: 'Wallet',
  hint: "the gateway's own when empty",
  initial: 'own wallet',
}

/** Every control, in the order of the view. */
export const controls: readonly Control[] = [
  {
    title: 'Blocks',
    method: 'dev.mine',
    action: 'Mine',
    fields: [{ name: 'blocks', label: 'Blocks', hint: 'how many, 1 when empty', form: 'integer', isOptional: true }],
    describe: describeBlock,
  },
  {
    title: 'Time',
    method: 'dev.increaseTime',
    action: 'Move the clock on',
    fields: [
      { name: 'seconds', label: 'Seconds', hint: 'a day has 86400; the next block has the time', form: 'integer' },
    ],
    describe: describeBlock,
  },
  {
    title: 'Snapshot',
    method: 'dev.snapshot',
    action: 'Take a snapshot',
    fields: [],
    describe: ({ snapshot }) => `snapshot ${snapshot}`,
  },
  {
    title: 'Revert',
    method: 'dev.revert',
    action: 'Revert',
    fields: [{ name: 'snapshot', label: 'Snapshot', hint: 'its number; later ones are forgotten', form: 'integer' }],
    describe: describeBlock,
  },
  {
    title: 'Faucet',
    method: 'dev.setBalance',
    action: 'Set balance',
    fields: [
      {
        name: 'bridge',
        label: 'Token',
        hint: 'hoodi_tt pays fees (TRUF), hoodi_tt2 shares of markets',
        options: bridges,
        initial: 'hoodi_tt',
      },
      wallet,
      { name: 'amount', label: 'Amount', hint: 'in tokens, such as 100', form: 'decimal' },
    ],
    describe: (_, { amount, bridge }) => `${amount} of ${bridge}`,
  },
  {
    title: 'Impersonate',
    method: 'dev.impersonate',
    action: 'Impersonate',
    fields: [{ name: 'wallet', label: 'Wallet', hint: '0x and 40 hex digits' }],
    describe: ({ impersonated = [] }) => `${impersonated.length} impersonated: ${impersonated.join(', ')}`,
  },
  {
    title: 'Fail the next call',
    method: 'dev.failNext',
    action: 'Fail it',
    fields: [
      { name: 'error', label: 'Failure', hint: 'what the caller gets', options: faults, initial: 'mempool_full' },
      { name: 'method', label: 'Method', hint: 'user.broadcast when empty', isOptional: true },
    ],
    describe: ({ faults: set = [] }) =>
      set.map(({ method, kind, times }) => `${method}: ${kind}, ${times} times`).join('; '),
  },
  {
    title: 'Seed network',
    method: 'dev.loadSeedNetwork',
    action: 'Load the seed network',
    fields: [],
    describe: ({ streams = [] }) => `${streams.length} streams`,
  },
]

/** The mistake in a value; a number that JSON cannot say would pass for one that is left out. */
export function findMistake({ form, isOptional }: ControlField, value: string): string | undefined {
  if (value === '') return isOptional === true ? undefined : 'expected a value'
  if (form === 'integer') return /^[1-9]\d{0,14}$/.test(value) ? undefined : 'expected a whole number, 1 at least'
  if (form === 'decimal') return /^\d{1,15}(\.\d{1,18})?$/.test(value) ? undefined : 'expected a number of tokens'
  return undefined
}

/** The parameters of a call; an empty field is left out. @param values - Without mistakes. */
export function makeParams({ fields }: Control, values: Values): Readonly<Record<string, string | number>> {
  const given = fields.flatMap(({ name, form }) => {
    const value = values[name] ?? ''
    if (value === '') return []
    if (form === 'decimal') return [[name, units(values.bridge ?? '', value)] as const]
    return [[name, form === 'integer' ? Number(value) : value] as const]
  })
  return Object.fromEntries(given)
}
