/** StreamWatchObject: reads one stream each time its chain grows, for all its listeners. */

import { DurableObject } from 'cloudflare:workers'
import { formatComment, formatEvent, formatRetry } from '#base/event-stream.ts'
import { encodeUtf8 } from '#base/utf8.ts'
import { changedRecords, formatEventId, parseEventId, parseFirstDate } from '#gateway/changes.ts'
import { areaOf, assertCovers, assertReadsConstituents, readConstituents } from '#gateway/constituents.ts'
import { runOperation } from '#gateway/handle.ts'
import { type Problem, toProblem } from '#gateway/outcome.ts'
import type { Scope } from '#gateway/tokens.ts'
import type { Client } from '#streamnet/index.ts'
import type { StreamRecord } from '#streamnet/operations/records.ts'
import { createSyncSigner } from '#streamnet/signing/sync-signer.ts'
import { createEventListener, type EventListener } from '../base/event-listener.ts'
import { createTickets } from '../base/tickets.ts'
import type { StreamnetEnv } from './env.ts'
import { createUpstreamClient } from './upstream.ts'

/** The milliseconds between two questions for the chain's height while there is a listener. */
const pollMs = 1000
/** The most milliseconds that a stream stays silent. */
const keepaliveMs = 15_000
/** The most listeners of one stream, and the most tickets that wait to be used. */
const [maxListeners, maxTickets] = [1000, 1000]
/** The most records that the network gives at once. */
const maxRecords = 10_000

interface Watch {
  readonly streamId: string
  readonly dataProvider: string
}

interface Reader {
  readonly listener: EventListener
  /** Unix time in seconds of the first date that is sent. */
  readonly from: number
  /** True when it asked for that date itself, and will again when it comes back. */
  readonly hasAskedFrom: boolean
  /** The scopes of its token; undefined when it may read the stream with any constituents. */
  readonly scopes: readonly Scope[] | undefined
}

/** A look at the stream: its records from a date on, as they were at a height. */
interface Look {
  readonly height: number
  readonly from: number
  readonly records: readonly StreamRecord[]
}

/**
 * Watches one stream, named `<data provider>/<stream id>`.
 *
 * Heights are the ids of events: what is new after a height is the difference of two reads frozen at two heights,
 * so a listener that comes back needs nothing to have been kept for it.
 */
export class StreamWatchObject extends DurableObject<StreamnetEnv> {
  readonly #readers = new Set<Reader>()
  /** Queries of event streams, by their tickets. */
  readonly #tickets = createTickets<string>(maxTickets)
  #look: Look | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #lastSentMs = 0
  /** Listeners whose stream is being opened, which takes several calls of the node: each has its place already. */
  #opening = 0

  /** Draws a ticket for a listener whose query the Worker has checked; undefined while too many wait. */
  createTicket(query: string): Promise<string | undefined> {
    return this.#tickets.draw(query)
  }

  /** Uses a ticket up and gives the query that it was drawn for; undefined when it is not good. */
  takeTicket(ticket: string): Promise<string | undefined> {
    return this.#tickets.take(ticket)
  }

  /**
   * Opens a listener's event stream. The Worker has checked the token and the path; the query holds `stream_id`,
   * `data_provider`, and perhaps `from`, `last_event_id` and, as JSON, the token's `scopes`.
   */
  override async fetch(request: Request): Promise<Response> {
    const { searchParams: query } = new URL(request.url)
    const watch = { streamId: query.get('stream_id') ?? '', dataProvider: query.get('data_provider') ?? '' }
    // Callers without a token leave half of the places to those with one.
    if (this.#readers.size + this.#opening >= (query.has('public') ? maxListeners / 2 : maxListeners)) {
      return Response.json({
        problem: { code: 'too_many', message: 'Cannot watch: the stream has too many listeners' },
      })
    }
    this.#opening += 1
    try {
      return await this.#open(watch, query, request.signal)
    } catch (error) {
      const problem = toProblem(error)
      if (problem.code === 'internal') console.error('Cannot watch', error)
      return Response.json({ problem })
    } finally {
      this.#opening -= 1
    }
  }

  async #open(watch: Watch, query: URLSearchParams, signal: AbortSignal): Promise<Response> {
    const client = this.#client()
    const scopes = readScopes(query.get('scopes'))
    if (scopes !== undefined) await assertReadsConstituents(client, { scopes }, watch)
    // Sends changes up to now to the present listeners first, so that the new one does not get them as changes.
    await this.#lookAgain(watch)
    const height = await readHeight(client)
    const seen = parseEventId(query.get('last_event_id'))
    const since = Math.min(seen?.height ?? height, height)
    const asked = parseFirstDate(query.get('from'))
    const from = asked ?? seen?.from ?? (await latestDate(client, watch, since))
    const place = { from, hasAskedFrom: asked !== undefined, scopes }
    let now = await readFrom(client, watch, from, height)
    const before = since < height ? await readFrom(client, watch, from, since) : now
    // One look serves all: it begins where the earliest listener begins, and never has what a listener has not. It may
    // have gone on during each read; from the last one to the place among the readers nothing is awaited.
    let tried: Look | undefined
    for (let look = this.#look; look !== undefined && look !== tried && isApart(look, now); look = this.#look) {
      const read = await readFrom(client, watch, from, look.height)
      if (look.height > now.height) now = read
      if (this.#look !== look) continue
      // Where the network cuts the window off, it may begin later than the one that there is.
      if (read.from < look.from) this.#look = read
      tried = this.#look
    }
    const missed = changedRecords(before.records, now.records, from)
    const listener = createEventListener([
      encodeUtf8(formatComment(`records of ${watch.dataProvider}/${watch.streamId} from ${from}`) + formatRetry(3000)),
      recordsEvent(now.height, missed, place),
    ])
    const reader = { listener, ...place }
    this.#readers.add(reader)
    const leave = () => this.#leave(reader)
    listener.onClose(leave)
    signal.addEventListener('abort', () => listener.close('gone'))
    this.#look ??= now
    this.#timer ??= setTimeout(() => this.#poll(watch), pollMs)
    return new Response(listener.body, {
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      },
    })
  }

  async #poll(watch: Watch): Promise<void> {
    const timer = this.#timer
    try {
      await this.#lookAgain(watch)
    } catch (error) {
      const problem = toProblem(error)
      // What passes is waited for; what the network refuses ends the stream with its reason.
      if (lastingCodes.has(problem.code)) {
        for (const reader of [...this.#readers]) endWith(reader, problem)
      }
    }
    this.#keepAlive()
    // All readers have left meanwhile, and for those that came since there is another timer.
    if (this.#timer !== timer) return
    this.#timer = this.#readers.size > 0 ? setTimeout(() => this.#poll(watch), pollMs) : undefined
    if (this.#timer === undefined) this.#look = undefined
  }

  async #lookAgain(watch: Watch): Promise<void> {
    const before = this.#look
    if (before === undefined) return
    const client = this.#client()
    const height = await readHeight(client)
    if (height === before.height) return
    const after = await readFrom(client, watch, before.from, height)
    const records = changedRecords(before.records, after.records, before.from)
    // The earlier look still counts here: when the node does not answer, the next poll tries again.
    if (records.length > 0) await this.#dismissUncovered(client, watch)
    // A listener that came meanwhile has widened the window: the next look sees what this one did not.
    if (this.#look !== before) return
    this.#look = after
    if (records.length === 0) return
    this.#lastSentMs = Date.now()
    for (const reader of this.#readers) {
      const wanted = records.filter(({ date }) => date >= reader.from)
      if (wanted.length > 0) reader.listener.offer(recordsEvent(height, wanted, reader))
    }
  }

  /** Ends the streams of readers whose tokens do not cover what the stream is computed from by now. */
  async #dismissUncovered(client: Client, watch: Watch): Promise<void> {
    const bounded = [...this.#readers].filter(({ scopes }) => scopes !== undefined)
    if (bounded.length === 0) return
    const areas = await readConstituents(client, watch)
    for (const reader of bounded) {
      try {
        assertCovers({ scopes: reader.scopes ?? [] }, areaOf(watch), areas)
      } catch (error) {
        endWith(reader, toProblem(error))
      }
    }
  }

  #keepAlive(): void {
    if (Date.now() - this.#lastSentMs < keepaliveMs) return
    this.#lastSentMs = Date.now()
    // The write is also what notices a reader that has gone.
    const comment = encodeUtf8(formatComment('keepalive'))
    for (const { listener } of this.#readers) listener.offer(comment)
  }

  #leave(reader: Reader): void {
    this.#readers.delete(reader)
    if (this.#readers.size > 0) return
    if (this.#timer !== undefined) clearTimeout(this.#timer)
    this.#timer = undefined
    this.#look = undefined
  }

  #client(): Client {
    const key = this.env.STREAMNET_PRIVATE_KEY
    return createUpstreamClient(this.env, { signer: key ? createSyncSigner(key) : undefined, budgetMs: 20_000 })
  }
}

/** Answers of the network that hold until the stream is changed. */
const lastingCodes: ReadonlySet<string> = new Set([
  'permission_denied',
  'not_found',
  'action_failed',
  'invalid_argument',
])

function endWith({ listener }: Reader, problem: Problem): void {
  listener.offer(encodeUtf8(formatEvent({ event: 'problem', data: JSON.stringify(problem) })))
  listener.close('the stream cannot be read')
}

function readScopes(text: string | null): readonly Scope[] | undefined {
  // Written by the Worker from a grant.
  return text === null ? undefined : (JSON.parse(text) as readonly Scope[])
}

function recordsEvent(
  height: number,
  records: readonly StreamRecord[],
  { from, hasAskedFrom }: Pick<Reader, 'from' | 'hasAskedFrom'>,
): Uint8Array {
  const data = JSON.stringify({ height, records })
  const id = formatEventId({ height, ...(!hasAskedFrom && { from }) })
  return encodeUtf8(formatEvent({ event: 'records', data, id }))
}

/** Tells whether a look has more than the first read of a listener, or begins later. */
function isApart(look: Look, first: Look): boolean {
  return look.height > first.height || look.from > first.from
}

async function readHeight(client: Client): Promise<number> {
  return (await client.request('user.chain_info', {})).block_height
}

async function latestDate(client: Client, watch: Watch, frozenAt: number): Promise<number> {
  return (await readRecords(client, { ...watch, frozenAt })).at(-1)?.date ?? 0
}

/** Reads a window; where the network cuts it off, the window begins where the cut was. */
async function readFrom(client: Client, watch: Watch, from: number, height: number): Promise<Look> {
  for (let dateFrom = from; ; ) {
    const records = await readRecords(client, { ...watch, dateFrom, frozenAt: height })
    const last = records.at(-1)?.date ?? dateFrom
    if (records.length < maxRecords || last <= dateFrom) return { height, from: dateFrom, records }
    dateFrom = last
  }
}

async function readRecords(
  client: Client,
  params: Watch & { readonly dateFrom?: number; readonly frozenAt: number },
): Promise<readonly StreamRecord[]> {
  // The result of get_records without use_cache.
  return (await runOperation(client, 'get_records', { ...params })) as readonly StreamRecord[]
}
