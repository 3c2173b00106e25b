/** The development node against the recorded answers of a real one: texts, codes, columns and rows, step by step. */

import { expect, test } from 'vitest'
import { encodeBase64 } from '../../src/base/base64.ts'
import { encodeHex } from '../../src/base/hex.ts'
import { profiles } from '../../src/devnode/profiles.ts'
import { encodeActionCall, encodeActionExecution } from '../../src/streamnet/codec/payload.ts'
import { dataType } from '../../src/streamnet/codec/value.ts'
import { type ColumnType, type QueryResultJson, transactionToJson } from '../../src/streamnet/rpc/methods.ts'
import { createSigner } from '../../src/streamnet/signing/signer.ts'
import type { DataType, Scalar, TypedValue } from '../../src/streamnet/types.ts'
import { keys, nextNonce, signTransaction, startTestNode, type TestNode } from '../support/devnode.ts'
import document from '../vectors/network-traces.json' with { type: 'json' }

type Argument = null | string | boolean | Readonly<Record<string, unknown>>
type Step = readonly [
  kind: string,
  wallet: number,
  action: string,
  args: readonly unknown[],
  answer: unknown,
  open?: string,
]

/** What has become of the steps so far, by their numbers. */
interface Run {
  readonly heights: Map<number, number>
  readonly hashes: Map<number, string>
}

const signerOf = (wallet: number) => createSigner(wallet.toString(16).padStart(64, '0'))

/** A decimal with all the digits of its scale, as the recording client wrote it. */
function decimalText(text: string, scale: number): string {
  const [whole = '', fraction = ''] = text.split('.')
  return scale === 0 ? whole : `${whole}.${fraction.padEnd(scale, '0')}`
}

function listOf({ a, v, p = 36, s = 18 }: Readonly<Record<string, unknown>>): TypedValue {
  const isNumeric = a === 'numeric'
  const type = dataType(a as DataType['name'], true, isNumeric ? Number(p) : 0, isNumeric ? Number(s) : 0)
  const value = (v as readonly (string | number | boolean | null)[]).map((one): Scalar => {
    if (one === null || typeof one === 'boolean') return one
    return a === 'int8' ? BigInt(one) : isNumeric ? decimalText(String(one), Number(s)) : String(one)
  })
  return { type, value }
}

function typed(argument: Argument, run: Run): TypedValue {
  if (argument === null) return { type: dataType('null'), value: null }
  if (typeof argument === 'string') return { type: dataType('text'), value: argument }
  if (typeof argument === 'boolean') return { type: dataType('bool'), value: argument }
  if ('a' in argument) return listOf(argument)
  if ('i' in argument) return { type: dataType('int8'), value: BigInt(String(argument.i)) }
  if ('u' in argument) return { type: dataType('uuid'), value: String(argument.u) }
  if ('h' in argument) {
    const height = (run.heights.get(Number(argument.h)) ?? 0) + Number(argument.d)
    return { type: dataType('int8'), value: BigInt(height) }
  }
  if ('tx' in argument)
    return { type: dataType('text'), value: `0x${run.hashes.get(Number(argument.tx)) ?? ''}` }
  const { n, p = 36, s = 18 } = argument
  return { type: dataType('numeric', false, Number(p), Number(s)), value: decimalText(String(n), Number(s)) }
}

/** Sends a transaction and gives code and log; keeps its hash and its height. */
function execute(node: TestNode, run: Run, index: number, [, wallet, action, calls]: Step): unknown {
  const signer = signerOf(wallet)
  const payload = encodeActionExecution({
    namespace: '',
    action,
    calls: (calls as readonly (readonly Argument[])[]).map((args) => args.map((one) => typed(one, run))),
  })
  const tx = signTransaction(signer, { chainId: 'test-chain', nonce: nextNonce(node, signer), payload })
  const { tx_hash } = node.rpc('user.broadcast', { tx: transactionToJson(tx) }) as { tx_hash: string }
  const { height, tx_result } = node.rpc('user.tx_query', { tx_hash }) as {
    height: number
    tx_result: { code: number; log?: string }
  }
  run.hashes.set(index, tx_hash)
  run.heights.set(index, height)
  return [tx_result.code, tx_result.log ?? '']
}

function view(node: TestNode, run: Run, [, wallet, action, args]: Step): unknown {
  const payload = encodeActionCall({
    namespace: '',
    action,
    args: (args as readonly Argument[]).map((one) => typed(one, run)),
  })
  const request = {
    body: { payload: encodeBase64(payload), challenge: null },
    auth_type: 'secp256k1_ep',
    sender: wallet === 0 ? '' : signerOf(wallet).address.slice(2),
    signature: null,
  }
  const answer = node.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'user.call', params: request }))
  if (typeof answer === 'string') throw new Error(answer)
  if ('error' in answer.body) return { rpc: [answer.body.error.code, answer.body.error.message] }
  const result = answer.body.result as {
    query_result: QueryResultJson
    logs: string
    error: string | null
  }
  if (result.error !== null) return { error: result.error }
  const { column_names, column_types, values } = result.query_result
  return {
    columns: column_names ?? [],
    types: (column_types ?? []).map(typeText),
    rows: values ?? [],
    logs: result.logs,
  }
}

function typeText({ name, is_array, metadata }: ColumnType): string {
  const [precision = 0, scale = 0] = metadata ?? []
  return `${name}${precision > 0 ? `(${precision},${scale})` : ''}${is_array ? '[]' : ''}`
}

/** Writes hashes, heights, uuids and the leader as the recording has them: by the step that they come from. */
function symbolic(run: Run) {
  const steps = new Map([...run.hashes].map(([step, hash]) => [hash, step]))
  const firstAt = new Map([...run.heights].reverse().map(([step, height]) => [String(height), step]))
  const uuids = new Map<string, number>()
  const text = (value: string) =>
    value
      .replaceAll(keys.operator.address, '$leader')
      .replaceAll(/\b(?:0x)?([0-9a-f]{64})\b/g, (all, hash: string) =>
        steps.has(hash) ? `$tx${steps.get(hash)}` : all,
      )
  const cell = (value: unknown, column: string, type: string): unknown => {
    if (Array.isArray(value)) return value.map((one) => cell(one, column, type.replace('[]', '')))
    if (typeof value !== 'string') return value
    if (type === 'uuid') {
      if (!uuids.has(value)) uuids.set(value, uuids.size)
      return `$u${uuids.get(value)}`
    }
    if (type === 'bytea') return encodeHex(Uint8Array.from(atob(value), (one) => one.charCodeAt(0)))
    const isHeight = /created_at|height|granted_at|block|_at$/.test(column) && firstAt.has(value)
    return isHeight ? `$h${firstAt.get(value)}` : text(value)
  }
  return (answer: unknown): unknown => {
    if (Array.isArray(answer)) return [answer[0], text(String(answer[1]))]
    const { rpc, error, columns, types, rows, logs } = answer as Readonly<Record<string, unknown>>
    if (rpc !== undefined) return { rpc }
    if (error !== undefined) return { error: text(String(error)) }
    const [names, kinds] = [columns as readonly string[], types as readonly string[]]
    return {
      columns,
      types,
      rows: (rows as readonly unknown[][]).map((row) =>
        row.map((value, at) => cell(value, names[at] ?? '', kinds[at] ?? '')),
      ),
      logs: text(String(logs)),
    }
  }
}

interface Rows {
  readonly s?: number
  readonly rows: readonly unknown[]
  readonly logs?: string
}

/** An answer without what the network leaves open. */
function fixed(answer: unknown, open: string | undefined): unknown {
  if (Array.isArray(answer) || (answer as Partial<Rows>).rows === undefined) return answer
  const table = answer as Rows
  if (open === 'set') return { ...table, rows: table.rows.map((row) => JSON.stringify(row)).sort() }
  return open === 'nolog' ? { ...table, logs: '' } : table
}

function recorded(answer: unknown): unknown {
  const table = answer as Rows
  if (Array.isArray(answer) || table.rows === undefined) return answer
  const [columns, types] = document.shapes[table.s ?? 0] ?? []
  return { columns, types, rows: table.rows, logs: table.logs ?? '' }
}

test('every recorded answer of a real node is given to the byte, in the profile of today', () => {
  const node = startTestNode({ profile: profiles.head, writers: [], managers: [] })
  for (const [bridge, wallet, amount] of document.funds) {
    node.rpc('dev.setBalance', { bridge, wallet: signerOf(Number(wallet)).address, amount })
  }
  for (const [wallet, owner, role] of document.roles) {
    node.rpc('dev.grantRole', { wallet: signerOf(Number(wallet)).address, owner, role })
  }
  const run: Run = { heights: new Map(), hashes: new Map() }
  // Read from JSON, whose steps have this form.
  const steps = document.steps as unknown as readonly Step[]
  const answers = steps.map((step, index) => {
    node.nowMs += 1000
    return step[0] === 'x' ? execute(node, run, index, step) : view(node, run, step)
  })
  const write = symbolic(run)
  const told = answers.map(write)
  const differences = steps.flatMap(([, , action, , wanted, open], index) => {
    if (open === 'skip') return []
    const [given, expected] = [fixed(told[index], open), fixed(recorded(wanted), open)]
    return JSON.stringify(given) === JSON.stringify(expected) ? [] : [{ index, action, given, expected }]
  })
  expect(steps.length).toBe(600)
  expect(differences).toEqual([])
})
