import { expect, test } from 'vitest'
import { iteratePages, type PagesOptions } from '#streamnet/pages.ts'

const rows = Array.from({ length: 25 }, (_, at) => at)

/** Reads to the end. */
async function collect<T>(source: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = []
  for await (const one of source) found.push(one)
  return found
}

/** Reads 25 rows, and gives the pages that were asked for too. */
async function readAll(options?: PagesOptions<number>) {
  const asked: string[] = []
  const read = async ({ limit, offset }: { readonly limit: number; readonly offset: number }) => {
    asked.push(`${offset}+${limit}`)
    return rows.slice(offset, offset + limit)
  }
  return { rows: await collect(iteratePages(read, options)), asked }
}

test('iteratePages() reads until a page is not full, from an offset on, and at most so many rows', async () => {
  expect(await readAll()).toEqual({ rows, asked: ['0+100'] })
  expect(await readAll({ limit: 10 })).toEqual({ rows, asked: ['0+10', '10+10', '20+10'] })
  expect(await readAll({ limit: 25 })).toEqual({ rows, asked: ['0+25', '25+25'] })
  expect(await readAll({ limit: 10, offset: 18 })).toEqual({ rows: rows.slice(18), asked: ['18+10'] })
  expect(await readAll({ limit: 10, maxRows: 13 })).toEqual({ rows: rows.slice(0, 13), asked: ['0+10', '10+3'] })
  expect(await readAll({ maxRows: 0 })).toEqual({ rows: [], asked: [] })
})

test('iteratePages() counts a page as its reader says, and gives no more rows than asked for', async () => {
  const read = async ({ offset }: { readonly offset: number }) => (offset < 4 ? ['a', 'a', 'b', 'b', 'b'] : ['c'])
  const sizeOf = (page: readonly string[]) => new Set(page).size
  const found = await collect(iteratePages(read, { limit: 2, sizeOf }))
  expect(found.join('')).toBe('aabbbaabbbc')
  expect(await collect(iteratePages(read, { limit: 2, maxRows: 7, sizeOf }))).toHaveLength(7)
})

test('iteratePages() ends by its signal: before a page, and within one', async () => {
  let asked = 0
  const over = iteratePages(async () => [asked++], { signal: AbortSignal.abort() })
  await expect(over.next()).rejects.toMatchObject({ code: 'aborted' })
  expect(asked).toBe(0)

  const caller = new AbortController()
  const never = iteratePages(() => new Promise<number[]>(() => {}), { signal: caller.signal }).next()
  caller.abort()
  await expect(never).rejects.toMatchObject({ code: 'aborted' })
})

test.each([
  [{ limit: 0 }, 'limit must be between 1 and'],
  [{ offset: -1 }, 'offset cannot be negative, got -1'],
  [{ maxRows: 0.5 }, 'max_rows cannot be negative, got 0.5'],
])('iteratePages() refuses %o', async (options, message) => {
  await expect(readAll(options)).rejects.toThrow(message)
})
