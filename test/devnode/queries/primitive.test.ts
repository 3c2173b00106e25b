import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '#devnode/memory/store.ts'
import {
  dailyPrices,
  firstPrimitiveRecord,
  lastPrimitiveRecord,
  primitiveIndex,
  primitiveRecords,
} from '#devnode/queries/primitive.ts'
import { createBudget, type Reader } from '#devnode/queries/reader.ts'
import { putEvent } from '#devnode/state/events.ts'
import { sweep } from '../../support/sweep.ts'

const one = 10n ** 18n
const stream = 1

/** Versions as [height, time, value]. */
function readerOf(versions: readonly (readonly [height: number, time: bigint, value: bigint])[]): Reader {
  const store = createMemoryStore()
  for (const [height, time, value] of versions) putEvent(store, stream, height, { time, value: value * one })
  return { store, budget: createBudget(100_000) }
}

const window = (from?: bigint, to?: bigint, frozenAt?: bigint) => ({ from, to, frozenAt })
const plain = (rows: readonly { time: bigint; value: bigint }[]) => rows.map(({ time, value }) => [time, value / one])

const versions = [
  [1, 10n, 1n],
  [1, 20n, 2n],
  [2, 20n, 22n],
  [3, 30n, 3n],
] as const

describe('primitiveRecords()', () => {
  test('returns the anchor with its own time, then all values up to the end', () => {
    expect(plain(primitiveRecords(readerOf(versions), stream, window(15n, 30n)))).toEqual([
      [10n, 1n],
      [20n, 22n],
      [30n, 3n],
    ])
  })

  test('counts only versions up to the height it is frozen at', () => {
    expect(plain(primitiveRecords(readerOf(versions), stream, window(1n, 99n, 1n)))).toEqual([
      [10n, 1n],
      [20n, 2n],
    ])
    expect(plain(primitiveRecords(readerOf(versions), stream, window(undefined, undefined, 2n)))).toEqual([[20n, 22n]])
    expect(primitiveRecords(readerOf(versions), stream, window(1n, 99n, 0n))).toEqual([])
  })

  test('takes the last of two values for one time in one block', () => {
    const reader = readerOf([
      [1, 10n, 1n],
      [1, 10n, 7n],
    ])
    expect(plain(primitiveRecords(reader, stream, window()))).toEqual([[10n, 7n]])
  })

  test('equals a plain search through all versions', () => {
    const version = fc.tuple(
      fc.integer({ min: 1, max: 4 }),
      fc.bigInt({ min: 0n, max: 12n }),
      fc.bigInt({ min: 1n, max: 50n }),
    )
    const bound = fc.bigInt({ min: 0n, max: 13n })
    fc.assert(
      fc.property(
        fc.array(version, { maxLength: 30 }),
        bound,
        bound,
        fc.bigInt({ min: 0n, max: 5n }),
        (all, a, b, frozenAt) => {
          const [from, to] = a < b ? [a, b] : [b, a]
          const latest = new Map<bigint, readonly [number, bigint]>()
          for (const [height, time, value] of all) {
            if (BigInt(height) <= frozenAt && height >= (latest.get(time)?.[0] ?? 0)) latest.set(time, [height, value])
          }
          const times = [...latest.keys()].sort((left, right) => Number(left - right))
          const anchor = times.findLast((time) => time <= from)
          const inside = times.filter((time) => time > from && time <= to)
          const expected = (anchor === undefined ? inside : [anchor, ...inside]).map((time) => [
            time,
            latest.get(time)?.[1],
          ])
          expect(plain(primitiveRecords(readerOf(all), stream, window(from, to, frozenAt)))).toEqual(expected)
        },
      ),
      { seed: 6, numRuns: sweep(500) },
    )
  })
})

describe('first, last and index', () => {
  test('lastPrimitiveRecord() is before a moment, firstPrimitiveRecord() at or after one', () => {
    const reader = readerOf(versions)
    expect(plain(lastPrimitiveRecord(reader, stream, { to: 20n, from: 20n }))).toEqual([[10n, 1n]])
    expect(plain(firstPrimitiveRecord(reader, stream, { to: 20n, from: 20n }))).toEqual([[20n, 22n]])
    expect(firstPrimitiveRecord(reader, stream, { from: 31n })).toEqual([])
  })

  test('primitiveIndex() is 100 at its base: the one read there, the one after, or an error', () => {
    const reader = readerOf(versions)
    const index = (base?: bigint) => plain(primitiveIndex(reader, stream, window(30n, 30n), base))
    expect(index(undefined)).toEqual([[30n, 300n]])
    expect(index(5n)).toEqual([[30n, 300n]])
    expect(index(30n)).toEqual([[30n, 100n]])
    expect(() => primitiveIndex(readerOf([]), stream, window(), undefined)).toThrow(
      'no base value found: no records in stream',
    )
    expect(() => primitiveIndex(readerOf([]), stream, window(), 5n)).toThrow('no base value found')
    expect(() => primitiveIndex(readerOf([[1, 1n, 0n]]), stream, window(), 1n)).toThrow('base value is 0')
  })
})

test('dailyPrices() reads from the first to the last second of a day, every version of a value', () => {
  const reader = readerOf([
    [1, 172_799n, 1n],
    [1, 172_800n, 5n],
    [2, 172_800n, 4n],
    [1, 200_000n, 9n],
    [1, 259_199n, 3n],
    [1, 259_200n, 99n],
  ])
  const prices = dailyPrices(reader, stream, 2n)
  expect(prices).toEqual({ open: 4n * one, high: 9n * one, low: 3n * one, close: 3n * one })
  expect(dailyPrices(reader, stream, 4n)).toBeUndefined()
})
