/** StreamWatchObject: reads one stream, the chain or a market each time the chain grows, for all its listeners. */

import { DurableObject } from 'cloudflare:workers'
import { formatComment } from '#base/event-stream.ts'
import { encodeUtf8 } from '#base/utf8.ts'
import { toProblem } from '#gateway/outcome.ts'
import type { Client } from '#streamnet/index.ts'
import { createSyncSigner } from '#streamnet/signing/sync-signer.ts'
import { createEventListener, type EventListener, streamHeaders } from '../base/event-listener.ts'
import { createTickets } from '../base/tickets.ts'
import type { StreamnetEnv } from './env.ts'
import { createUpstreamClient } from './upstream.ts'
import { createBlockSubject } from './watch/blocks.ts'
import { createMarketSubject } from './watch/market.ts'
import { createRecordSubject } from './watch/records.ts'
import { endWith, type Subject } from './watch/subject.ts'

/** The milliseconds between two questions for the chain's height while there is a listener. */
const pollMs = 1000
/** The most milliseconds that a stream stays silent. */
const keepaliveMs = 15_000
/** The most listeners of one subject. */
const maxListeners = 1000
/** The most tickets that wait to be used. */
const maxTickets = 1000

/** Watches one subject: a stream, named `<data provider>/<stream id>`, all `blocks`, or a market, `markets/<id>`. */
export class StreamWatchObject extends DurableObject<StreamnetEnv> {
  readonly #listeners = new Set<EventListener>()
  #subject: Subject | undefined
  /** Queries of event streams, by their tickets. */
  readonly #tickets = createTickets<string>(maxTickets)
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
   * Opens a listener's event stream. The Worker has checked the token and the path; the query holds `stream_id` and
   * `data_provider`, or `query_id`, or neither for blocks, and perhaps `last_event_id`, of a stream also `from` and, as
   * JSON, the token's `scopes`.
   */
  override async fetch(request: Request): Promise<Response> {
    const { searchParams: query } = new URL(request.url)
    // Callers without a token leave half of the places to those with one.
    if (this.#listeners.size + this.#opening >= (query.has('public') ? maxListeners / 2 : maxListeners)) {
      return Response.json({
        problem: { code: 'too_many', message: 'Cannot watch: the stream has too many listeners' },
      })
    }
    this.#opening += 1
    try {
      return await this.#open(query, request.signal)
    } catch (error) {
      const problem = toProblem(error)
      if (problem.code === 'internal') console.error('Cannot watch', error)
      return Response.json({ problem })
    } finally {
      this.#opening -= 1
    }
  }

  async #open(query: URLSearchParams, signal: AbortSignal): Promise<Response> {
    this.#subject ??= createSubject(query)
    const subject = this.#subject
    const listener = await subject.open(this.#client(), query, (opening) => {
      const entered = createEventListener(opening)
      this.#listeners.add(entered)
      entered.onClose(() => this.#leave(entered))
      this.#timer ??= setTimeout(() => this.#poll(subject), pollMs)
      return entered
    })
    if (signal.aborted) listener.close('gone')
    signal.addEventListener('abort', () => listener.close('gone'))
    return new Response(listener.body, { headers: streamHeaders })
  }

  async #poll(subject: Subject): Promise<void> {
    const timer = this.#timer
    try {
      if (await subject.look(this.#client())) this.#lastSentMs = Date.now()
    } catch (error) {
      const problem = toProblem(error)
      // A refusal of the network ends the streams with its reason; other failures pass, and the next poll tries again.
      if (lastingCodes.has(problem.code)) {
        for (const listener of [...this.#listeners]) endWith(listener, problem)
      }
    }
    this.#keepAlive()
    // All listeners left during the look, and those that came since have another timer.
    if (this.#timer !== timer) return
    this.#timer = this.#listeners.size > 0 ? setTimeout(() => this.#poll(subject), pollMs) : undefined
  }

  #keepAlive(): void {
    if (Date.now() - this.#lastSentMs < keepaliveMs) return
    this.#lastSentMs = Date.now()
    // The write is also what notices a reader that has gone.
    const comment = encodeUtf8(formatComment('keepalive'))
    for (const listener of this.#listeners) listener.offer(comment)
  }

  #leave(listener: EventListener): void {
    this.#listeners.delete(listener)
    this.#subject?.leave(listener)
    if (this.#listeners.size > 0) return
    if (this.#timer !== undefined) clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #client(): Client {
    const key = this.env.STREAMNET_PRIVATE_KEY
    return createUpstreamClient(this.env, { signer: key ? createSyncSigner(key) : undefined, budgetMs: 20_000 })
  }
}

/** Makes the subject of an object from the query of its first listener: all of them name the same one. */
function createSubject(query: URLSearchParams): Subject {
  const streamId = query.get('stream_id')
  const dataProvider = query.get('data_provider')
  const queryId = query.get('query_id')
  if (streamId && dataProvider) return createRecordSubject({ streamId, dataProvider })
  return queryId ? createMarketSubject(Number(queryId)) : createBlockSubject()
}

/** Codes of refusals by the network, which stay until the stream is changed. */
const lastingCodes: ReadonlySet<string> = new Set([
  'permission_denied',
  'not_found',
  'action_failed',
  'invalid_argument',
])
