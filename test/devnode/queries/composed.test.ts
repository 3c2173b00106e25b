import { describe, expect, test } from 'vitest'
import { numericText } from '#devnode/numeric.ts'
import { composedIndex, composedRecords } from '#devnode/queries/composed.ts'
import type { SeriesRow } from '#devnode/queries/reader.ts'
import { vectorsOf } from '../../support/streams-vectors.ts'
import { loadNetwork, type NetworkInput } from '../../support/vector-network.ts'

interface RandomInput extends NetworkInput {
  readonly query: {
    stream: string
    from: number | null
    to: number | null
    frozen_at: number | null
    base_time: number | null
  }
}

interface RandomExpected {
  readonly record: readonly (readonly [string, string])[]
  readonly index: readonly (readonly [string, string])[]
}

const asText = (rows: readonly SeriesRow[]) => rows.map(({ time, value }) => [String(time), numericText(value)])
const toBigInt = (value: number | null) => (value === null ? undefined : BigInt(value))

describe('composed series of random networks, as PostgreSQL computes them', () => {
  for (const { id, input, expected } of vectorsOf<RandomInput, RandomExpected>('composed_random')) {
    const { query } = input
    const window = { from: toBigInt(query.from), to: toBigInt(query.to), frozenAt: toBigInt(query.frozen_at) }

    test(`composedRecords() gives ${id}`, () => {
      const { reader, streamOf } = loadNetwork(input)
      expect(asText(composedRecords(reader, streamOf(query.stream).ref, window))).toEqual(expected.record)
    })

    test(`composedIndex() gives ${id}`, () => {
      const { reader, streamOf } = loadNetwork(input)
      const rows = composedIndex(reader, streamOf(query.stream).ref, window, {
        baseTime: toBigInt(query.base_time) ?? 0n,
      })
      expect(asText(rows)).toEqual(expected.index)
    })
  }
})
