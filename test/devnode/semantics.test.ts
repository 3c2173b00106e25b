import { describe, expect, test } from 'vitest'
import { numericText } from '#devnode/numeric.ts'
import { readIndex, readIndexChange } from '#devnode/queries/indexes.ts'
import { createBudget, type SeriesRow } from '#devnode/queries/reader.ts'
import { readFirstRecord, readLastRecord, readRecords } from '#devnode/queries/series.ts'
import { numeric } from '#streamnet/codec/value.ts'
import { generateStreamId } from '#streamnet/ids.ts'
import { keys, startTestNode } from '../support/devnode.ts'
import { vectorsOf } from '../support/streams-vectors.ts'
import { loadNetwork, type NetworkInput } from '../support/vector-network.ts'

interface SemanticsInput extends NetworkInput {
  readonly op: string
  readonly stream: string
  readonly from?: number | null
  readonly to?: number | null
  readonly after?: number | null
  readonly before?: number | null
  readonly frozen_at?: number | null
  readonly base_time?: number | null
  readonly time_interval?: number | null
  readonly allow_zeros?: boolean
}

interface SemanticsExpected {
  readonly rows?: readonly (readonly [string, string])[]
  readonly error_contains?: string
}

const toBigInt = (value: number | null | undefined) =>
  value === null || value === undefined ? undefined : BigInt(value)

function read(input: SemanticsInput): readonly SeriesRow[] {
  const { reader, streamOf } = loadNetwork(input)
  const access = { ...reader, budget: createBudget(100_000), wallet: '' }
  const stream = streamOf(input.stream)
  const window = { from: toBigInt(input.from), to: toBigInt(input.to), frozenAt: toBigInt(input.frozen_at) }
  const base = toBigInt(input.base_time)
  if (input.op === 'get_record') return readRecords(access, stream, window)
  if (input.op === 'get_index') return readIndex(access, stream, window, base)
  if (input.op === 'get_first_record')
    return readFirstRecord(access, stream, { from: toBigInt(input.after), frozenAt: window.frozenAt })
  if (input.op === 'get_last_record')
    return readLastRecord(access, stream, { to: toBigInt(input.before), frozenAt: window.frozenAt })
  if (input.op === 'get_index_change') {
    return readIndexChange(access, stream, window, { baseTime: base, interval: BigInt(input.time_interval ?? 0) })
  }
  throw new Error(`the test does not know ${input.op}`)
}

/** A network that is written by insertions, so that what insertion drops is dropped. */
function readInserted(input: SemanticsInput): readonly (readonly [string, string])[] {
  const node = startTestNode()
  const id = (name: string) => generateStreamId(name)
  for (const [name, rows] of Object.entries(input.primitives_inserted ?? {})) {
    node.must(keys.owner, 'create_stream', id(name), 'primitive', input.allow_zeros ?? false)
    for (const [time, value] of rows) {
      node.must(keys.owner, 'insert_record', keys.owner.address, id(name), time, numeric(value))
    }
  }
  const bound = (value: number | null | undefined) => value ?? null
  const rows = node.view(input.op, [keys.owner.address, id(input.stream), bound(input.from), bound(input.to), null])
  return rows.map(([time, value]) => [String(time), String(value)])
}

describe('series as the network tests them', () => {
  for (const { id, input, expected } of vectorsOf<SemanticsInput, SemanticsExpected>('stream_semantics')) {
    test(id, () => {
      if (expected.error_contains !== undefined) {
        expect(() => read(input)).toThrow(expected.error_contains)
      } else if (input.primitives_inserted !== undefined) {
        expect(readInserted(input)).toEqual(expected.rows)
      } else {
        expect(read(input).map(({ time, value }) => [String(time), numericText(value)])).toEqual(expected.rows)
      }
    })
  }

  test('readRecords() of a composed stream whose siblings all weigh nothing does not fail', () => {
    const vector = vectorsOf<SemanticsInput, SemanticsExpected>('stream_semantics').find(({ id }) =>
      id.endsWith('index_all_zero_siblings_errors'),
    )
    expect(vector).toBeDefined()
    if (vector !== undefined) expect(() => read({ ...vector.input, op: 'get_record' })).not.toThrow()
  })
})
