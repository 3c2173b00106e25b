/** The shards of one stream's buckets: asks how many there are, and gives each shard the reports of its buckets. */

import { type Dispatcher, request } from 'undici'
import type { Status } from '#proto-json/index.ts'
import type { BucketUsage } from '#ratelimit/quota/messages.ts'
import { splitByShard } from '#ratelimit/quota/shard.ts'
import type { QuotaLink } from './quota-link.ts'
import { status, statusOfError } from './refusal.ts'

interface QuotaShardsOptions {
  /** Asks the service for the number of shards. */
  readonly askShardCount: (signal: AbortSignal) => Promise<number>
  /** Milliseconds that the service has to say the number. */
  readonly answerWithinMs: number
  /** Connects one shard. */
  readonly open: (shard: number, shardCount: number) => QuotaLink
  /** Ends the client's stream with a status. */
  readonly end: (outcome: Status) => void
}

/** Characters of reports that wait for the service at most, in all shards together. */
const mostWaiting = 1_048_576

/** Asks at once; a shard is connected when the first report of one of its buckets comes. */
export function createQuotaShards({ askShardCount, answerWithinMs, open, end }: QuotaShardsOptions) {
  const links = new Map<number, QuotaLink>()
  const asking = new AbortController()
  const early: (readonly BucketUsage[])[] = []
  let earlyLength = 0
  let shardCount: number | null = null
  const late = `Cannot carry stream: the service did not open it within ${answerWithinMs} ms`
  const timer = setTimeout(end, answerWithinMs, status('UNAVAILABLE', late))

  const waiting = () => [...links.values()].reduce((sum, link) => sum + link.waiting(), earlyLength)

  /** Ends the stream unless so many more characters may wait. @returns false once the stream has ended. */
  function endUnlessRoom(length: number): boolean {
    if (asking.signal.aborted) return false
    const isWithin = waiting() + length <= mostWaiting
    if (!isWithin) end(status('RESOURCE_EXHAUSTED', 'Cannot go on: the service does not take reports'))
    return isWithin
  }

  function sendTo(shard: number, count: number, usages: readonly BucketUsage[]): void {
    const text = JSON.stringify(usages)
    if (!endUnlessRoom(text.length)) return
    const link = links.get(shard) ?? open(shard, count)
    links.set(shard, link)
    link.send(text)
  }

  function send(usages: readonly BucketUsage[]): void {
    if (shardCount !== null) {
      for (const [shard, part] of splitByShard(usages, shardCount)) sendTo(shard, shardCount, part)
      return
    }
    const { length } = JSON.stringify(usages)
    if (!endUnlessRoom(length)) return
    early.push(usages)
    earlyLength += length
  }

  function begin(count: number): void {
    clearTimeout(timer)
    if (asking.signal.aborted) return
    shardCount = count
    earlyLength = 0
    for (const usages of early.splice(0)) send(usages)
  }

  askShardCount(asking.signal)
    .then(begin)
    .catch((error: unknown) => end(statusOfError(error, 'Cannot carry stream')))

  return {
    /** Sends the usages of one message; those that come before the number of shards is known wait for it. */
    send,
    close(): void {
      clearTimeout(timer)
      asking.abort()
      for (const link of links.values()) link.close()
    },
  }
}

/** The service as one stream sees it. */
export type QuotaShards = ReturnType<typeof createQuotaShards>

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
