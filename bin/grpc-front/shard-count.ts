/** Asks the service into how many shards the buckets of a domain are split. */

import { type Dispatcher, request } from 'undici'

/** The most shards that a service has: QUOTA_SHARDS. */
const mostShards = 64

interface Asking {
  readonly headers: Readonly<Record<string, string>>
  readonly dispatcher: Dispatcher
  readonly signal: AbortSignal
}

/** Asks for the number; 1 after any failure, which opening the stream then reports. */
export async function askShardCount(url: URL, { headers, dispatcher, signal }: Asking): Promise<number> {
  try {
    // The connection is not kept: a stream that opened on one which is just being closed would end.
    const { statusCode, body } = await request(url, { headers, dispatcher, signal, reset: true })
    const answer = statusCode === 200 ? await body.json() : await body.dump()
    return hasShardCount(answer) ? answer.shards : 1
  } catch {
    return 1
  }
}

function hasShardCount(answer: unknown): answer is { readonly shards: number } {
  if (typeof answer !== 'object' || answer === null || !('shards' in answer)) return false
  const { shards } = answer
  return typeof shards === 'number' && Number.isInteger(shards) && shards >= 1 && shards <= mostShards
}
