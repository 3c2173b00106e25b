import { describe, expect, it } from 'vitest'
import { mostPages, pageRows, readPages } from '#console/streamnet/markets/event-pages.ts'

/** Reads a list of so many rows as the network gives it, and remembers the offsets. */
function listOf(count: number) {
  const offsets: number[] = []
  const readPage = async (offset: number) => {
    offsets.push(offset)
    return Array.from({ length: Math.max(0, Math.min(pageRows, count - offset)) }, (_, at) => offset + at)
  }
  return { offsets, readPage }
}

describe('readPages()', () => {
  it.each([
    [0, 1],
    [1, 1],
    [pageRows - 1, 1],
    [pageRows, 2],
    [2 * pageRows + 1, 3],
  ])('gives %d rows, the newest last, in %d pages', async (count, pages) => {
    const { offsets, readPage } = listOf(count)
    expect(await readPages(readPage)).toEqual(Array.from({ length: count }, (_, at) => at))
    expect(offsets).toHaveLength(pages)
  })

  it('ends after the largest number of pages', async () => {
    const { offsets, readPage } = listOf(1e6)
    expect(await readPages(readPage)).toHaveLength(mostPages * pageRows)
    expect(offsets.at(-1)).toBe((mostPages - 1) * pageRows)
  })
})
