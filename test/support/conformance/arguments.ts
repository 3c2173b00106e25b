/** Arguments of recorded steps as typed values: what they name is looked up in the run. */

import { decodeHex } from '#base/hex.ts'
import { encodeComponents, type QueryComponents } from '#streamnet/codec/abi.ts'
import { encodeArgs } from '#streamnet/codec/attestation.ts'
import { dataType } from '#streamnet/codec/value.ts'
import { parseAddress } from '#streamnet/ids.ts'
import { createSyncSigner, type SyncSigner } from '#streamnet/signing/sync-signer.ts'
import type { DataType, Scalar, TypedValue } from '#streamnet/types.ts'
import { type Argument, type Question, ScenarioError } from './scenario.ts'

/** Results of the steps so far, by their numbers. */
export interface Run {
  /** UNIX seconds that the times of the scenario count from. */
  readonly start: number
  /** Difference of the recorded heights to those of the run. */
  readonly ahead: number
  readonly heights: Map<number, number>
  /** Hashes of transactions, 64 hex digits. */
  readonly hashes: Map<number, string>
  /** Ids of the markets that steps have made. */
  readonly markets: Map<number, number>
  /** Hashes of the markets' questions in hex. */
  readonly questions: Map<number, string>
}

/** An id that no market of a run has. */
const missingMarket = 999_999

const signers = new Map<number, SyncSigner>()

/** The signer of a wallet, whose number is its private key. Each is made once: finding its address takes as long as signing. */
export function walletSigner(wallet: number): SyncSigner {
  const signer = signers.get(wallet) ?? createSyncSigner(wallet.toString(16).padStart(64, '0'))
  signers.set(wallet, signer)
  return signer
}

/** An argument as the value that is sent. */
export function toArgument(argument: Argument, run: Run): TypedValue {
  if (argument === null) return { type: dataType('null'), value: null }
  if (typeof argument === 'string') return text(argument)
  if (typeof argument === 'boolean') return { type: dataType('bool'), value: argument }
  for (const [name, read] of Object.entries(readers)) if (name in argument) return read(argument, run)
  throw new ScenarioError(`Cannot read the scenario: ${JSON.stringify(argument)} is not an argument`)
}

/** The parts of a market's question, its arguments in canonical form. */
export function questionComponents(question: Question, run: Run): QueryComponents {
  const { dp, sid, action, time = 0, bounds = [], frozen } = question
  const at = typeof time === 'number' ? time : run.start + time.t
  const args = question.args ?? [
    dp.toLowerCase(),
    sid,
    { i: at },
    ...bounds.map((n) => ({ n })),
    frozen === undefined || frozen === null ? null : { i: frozen },
  ]
  const encoded = encodeArgs(args.map((one) => toArgument(one, run)))
  return { dataProvider: parseAddress(dp), streamId: sid, action, args: encoded }
}

type Members = Readonly<Record<string, unknown>>

/** By the member that says which kind it is; a list comes first, because it has the members of a numeric besides. */
const readers: Readonly<Record<string, (argument: Members, run: Run) => TypedValue>> = {
  a: list,
  i: ({ i }) => int8(i),
  n: ({ n, p = 36, s = 18 }) => numeric(String(n), Number(p), Number(s)),
  u: ({ u }) => ({ type: dataType('uuid'), value: String(u) }),
  b: ({ b }) => bytea(decodeHex(String(b))),
  t: ({ t }, run) => int8(run.start + Number(t)),
  m: ({ m }, run) => int8(run.markets.get(Number(m)) ?? missingMarket),
  mh: ({ mh }, run) => bytea(decodeHex(run.questions.get(Number(mh)) ?? '')),
  qc: ({ qc }, run) => bytea(encodeComponents(questionComponents(qc as Question, run))),
  qa: ({ qa }, run) => bytea(questionComponents(qa as Question, run).args),
  h: ({ h, d }, run) => int8((run.heights.get(Number(h)) ?? 0) + Number(d)),
  tx: ({ tx }, run) => text(`0x${run.hashes.get(Number(tx)) ?? ''}`),
  txn: ({ txn }, run) => text(run.hashes.get(Number(txn)) ?? ''),
}

const int8 = (value: unknown): TypedValue => ({ type: dataType('int8'), value: BigInt(String(value)) })
const text = (value: string): TypedValue => ({ type: dataType('text'), value })
const bytea = (value: Uint8Array): TypedValue => ({ type: dataType('bytea'), value })
const numeric = (value: string, precision: number, scale: number): TypedValue => ({
  type: dataType('numeric', false, precision, scale),
  value: padDecimal(value, scale),
})

function list({ a, v, p = 36, s = 18 }: Members): TypedValue {
  const isNumeric = a === 'numeric'
  // A scenario names the types of the wire.
  const type = dataType(a as DataType['name'], true, isNumeric ? Number(p) : 0, isNumeric ? Number(s) : 0)
  const value = (v as readonly (string | number | boolean | null)[]).map((one): Scalar => {
    if (one === null || typeof one === 'boolean') return one
    if (a === 'bytea') return decodeHex(String(one))
    return a === 'int8' ? BigInt(one) : isNumeric ? padDecimal(String(one), Number(s)) : String(one)
  })
  return { type, value }
}

/** A decimal with all the digits of its scale, as the recording client wrote it. */
function padDecimal(text: string, scale: number): string {
  const [whole = '', fraction = ''] = text.split('.')
  return scale === 0 ? whole : `${whole}.${fraction.padEnd(scale, '0')}`
}
