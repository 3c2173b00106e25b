/** The table of sampled requests, many in a row. */

import type { SampledRequest } from '#ratelimit/usage/types.ts'

/** Opens the sampled requests. */
export function requestTable(storage: DurableObjectStorage) {
  const { sql } = storage
  /** Sampled requests that a reader gets: rows hold many, so that there may be more. */
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

/** A sampled request as JSON. Addends have 64 bits, which JSON numbers have not. */
export function requestText(request: SampledRequest): string {
  return JSON.stringify(request, (_, value) => (typeof value === 'bigint' ? { bigint: String(value) } : value))
}

function parseRequests(text: string): readonly SampledRequest[] {
  // Texts of `requestText` only.
  return JSON.parse(text, (_, value) =>
    typeof value?.bigint === 'string' ? BigInt(value.bigint) : value,
  ) as readonly SampledRequest[]
}

/** Characters of requests in a row: one that has them all beyond ASCII stays below the platform's bound. */
const rowCharacters = 400_000

/** Divides texts into as few rows as have room for them. */
function packRows(texts: readonly string[]): readonly (readonly string[])[] {
  const rows: string[][] = []
  let room = 0
  for (const text of texts) {
    room -= text.length + 1
    if (room < 0) [room] = [rowCharacters - text.length, rows.push([])]
    rows.at(-1)?.push(text)
  }
  return rows
}
