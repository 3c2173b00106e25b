/** Writes answers as scenarios have them: what no two runs share is named by the step that it comes from. */

import { decodeBase64 } from '#base/base64.ts'
import { encodeHex } from '#base/hex.ts'
import type { Run } from './arguments.ts'
import type { Table } from './play.ts'

/** Writes the answer of an action; the answers of a run are given in order, because uuids are counted. */
export type AnswerWriter = (answer: unknown, action: string) => unknown

/** Names of the values of a run. */
interface Names {
  readonly run: Run
  /** Address of the node that makes the blocks. */
  readonly leader: string
  readonly byHash: ReadonlyMap<string, number>
  readonly byHeight: ReadonlyMap<string, number>
  readonly byMarket: ReadonlyMap<string, number>
  readonly byQuestion: ReadonlyMap<string, number>
  /** Uuids and participants, in the order in which they were first seen. */
  readonly uuids: Map<string, number>
  readonly participants: Map<string, number>
}

/** Columns that are numbered for the whole node; their ids are not markets. */
const ownNumbers: Readonly<Record<string, string>> = { get_order_events_by_wallet: 'id', maa_get_events: 'id' }

/** Makes the writer of a run that has ended. */
export function createAnswerWriter(run: Run, leader: string): AnswerWriter {
  const names: Names = {
    run,
    leader,
    byHash: stepsByValue(run.hashes),
    byHeight: stepsByValue(run.heights),
    byMarket: stepsByValue(run.markets),
    byQuestion: new Map([...run.questions].map(([step, hash]) => [hash, step])),
    uuids: new Map(),
    participants: new Map(),
  }
  return (answer, action) => writeAnswer(names, answer, action)
}

/** The first step of each value. */
function stepsByValue<T>(steps: ReadonlyMap<number, T>): ReadonlyMap<string, number> {
  return new Map([...steps].reverse().map(([step, value]) => [String(value), step]))
}

function writeAnswer(names: Names, answer: unknown, action: string): unknown {
  if (answer === null) return null
  if (Array.isArray(answer)) return [answer[0], writeText(names, String(answer[1]))]
  // Answers are made by playStep(), in these forms.
  const { rpc, error, refused } = answer as Readonly<Record<string, unknown>>
  if (rpc !== undefined) return { rpc }
  if (refused !== undefined) return { refused }
  if (error !== undefined) return { error: writeText(names, String(error)) }
  const { columns, types, rows, logs } = answer as Table
  const isMarket = (column: string) => /query_id|^id$|market_id/.test(column) && ownNumbers[action] !== column
  return {
    columns,
    types,
    rows: rows.map((row) =>
      row.map((value, at) => {
        const column = columns[at] ?? ''
        const place = { column, type: types[at] ?? '', isMarket: isMarket(column), action }
        return writeCell(names, value, place)
      }),
    ),
    logs: writeText(names, logs),
  }
}

interface Place {
  readonly column: string
  readonly type: string
  readonly isMarket: boolean
  readonly action: string
}

function writeCell(names: Names, value: unknown, place: Place): unknown {
  const { column, type, isMarket, action } = place
  if (Array.isArray(value)) {
    return value.map((one) => writeCell(names, one, { ...place, type: type.replace('[]', '') }))
  }
  if (typeof value !== 'string') return value
  if (type === 'uuid') return `$u${numberOf(names.uuids, value)}`
  if (type === 'bytea') {
    const content = decodeBase64(value)
    return writeBytes(names, withoutOwn(content, action, column))
  }
  if (/participant_id/.test(column)) return `$p${numberOf(names.participants, value)}`
  if (isMarket && names.byMarket.has(value)) return `$m${names.byMarket.get(value)}`
  if (/created_at|height|granted_at|block|_at$/.test(column) && names.byHeight.has(value)) {
    return `$h${names.byHeight.get(value)}`
  }
  if (/distribution_id/.test(column)) return '$d'
  if (/^external/.test(column)) return value
  // The height of a block without a step: as far from the first as in the recording.
  if (/height/.test(column)) return String(Number(value) + names.run.ahead)
  return type === 'int8' ? (writeTime(names, Number(value)) ?? value) : writeText(names, value)
}

/** A signed attestation counts without its height and its signature. */
function withoutOwn(content: Uint8Array, action: string, column: string): Uint8Array {
  if (action === 'get_signed_attestation') return content.fill(0, 2, 10).subarray(0, -65)
  if (action !== 'get_transaction_attestation') return content
  if (column === 'result_canonical') return content.fill(0, 2, 10)
  return column === 'signature' ? content.subarray(0, 0) : content
}

function numberOf(seen: Map<string, number>, value: string): number {
  const number = seen.get(value) ?? seen.size
  seen.set(value, number)
  return number
}

/** Distance of a time from the start, in seconds; a number outside is not taken for a time. */
const [earliest, latest] = [-5000, 1_000_000]

function writeTime({ run }: Names, value: number): string | undefined {
  const seconds = value - run.start
  if (seconds <= earliest || seconds >= latest) return undefined
  return `$t${seconds < 0 ? '' : '+'}${seconds}`
}

function writeText(names: Names, value: string): string {
  const { leader, byHash, byHeight, byMarket } = names
  return value
    .replaceAll(leader, '$leader')
    .replaceAll(/\b1[0-9]{9}\b/g, (all) => writeTime(names, Number(all)) ?? all)
    .replaceAll(/\b(?:0x)?([0-9a-f]{64})\b/g, (all, hash: string) =>
      byHash.has(hash) ? `$tx${byHash.get(hash)}` : all,
    )
    .replaceAll(/(block=)(\d+)/g, (all, name: string, height: string) =>
      byHeight.has(height) ? `${name}$h${byHeight.get(height)}` : all,
    )
    .replaceAll(/(query_id(?::|=) ?)(\d+)/g, (all, name: string, market: string) =>
      byMarket.has(market) ? `${name}$m${byMarket.get(market)}` : all,
    )
}

function writeBytes(names: Names, bytes: Uint8Array): string {
  const hex = encodeHex(bytes)
  if (names.byQuestion.has(hex)) return `$hash${names.byQuestion.get(hex)}`
  if (`0x${hex}` === names.leader) return '$leader'
  if (names.byHash.has(hex)) return `$tx${names.byHash.get(hex)}`
  return withTimes(names, bytes, hex)
}

/** Times inside encoded arguments are eight octets, big endian. */
function withTimes(names: Names, bytes: Uint8Array, hex: string): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let written = hex
  for (let at = 0; at + 8 <= bytes.length; at++) {
    const time = writeTime(names, Number(view.getBigUint64(at)))
    if (time === undefined) continue
    written = `${written.slice(0, at * 2)}${`<${time}>`.padEnd(16, '.')}${written.slice(at * 2 + 16)}`
  }
  return written
}
