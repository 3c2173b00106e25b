/**
 * Plays answers that were recorded from a real node against a development node in memory, and tells which differ.
 *
 * A step is a transaction (`x`), a view (`v`) or a wait (`w`). Its last member says what the network leaves open:
 * `set` (the order of rows), `nolog` (the cache's text), `skip`.
 */

import { decodeBase64, encodeBase64 } from '../../src/base/base64.ts'
import { decodeHex, encodeHex } from '../../src/base/hex.ts'
import { profiles } from '../../src/devnode/profiles.ts'
import { encodeComponents, type QueryComponents } from '../../src/streamnet/codec/abi.ts'
import { encodeArgs, hashComponents } from '../../src/streamnet/codec/attestation.ts'
import { encodeActionCall, encodeActionExecution } from '../../src/streamnet/codec/payload.ts'
import { dataType } from '../../src/streamnet/codec/value.ts'
import { parseAddress } from '../../src/streamnet/ids.ts'
import { type ColumnType, type QueryResultJson, transactionToJson } from '../../src/streamnet/rpc/methods.ts'
import { createSigner } from '../../src/streamnet/signing/signer.ts'
import type { DataType, Scalar, TypedValue } from '../../src/streamnet/types.ts'
import { keys, nextNonce, signTransaction, startTestNode, type TestNode } from './devnode.ts'

type Argument = null | string | boolean | Readonly<Record<string, unknown>>
type Step = readonly [
  kind: string,
  wallet: number,
  action: string,
  args: readonly unknown[],
  answer: unknown,
  open?: string,
]

/** What a market or an attestation of a recording asks. */
interface Question {
  readonly dp: string
  readonly sid: string
  readonly action: string
  /** Arguments of an action that asks of no threshold. */
  readonly args?: readonly Argument[]
  readonly time?: number | { readonly t: number }
  readonly bounds?: readonly string[]
  readonly frozen?: number | null
}

/** A recording: who has what at the start, and its steps. */
export interface Scenario {
  readonly funds: readonly (readonly (string | number)[])[]
  readonly roles: readonly (readonly (string | number)[])[]
  readonly steps: readonly unknown[]
  /** Height and seconds after the start of every transaction; without them each gets a second. */
  readonly paces?: readonly (readonly number[] | null)[]
  readonly firstHeight?: number
}

/** Columns and types of answers, kept once a shape. */
export type Shapes = readonly (readonly (readonly string[])[])[]

/** A recorded answer that the node does not give. */
export interface Difference {
  readonly index: number
  readonly action: string
  readonly given: unknown
  readonly expected: unknown
}

/** What has become of the steps so far, by their numbers. */
interface Run {
  /** UNIX seconds that times count from. */
  readonly start: number
  /** What the recorded heights are ahead of the node's. */
  readonly ahead: number
  readonly heights: Map<number, number>
  readonly hashes: Map<number, string>
  readonly markets: Map<number, number>
  /** Hashes of the markets' questions in hex. */
  readonly questions: Map<number, string>
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

const int8 = (value: unknown): TypedValue => ({ type: dataType('int8'), value: BigInt(String(value)) })
const text = (value: string): TypedValue => ({ type: dataType('text'), value })
const bytea = (value: Uint8Array): TypedValue => ({ type: dataType('bytea'), value })
const numeric = (n: unknown, p: unknown, s: unknown): TypedValue => ({
  type: dataType('numeric', false, Number(p), Number(s)),
  value: decimalText(String(n), Number(s)),
})

/** Canonical arguments and the rest of a question. */
function componentsOf(question: Question, run: Run): QueryComponents {
  const { dp, sid, action, time = 0, bounds = [], frozen } = question
  const at = typeof time === 'number' ? time : run.start + time.t
  const args = question.args ?? [
    dp.toLowerCase(),
    sid,
    { i: at },
    ...bounds.map((n) => ({ n })),
    frozen === undefined || frozen === null ? null : { i: frozen },
  ]
  const encoded = encodeArgs(args.map((one) => typed(one, run)))
  return { dataProvider: parseAddress(dp), streamId: sid, action, args: encoded }
}

function typed(argument: Argument, run: Run): TypedValue {
  if (argument === null) return { type: dataType('null'), value: null }
  if (typeof argument === 'string') return text(argument)
  if (typeof argument === 'boolean') return { type: dataType('bool'), value: argument }
  if ('a' in argument) return listOf(argument)
  if ('i' in argument) return int8(argument.i)
  if ('u' in argument) return { type: dataType('uuid'), value: String(argument.u) }
  if ('b' in argument) return bytea(decodeHex(String(argument.b)))
  if ('t' in argument) return int8(run.start + Number(argument.t))
  if ('m' in argument) return int8(run.markets.get(Number(argument.m)) ?? 999_999)
  if ('mh' in argument) return bytea(decodeHex(run.questions.get(Number(argument.mh)) ?? ''))
  if ('qc' in argument) return bytea(encodeComponents(componentsOf(argument.qc as Question, run)))
  if ('qa' in argument) return bytea(componentsOf(argument.qa as Question, run).args)
  if ('h' in argument) return int8((run.heights.get(Number(argument.h)) ?? 0) + Number(argument.d))
  if ('tx' in argument) return text(`0x${run.hashes.get(Number(argument.tx)) ?? ''}`)
  if ('txn' in argument) return text(run.hashes.get(Number(argument.txn)) ?? '')
  const { n, p = 36, s = 18 } = argument
  return numeric(n, p, s)
}

/** Sends a transaction and gives code and log; keeps its hash, its height and the market that it made. */
function execute(node: TestNode, run: Run, index: number, [, wallet, action, calls]: Step): unknown {
  const signer = signerOf(wallet)
  const given = calls as readonly (readonly Argument[])[]
  const payload = encodeActionExecution({
    namespace: '',
    action,
    calls: given.map((args) => args.map((one) => typed(one, run))),
  })
  const tx = signTransaction(signer, { chainId: 'test-chain', nonce: nextNonce(node, signer), payload })
  const { tx_hash } = node.rpc('user.broadcast', { tx: transactionToJson(tx) }) as { tx_hash: string }
  const { height, tx_result } = node.rpc('user.tx_query', { tx_hash }) as {
    height: number
    tx_result: { code: number; log?: string }
  }
  run.hashes.set(index, tx_hash)
  run.heights.set(index, height)
  noteMarket(node, run, index, given.flat())
  return [tx_result.code, tx_result.log ?? '']
}

function noteMarket(node: TestNode, run: Run, index: number, args: readonly Argument[]): void {
  const asked = args.find((one) => one !== null && typeof one === 'object' && 'qc' in one)
  if (asked === undefined) return
  // The argument was found by having the member.
  const question = (asked as { readonly qc: Question }).qc
  const hash = hashComponents(componentsOf(question, run))
  run.questions.set(index, encodeHex(hash))
  const { query_result } = node.call('get_market_by_hash', [hash])
  const id = query_result.values?.[0]?.[0]
  if (id !== undefined) run.markets.set(index, Number(id))
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

/** Writes what no two runs share as the recording has it: by the step that it comes from. */
function symbolic(run: Run) {
  const byValue = <T>(steps: ReadonlyMap<number, T>) =>
    new Map([...steps].reverse().map(([step, value]) => [String(value), step]))
  const [byHash, byHeight] = [byValue(run.hashes), byValue(run.heights)]
  const [byMarket, byQuestion] = [byValue(run.markets), new Map([...run.questions].map(([s, h]) => [h, s]))]
  const [uuids, people] = [new Map<string, number>(), new Map<string, number>()]
  const numbered = (seen: Map<string, number>, value: string) => {
    if (!seen.has(value)) seen.set(value, seen.size)
    return seen.get(value)
  }
  const time = (value: number) => {
    const seconds = value - run.start
    if (seconds <= -5000 || seconds >= 1_000_000) return undefined
    return `$t${seconds < 0 ? '' : '+'}${seconds}`
  }
  const words = (value: string) =>
    value
      .replaceAll(keys.operator.address, '$leader')
      .replaceAll(/\b1[0-9]{9}\b/g, (all) => time(Number(all)) ?? all)
      .replaceAll(/\b(?:0x)?([0-9a-f]{64})\b/g, (all, hash: string) =>
        byHash.has(hash) ? `$tx${byHash.get(hash)}` : all,
      )
      .replaceAll(/(block=)(\d+)/g, (all, name: string, height: string) =>
        byHeight.has(height) ? `${name}$h${byHeight.get(height)}` : all,
      )
      .replaceAll(/(query_id(?::|=) ?)(\d+)/g, (all, name: string, market: string) =>
        byMarket.has(market) ? `${name}$m${byMarket.get(market)}` : all,
      )
  const bytes = (value: Uint8Array) => {
    const hex = encodeHex(value)
    if (byQuestion.has(hex)) return `$hash${byQuestion.get(hex)}`
    if (`0x${hex}` === keys.operator.address) return '$leader'
    if (byHash.has(hex)) return `$tx${byHash.get(hex)}`
    return withTimes(value, hex, time)
  }
  const cell = (value: unknown, column: string, type: string, action: string): unknown => {
    if (Array.isArray(value)) return value.map((one) => cell(one, column, type.replace('[]', ''), action))
    if (typeof value !== 'string') return value
    if (type === 'uuid') return `$u${numbered(uuids, value)}`
    if (type === 'bytea') {
      const content = decodeBase64(value)
      // A signed attestation counts without its height and its signature.
      return bytes(action === 'get_signed_attestation' ? content.fill(0, 2, 10).subarray(0, -65) : content)
    }
    if (/participant_id/.test(column)) return `$p${numbered(people, value)}`
    const isMarket = /query_id|^id$|market_id/.test(column) && !running[action]?.includes(column)
    if (isMarket && byMarket.has(value)) return `$m${byMarket.get(value)}`
    if (/created_at|height|granted_at|block|_at$/.test(column) && byHeight.has(value)) {
      return `$h${byHeight.get(value)}`
    }
    if (/distribution_id/.test(column)) return '$d'
    // A block without a step: as far from the first as in the recording.
    if (/height/.test(column)) return String(Number(value) + run.ahead)
    return type === 'int8' ? (time(Number(value)) ?? value) : words(value)
  }
  return (answer: unknown, action: string): unknown => {
    if (Array.isArray(answer)) return [answer[0], words(String(answer[1]))]
    const { rpc, error, columns, types, rows, logs } = answer as Readonly<Record<string, unknown>>
    if (rpc !== undefined) return { rpc }
    if (error !== undefined) return { error: words(String(error)) }
    const [names, kinds] = [columns as readonly string[], types as readonly string[]]
    return {
      columns,
      types,
      rows: (rows as readonly unknown[][]).map((row) =>
        row.map((value, at) => cell(value, names[at] ?? '', kinds[at] ?? '', action)),
      ),
      logs: words(String(logs)),
    }
  }
}

/** Times inside encoded arguments are eight octets, big endian. */
function withTimes(bytes: Uint8Array, hex: string, time: (value: number) => string | undefined): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let written = hex
  for (let at = 0; at + 8 <= bytes.length; at++) {
    const value = Number(view.getBigUint64(at))
    const name = value < 1e12 ? time(value) : undefined
    if (name === undefined) continue
    written = `${written.slice(0, at * 2)}${`<${name}>`.padEnd(16, '.')}${written.slice(at * 2 + 16)}`
  }
  return written
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

function recorded(answer: unknown, shapes: Shapes): unknown {
  const table = answer as Rows
  if (Array.isArray(answer) || table.rows === undefined) return answer
  const [columns, types] = shapes[table.s ?? 0] ?? []
  return { columns, types, rows: table.rows, logs: table.logs ?? '' }
}

/**
 * Columns that count all that a node has: the recording node had other markets, events and bridges before. They
 * are compared by what they have changed since the first answer of the same action with the same last argument.
 */
const running: Readonly<Record<string, readonly string[]>> = {
  validate_market_collateral: ['vault_balance', 'expected_collateral'],
  get_order_events_by_wallet: ['id'],
}

/** Writes running columns as differences; one such writer reads all answers of a run in order. */
function sinceFirst(series: (step: Step) => string) {
  const firsts = new Map<string, bigint>()
  return (answer: unknown, step: Step): unknown => {
    const names = running[step[2]]
    const { columns, rows } = (answer ?? {}) as { columns?: readonly string[]; rows?: readonly unknown[][] }
    if (names === undefined || columns === undefined || rows === undefined) return answer
    const told = rows.map((row) =>
      row.map((cell, at) => {
        const column = columns[at] ?? ''
        if (!names.includes(column) || typeof cell !== 'string') return cell
        const key = `${column} ${series(step)}`
        const first = firsts.get(key) ?? BigInt(cell)
        firsts.set(key, first)
        return `+${BigInt(cell) - first}`
      }),
    )
    return { ...(answer as object), rows: told }
  }
}

/** The first height of a run that has the same place between samplings of liquidity as the recorded one. */
function aheadOf(node: TestNode, firstHeight: number | undefined): number {
  if (firstHeight === undefined) return 0
  const { block_height } = node.rpc('user.chain_info') as { block_height: number }
  return firstHeight - (Math.ceil((block_height + 1) / 50) * 50 + (firstHeight % 50))
}

function keepPace(node: TestNode, run: Run, pace: readonly number[] | null | undefined): void {
  node.nowMs += 1000
  if (pace === null || pace === undefined) return
  const [height = 0, seconds] = pace
  const { block_height } = node.rpc('user.chain_info') as { block_height: number }
  const missing = height - run.ahead - block_height - 1
  if (missing > 0) node.rpc('dev.mine', { blocks: missing })
  if (seconds !== undefined) {
    node.rpc('dev.setNextBlockTimestamp', { timestamp: run.start + seconds })
  }
}

function wait(node: TestNode, run: Run, awaited: Readonly<Record<string, number>>): void {
  if (awaited.t !== undefined) {
    node.rpc('dev.setNextBlockTimestamp', { timestamp: run.start + awaited.t })
    return
  }
  const step: Step = ['v', 1, 'get_signed_attestation', [{ txn: awaited.signed }], null]
  for (let blocks = 0; blocks < 5; blocks++) {
    if ('rows' in (view(node, run, step) as object)) return
    node.rpc('dev.mine', { blocks: 1 })
  }
}

/** Plays a recording on a new node in the profile of today. */
export function playScenario(scenario: Scenario, shapes: Shapes): readonly Difference[] {
  const node = startTestNode({ profile: profiles.head, writers: [], managers: [] })
  // A time that no address of the recordings has among its octets.
  node.nowMs = 1_790_000_000_000
  for (const [bridge, wallet, amount] of scenario.funds) {
    node.rpc('dev.setBalance', { bridge, wallet: signerOf(Number(wallet)).address, amount })
  }
  for (const [wallet, owner, role] of scenario.roles) {
    node.rpc('dev.grantRole', { wallet: signerOf(Number(wallet)).address, owner, role })
  }
  const run: Run = {
    start: Math.floor(node.nowMs / 1000) + 30,
    ahead: aheadOf(node, scenario.firstHeight),
    heights: new Map(),
    hashes: new Map(),
    markets: new Map(),
    questions: new Map(),
  }
  // Read from JSON, whose steps have this form.
  const steps = scenario.steps as readonly Step[]
  const answers = steps.map((step, index) => {
    if (step[0] === 'w') {
      // A wait has in the place of the wallet what it waits for.
      wait(node, run, step[1] as unknown as Readonly<Record<string, number>>)
      return null
    }
    if (step[0] === 'v') return view(node, run, step)
    keepPace(node, run, scenario.paces?.[index])
    return execute(node, run, index, step)
  })
  const write = symbolic(run)
  // All of them, in order: a uuid is named by where it is first seen.
  const told = steps.map(([, , action], index) =>
    answers[index] === null ? null : write(answers[index], action),
  )
  const bridges = new Map(
    steps.map(([, , , args], index) => [index, (args as readonly Argument[][])?.[0]?.[0]]),
  )
  const series = ([, , action, args]: Step) => {
    const market = (args[0] as { readonly m?: number } | null)?.m
    return action === 'validate_market_collateral' ? String(bridges.get(market ?? -1)) : ''
  }
  const [shiftGiven, shiftRecorded] = [sinceFirst(series), sinceFirst(series)]
  return steps.flatMap((step, index) => {
    const [kind, , action, , wanted, open] = step
    if (kind === 'w' || open === 'skip') return []
    const given = fixed(shiftGiven(told[index], step), open)
    const expected = fixed(shiftRecorded(recorded(wanted, shapes), step), open)
    return JSON.stringify(given) === JSON.stringify(expected) ? [] : [{ index, action, given, expected }]
  })
}
