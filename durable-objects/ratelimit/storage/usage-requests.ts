/** The table of sampled requests, many in a row. */

import type { SampledRequest } from '#ratelimit/usage/types.ts'

/** Opens the sampled requests. */
export function requestTable(storage: DurableObjectStorage) {
  const { sql } = storage
  /** Most sampled requests that a reader gets; the oldest row may hold more than are kept. */
  let kept = Number.POSITIVE_INFINITY

  function forgetBeyond(limit: number): void {
    const rows = sql.exec<{ number: number; count: number }>(
      'SELECT number, count FROM usage_requests ORDER BY number DESC',
    )
    let newer = 0
    for (const { number, count } of rows.toArray()) {
      if (newer >= limit) sql.exec('DELETE FROM usage_requests WHERE number = ?', number)
      newer += count
    }
  }

  return {
    /**
     * Keeps the newest `limit` sampled requests, many in a row.
     *
     * @param requests - as `requestText` makes them.
     */
    addRequests(requests: readonly string[], limit: number): void {
      storage.transactionSync(() => {
        for (const texts of packRows(requests)) {
          const row = `[${texts.join(',')}]`
          sql.exec('INSERT INTO usage_requests (count, requests) VALUES (?, ?)', texts.length, row)
        }
        forgetBeyond(limit)
      })
      kept = limit
    },
    /** The sampled requests, the oldest first. */
    requests(): readonly SampledRequest[] {
      const rows = sql.exec<{ requests: string }>('SELECT requests FROM usage_requests ORDER BY number').toArray()
      return rows.flatMap(({ requests }) => parseRequests(requests)).slice(-kept)
    },
  }
}

/** A sampled request as JSON. BigInts are written as `{ bigint }`, because JSON has none. */
export function requestText(request: SampledRequest): string {
  return JSON.stringify(request, (_, value) => (typeof value === 'bigint' ? { bigint: String(value) } : value))
}

function parseRequests(text: string): readonly SampledRequest[] {
  // Texts of `requestText` only.
  return JSON.parse(text, (_, value) =>
    typeof value?.bigint === 'string' ? BigInt(value.bigint) : value,
  ) as readonly SampledRequest[]
}

/** Characters of requests in a row; a row stays below the platform's bound even if none of them is ASCII. */
const rowCharacters = 400_000

/** Divides texts into as few rows as have room for them. */
function packRows(texts: readonly string[]): readonly (readonly string[])[] {
  const rows: string[][] = []
  let row: string[] = []
  let length = rowCharacters
  for (const text of texts) {
    length += text.length + 1
    if (length > rowCharacters) {
      row = []
      rows.push(row)
      length = text.length
    }
    row.push(text)
  }
  return rows
}
