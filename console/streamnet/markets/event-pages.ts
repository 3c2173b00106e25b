/** Lists that the network gives page by page, oldest first: read to their end, where the newest are. */

/** Most rows that the network gives at once. */
export const pageRows = 1000

/** Most pages that are read. */
export const mostPages = 10

/** Reads page after page until one is not full; the oldest `mostPages * pageRows` rows of a longer list. */
export async function readPages<Row>(readPage: (offset: number) => Promise<readonly Row[]>): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (let page = 0; page < mostPages; page++) {
    const found = await readPage(page * pageRows)
    rows.push(...found)
    if (found.length < pageRows) break
  }
  return rows
}
