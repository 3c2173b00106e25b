/** The shards of one stream's buckets: asks how many there are, and gives each shard the reports of its buckets. */

import { type Dispatcher, request } from 'undici'
import type { Status } from '#proto-json/index.ts'
import type { BucketUsage } from '#ratelimit/quota/messages.ts'
import { splitByShard } from '#ratelimit/quota/shard.ts'
import type { QuotaLink } from './quota-link.ts'
import { status, statusOfError } from './refusal.ts'

/** The service as one stream sees it. */
export interface QuotaShards {
  /** Sends the usages of one message; those that come before the number of shards is known wait for it. */
  send(usages: readonly BucketUsage[]): void
  close(): void
}

interface QuotaShardsOptions {
  readonly ask: (signal: AbortSignal) => Promise<number>
  /** Milliseconds that the service has for that answer. */
  readonly answerWithinMs: number
  readonly open: (shard: number, shards: number) => QuotaLink
  readonly end: (outcome: Status) => void
}

/** Characters of reports that wait for the service at most, in all shards together. */
const mostWaiting = 1_048_576
/** The most shards that a service has: QUOTA_SHARDS. */
const mostShards = 64

/** Asks at once; a shard is connected when the first report of one of its buckets comes. */
export function createQuotaShards({ ask, answerWithinMs, open, end }: QuotaShardsOptions): QuotaShards {
  const links = new Map<number, QuotaLink>()
  const asking = new AbortController()
  const early: (readonly BucketUsage[])[] = []
  let earlyLength = 0
  let shards: number | null = null
  const late = `Cannot carry stream: the service did not open it within ${answerWithinMs} ms`
  const timer = setTimeout(end, answerWithinMs, status('UNAVAILABLE', late))

  const waiting = () => [...links.values()].reduce((sum, link) => sum + link.waiting(), earlyLength)

  /** Checks that so many more characters may wait; the stream ends when they may not. */
  function mayWait(length: number): boolean {
    if (asking.signal.aborted) return false
    const isWithin = waiting() + length <= mostWaiting
    if (!isWithin) end(status('RESOURCE_EXHAUSTED', 'Cannot go on: the service does not take reports'))
    return isWithin
  }

  function sendTo(shard: number, known: number, usages: readonly BucketUsage[]): void {
    const text = JSON.stringify(usages)
    if (!mayWait(text.length)) return
    const link = links.get(shard) ?? open(shard, known)
    links.set(shard, link)
    link.send(text)
  }

  function send(usages: readonly BucketUsage[]): void {
    if (shards !== null) {
      for (const [shard, part] of splitByShard(usages, shards)) sendTo(shard, shards, part)
      return
    }
    const { length } = JSON.stringify(usages)
    if (!mayWait(length)) return
    early.push(usages)
    earlyLength += length
  }

  function begin(known: number): void {
    clearTimeout(timer)
    if (asking.signal.aborted) return
    shards = known
    earlyLength = 0
    for (const usages of early.splice(0)) send(usages)
  }

  ask(asking.signal)
    .then(begin)
    .catch((error: unknown) => end(statusOfError(error, 'Cannot carry stream')))

  return {
    send,
    close() {
      clearTimeout(timer)
      asking.abort()
      for (const link of links.values()) link.close()
    },
  }
}

/** Asks into how many shards reports are split; one after any failure, which the stream's opening says again. */
export async function askShards(
  url: URL,
  headers: Readonly<Record<string, string>>,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<number> {
  try {
    // The connection is not kept: a stream that opened on one which is just being closed would end.
    const { statusCode, body } = await request(url, { headers, dispatcher, signal, reset: true })
    const answer = statusCode === 200 ? await body.json() : await body.dump()
    return isNumbered(answer) ? answer.shards : 1
  } catch {
    return 1
  }
}

function isNumbered(answer: unknown): answer is { readonly shards: number } {
  if (typeof answer !== 'object' || answer === null || !('shards' in answer)) return false
  const { shards } = answer
  return typeof shards === 'number' && Number.isInteger(shards) && shards >= 1 && shards <= mostShards
}
