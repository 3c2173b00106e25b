/** Reads a list that has pages to its end, row by row. */

import { assertGoing, until } from './call-options.ts'
import { assertAtLeast, checkPage, type Page } from './operations/parameters.ts'
import type { Client } from './ports.ts'

interface PageRange {
  readonly limit: number
  readonly offset: number
}

/** Begin, length and end of an iteration. */
export interface PagesOptions<T> extends Page {
  /** Rows at most; all when left out. */
  readonly maxRows?: number | undefined
  /** Ends the iteration when it aborts, a page that is under way included. */
  readonly signal?: AbortSignal | undefined
  /** Counts what a page's limit counts; the rows when left out. */
  readonly sizeOf?: ((rows: readonly T[]) => number) | undefined
}

/**
 * Reads page after page until one is not full. A page is read when the rows before it are used up.
 *
 * @param read - reads one page: `limit` rows at most from `offset` on.
 * @param options - `limit` is the rows of a page, 100 when left out.
 * @throws StreamNetError invalid_argument when limit, offset or max_rows is out of range.
 * @throws StreamNetError as `assertGoing` does, for the signal.
 *
 * @example
 * const page = new AbortController()
 * const entries = iteratePages((part) => operations.listMetadataByHeight(client, { key: 'type', ...part }), {
 *   limit: 500,
 *   maxRows: 2000,
 *   signal: page.signal,
 * })
 * for await (const { streamId } of entries) console.log(streamId)
 */
export async function* iteratePages<T>(
  read: (page: PageRange) => Promise<readonly T[]>,
  options: PagesOptions<T> = {},
): AsyncGenerator<T, void, undefined> {
  const { maxRows = Number.MAX_SAFE_INTEGER, signal, sizeOf = ({ length }) => length } = options
  const [limit, start] = checkPage(options, 100, Number.MAX_SAFE_INTEGER)
  assertAtLeast(maxRows, 0, 'max_rows cannot be negative')
  let rest = maxRows
  for (let offset = start; rest > 0; offset += limit) {
    assertGoing(signal, 'the next page')
    const page = { limit: Math.min(limit, rest), offset }
    const rows = await (signal ? until(signal, () => read(page)) : read(page))
    yield* rows.slice(0, rest)
    rest -= rows.length
    if (sizeOf(rows) < page.limit) return
  }
}

/** Reads the list of an operation page after page; a page has `usual` rows where the parameters name no limit. */
export function iterateList<Params extends PagesOptions<T>, T>(
  list: (client: Client, params: Params) => Promise<readonly T[]>,
  client: Client,
  params: Params,
  usual: number,
): AsyncGenerator<T, void, undefined> {
  return iteratePages((page) => list(client, { ...params, ...page }), { limit: usual, ...params })
}
