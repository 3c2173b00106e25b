import { describe, expect, test } from 'vitest'
import { createClient, iterateRecords } from '#streamnet/index.ts'
import type { CallResult, Client } from '#streamnet/ports.ts'

const streamId = `st${'0'.repeat(30)}`
const dataProvider = `0x${'1'.repeat(40)}`

/** A client of a stream with a record each second up to `last`, of which a read gives 10,000 at most. */
function connectDense(last: number): Client {
  const columnTypes = ['int8', 'numeric'].map((name) => ({ name, is_array: false, metadata: [0, 0] }))
  const view = async (_action: string, args: readonly unknown[]): Promise<CallResult> => {
    const [from, to] = [Number(args[2]), Math.min(Number(args[3]), last)]
    // The newest record before the window comes first.
    const dates = Array.from({ length: to - from + 2 }, (_, at) => from - 1 + at).filter((date) => date >= 0)
    const rows = dates.slice(0, 10_000).map((date) => [BigInt(date), '1.000000000000000000'])
    return { columnNames: ['event_time', 'value'], columnTypes, rows, logs: [] }
  }
  return { ...createClient({ endpoint: 'http://node.test' }), view }
}

describe('iterateRecords()', () => {
  test.each([
    ['', {}],
    [' when the cache is asked for', { useCache: true }],
  ])('gives each record of a window with more than one read gives%s', async (_, cache) => {
    const range = { streamId, dataProvider, dateFrom: 0, dateTo: 25_000, windowSeconds: 21_000, ...cache }
    const dates: number[] = []
    for await (const { date } of iterateRecords(connectDense(24_500), range)) dates.push(date)
    expect(dates).toEqual(Array.from({ length: 24_501 }, (_, date) => date))
  })
})
