import { expect, test } from 'vitest'
import { createRandom, type Random } from '#base/random.ts'
import { type LocalStreams, openLocalStreams } from '#devnode/local/ledger.ts'
import { insertLocalRecords } from '#devnode/local/records.ts'
import { readLocalIndex, readLocalRecords } from '#devnode/local/series.ts'
import { createLocalStream, deleteLocalStream } from '#devnode/local/streams.ts'
import { disableLocalTaxonomy, insertLocalTaxonomy } from '#devnode/local/taxonomies.ts'
import { createMemoryStore } from '#devnode/memory/store.ts'
import type { Span } from '#devnode/queries/reader.ts'

const idOf = (name: string) => `st${name.padStart(30, '0')}`
const one = 10n ** 18n

interface Row {
  readonly time: number
  readonly value: bigint
}

interface Taxonomy {
  readonly start: number
  readonly children: readonly { readonly child: string; readonly weight: bigint }[]
}

/** A network as plain data: values by time, and taxonomies in the order in which they were added. */
interface Network {
  readonly values: Readonly<Record<string, ReadonlyMap<number, bigint>>>
  readonly taxonomies: Readonly<Record<string, readonly Taxonomy[]>>
}

interface Leaf {
  readonly name: string
  readonly weight: bigint
  readonly start: number
  readonly end: number
}

/** The ways down from a stream, step by step as the extension's query goes, without a thought for time. */
function leavesBelow(network: Network, { name, weight, start, end }: Leaf): Leaf[] {
  const all = network.taxonomies[name] ?? []
  const starts = [...new Set(all.map((one) => one.start))].sort((left, right) => left - right)
  return starts.flatMap((begin, at) => {
    const taxonomy = all.findLast((candidate) => candidate.start === begin)
    const until = (starts[at + 1] ?? 1e9 + 1) - 1
    const [from, to] = [Math.max(begin, start), Math.min(until, end)]
    if (from > to) return []
    return (taxonomy?.children ?? []).flatMap(({ child, weight: own }) => {
      const product = (weight * own + one / 2n) / one
      if ((network.taxonomies[child] ?? []).length === 0)
        return [{ name: child, weight: product, start: from, end: to }]
      return leavesBelow(network, { name: child, weight: product, start: from, end: to })
    })
  })
}

/** Every row of a composed stream: the weighted mean at each moment, recomputed from nothing. */
function everyRow(network: Network, name: string): Row[] {
  const leaves = leavesBelow(network, { name, weight: one, start: 0, end: 1e9 })
  const times = new Set(leaves.map(({ start }) => start))
  for (const { name: leaf, start, end } of leaves) {
    for (const time of network.values[leaf]?.keys() ?? []) if (time >= start && time <= end) times.add(time)
  }
  return [...times]
    .sort((left, right) => left - right)
    .flatMap((time) => {
      let [sum, weights] = [0n, 0n]
      for (const leaf of leaves) {
        const known = [...(network.values[leaf.name] ?? [])].filter(([at]) => at <= time)
        const value = known.sort(([left], [right]) => left - right).at(-1)?.[1]
        if (value === undefined || time < leaf.start || time > leaf.end) continue
        sum += value * leaf.weight
        weights += leaf.weight
      }
      // Values here are whole and not negative, so half away from zero is half up.
      return weights === 0n ? [] : [{ time, value: (2n * sum + weights) / (2n * weights) }]
    })
}

function windowOf(rows: readonly Row[], from: number, to: number): Row[] {
  const anchor = rows.findLast(({ time }) => time <= from)
  return [...(anchor === undefined ? [] : [anchor]), ...rows.filter(({ time }) => time > from && time <= to)]
}

const settings = { operator: `0x${'2'.padStart(40, '0')}`, maxReadRows: 100_000 }

/** Values of three primitive streams, and taxonomies of the streams c1 and c2; c0 has none. */
function randomNetwork(random: Random): Network {
  return {
    values: Object.fromEntries(['p1', 'p2', 'p3'].map((name) => [name, randomValues(random)])),
    taxonomies: {
      c0: [],
      c1: randomTaxonomies(random, ['p1', 'p2', 'p3']),
      c2: randomTaxonomies(random, ['p1', 'p3', 'c1', 'c0']),
    },
  }
}

function randomValues(random: Random): ReadonlyMap<number, bigint> {
  const values = new Map<number, bigint>()
  const count = random.integer(0, 5)
  while (values.size < count) values.set(random.integer(0, 30), BigInt(random.integer(1, 10 ** 6)) * 10n ** 14n)
  return values
}

function randomTaxonomies(random: Random, streams: readonly string[]): readonly Taxonomy[] {
  return Array.from({ length: random.integer(0, 3) }, () => ({
    start: random.integer(0, 25),
    children: streams
      .filter(() => random.integer(0, 1) === 1)
      .map((child) => ({ child, weight: BigInt(random.integer(0, 3)) * (one / 2n) })),
  })).filter(({ children }) => children.length > 0)
}

/** The local streams of a new node with the values and the taxonomies of a network. */
function storeNetwork({ values, taxonomies }: Network): LocalStreams {
  const local = openLocalStreams(createMemoryStore(), settings)
  for (const [name, own] of Object.entries(values)) {
    createLocalStream(local, idOf(name), 'primitive')
    const records = [...own].map(([time, value]) => ({
      streamId: idOf(name),
      time: BigInt(time),
      value: `${value / one}.${String(value % one).padStart(18, '0')}`,
    }))
    if (records.length > 0) insertLocalRecords(local, records)
  }
  for (const name of Object.keys(taxonomies)) createLocalStream(local, idOf(name), 'composed')
  for (const [name, all] of Object.entries(taxonomies)) {
    for (const { start, children } of all) {
      insertLocalTaxonomy(local, {
        streamId: idOf(name),
        children: children.map(({ child, weight }) => ({ childId: idOf(child), weight: `${Number(weight) / 1e18}` })),
        startTime: BigInt(start),
      })
    }
  }
  return local
}

test('a composed local stream is the weighted mean at every moment, for 150 random networks', () => {
  let rowsSeen = 0
  for (let seed = 1; seed <= 150; seed++) {
    const random = createRandom(seed, 'local streams')
    const network = randomNetwork(random)
    const local = storeNetwork(network)
    const rows = everyRow(network, 'c2')
    rowsSeen += rows.length
    const read = (span: Span) =>
      readLocalRecords(local, idOf('c2'), span).map(({ time, value }) => ({ time: Number(time), value }))
    const from = random.integer(0, 30)
    const to = from + random.integer(0, 20)
    const window = { from: BigInt(from), to: BigInt(to) }
    expect(read(window), `seed ${seed}, ${from} to ${to}`).toEqual(windowOf(rows, from, to))
    expect(read({}), `seed ${seed}, latest`).toEqual(rows.slice(-1))
    const index = readLocalIndex(local, idOf('c2'), { from: 0n }, undefined)
    const base = rows[0]?.value ?? 1n
    expect(index.map(({ value }) => value)).toEqual(
      windowOf(rows, 0, 1e9).map(({ value }) => ((2n * value * 10n ** 18n + base) / (2n * base)) * 100n),
    )
  }
  expect(rowsSeen).toBeGreaterThan(250)
})

test('a stream whose children weigh nothing has no rows, and an index of nothing', () => {
  const local = openLocalStreams(createMemoryStore(), settings)
  createLocalStream(local, idOf('p'), 'primitive')
  createLocalStream(local, idOf('c'), 'composed')
  insertLocalRecords(local, [{ streamId: idOf('p'), time: 5n, value: '7' }])
  insertLocalTaxonomy(local, { streamId: idOf('c'), children: [{ childId: idOf('p'), weight: '0' }], startTime: 0n })
  expect(readLocalRecords(local, idOf('c'), { from: 0n, to: 9n })).toEqual([])
  expect(readLocalIndex(local, idOf('c'), { from: 0n, to: 9n }, undefined)).toEqual([])
  expect(() => readLocalIndex(local, idOf('c'), { from: 0n, to: 9n }, 5n)).toThrow('no data at base time')
  disableLocalTaxonomy(local, idOf('c'), 1n)
  insertLocalTaxonomy(local, { streamId: idOf('c'), children: [{ childId: idOf('p'), weight: '2' }], startTime: 0n })
  expect(readLocalRecords(local, idOf('c'), { from: 0n, to: 9n })).toEqual([{ time: 5n, value: 7n * one }])
  deleteLocalStream(local, idOf('p'))
  expect(readLocalRecords(local, idOf('c'), { from: 0n, to: 9n })).toEqual([])
})
