/** StatsObject: sums of statistics by name, and what was decided when, over all isolates that report here. */

import { DurableObject } from 'cloudflare:workers'
import { encodeHex } from '#base/hex.ts'
import type { StatDelta } from '#ratelimit/ports.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { statsdLines } from '#ratelimit/statistics/statsd.ts'
import type { StatSum } from '#ratelimit/statistics/sum.ts'
import type { SampledRequest, UsageReport } from '#ratelimit/usage/types.ts'
import { consoleLogger } from '../base/log.ts'
import type { RatelimitEnv } from './env.ts'
import { sendText } from './sockets/send-text.ts'
import { statTables } from './storage/stats.ts'
import { usageTables } from './storage/usage.ts'
import { usageFeed } from './usage/feed.ts'
import { type TopAnswer, type UsageAnswer, type UsageQuery, usageLedger } from './usage/ledger.ts'

/** Reports that one object takes in a second before it asks isolates to wait longer. */
const reportsPerSecond = 100
const maxReportMs = 15_000
/** Milliseconds for which a ticket is good, and tickets that may wait to be used. */
export const ticketMs = 60_000
const maxTickets = 100

/** Keeps the statistics, and pushes what came to them where `USE_STATSD` or `USE_DOG_STATSD` asks for it. */
export class StatsObject extends DurableObject<RatelimitEnv> {
  readonly #tables = statTables(this.ctx.storage)
  readonly #settings = readSettings({ ...this.env })
  readonly #usageTables = usageTables(this.ctx.storage)
  readonly #ledger = usageLedger(this.#usageTables, Date.now())
  readonly #feed = usageFeed()
  /** Tickets that wait to be used, with the end of their life in Unix milliseconds. */
  readonly #tickets = new Map<string, number>()
  #reports = { second: 0, count: 0 }

  /**
   * Adds a batch of deltas; on disk before the call returns.
   *
   * A sender numbers its batches 1, 2, 3 and sends the next one only when the last has been taken. A number that
   * was seen before is a batch sent again, and adds nothing.
   *
   * @param sender - the reporting isolate, a name that no other has.
   * @param maxNames - distinct names to keep; deltas of further names are counted under `ratelimit.service.stats_folded`.
   */
  async add(sender: string, batch: number, deltas: readonly StatDelta[], maxNames: number): Promise<void> {
    if (batch <= this.#tables.lastBatch(sender)) return
    this.#tables.add({ sender, batch, at: Date.now() }, deltas, maxNames)
    if (this.#settings.USE_STATSD || this.#settings.USE_DOG_STATSD) await this.#schedulePush()
  }

  /** Every sum, by name in order. */
  async read(): Promise<readonly StatSum[]> {
    return this.#tables.sums()
  }

  /**
   * Adds what an isolate decided since its last report.
   *
   * @returns milliseconds that the isolate should wait before the next one: longer when many report.
   */
  async report(report: UsageReport, recorded: number): Promise<number> {
    const nowMs = Date.now()
    this.#ledger.add(report, recorded, nowMs)
    this.#feed.add(report)
    const second = Math.floor(nowMs / 1000)
    const count = this.#reports.second === second ? this.#reports.count + 1 : 1
    this.#reports = { second, count }
    return Math.min(maxReportMs, Math.ceil(count / reportsPerSecond) * 1000)
  }

  /** Counts over time, and the fullest counter of every rule. */
  async usage(query: UsageQuery): Promise<UsageAnswer> {
    return this.#ledger.usage(query, Date.now())
  }

  /** The keys that came most from an hour on. */
  async top(from: number, limit: number, domain?: string): Promise<TopAnswer> {
    return this.#ledger.top(from, limit, domain)
  }

  /** The sampled requests that are kept, the oldest first. */
  async requests(): Promise<readonly SampledRequest[]> {
    return this.#usageTables.requests()
  }

  /** Draws a ticket that opens the feed once; null while too many wait to be used. */
  async drawTicket(): Promise<string | null> {
    const nowMs = Date.now()
    for (const [ticket, endsMs] of this.#tickets) if (endsMs <= nowMs) this.#tickets.delete(ticket)
    if (this.#tickets.size >= maxTickets) return null
    const ticket = encodeHex(crypto.getRandomValues(new Uint8Array(16)))
    this.#tickets.set(ticket, nowMs + ticketMs)
    return ticket
  }

  /** Opens the feed; with a ticket in the query it uses that up, and answers 401 when it is not good. */
  override async fetch(request: Request): Promise<Response> {
    const ticket = new URL(request.url).searchParams.get('ticket')
    if (ticket !== null) {
      const endsMs = this.#tickets.get(ticket) ?? 0
      this.#tickets.delete(ticket)
      if (endsMs <= Date.now()) return new Response(null, { status: 401 })
    }
    return this.#feed.open(request) ?? new Response(null, { status: 429 })
  }

  /**
   * Pushes what came since the last push, as one TCP connection.
   *
   * What could not be sent stays and goes with the next push; a receiver that took a push and closed without order
   * may see it twice.
   */
  override async alarm(): Promise<void> {
    const deltas = this.#tables.unpushed()
    if (deltas.length === 0) return
    const {
      STATSD_HOST: host,
      STATSD_PORT: port,
      USE_DOG_STATSD: isDogStatsd,
      EXTRA_TAGS: tags,
      mogrifiers,
    } = this.#settings
    try {
      await sendText({ host, port, tls: false }, statsdLines(deltas, { isDogStatsd, tags, mogrifiers }))
      this.#tables.markPushed(deltas)
    } catch (error) {
      const logger = consoleLogger(this.#settings)
      logger.error(`Cannot push statistics to ${host}:${port}: they go with the next push`, error)
      await this.#schedulePush()
    }
  }

  async #schedulePush(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) !== null) return
    await this.ctx.storage.setAlarm(Date.now() + Math.max(1, this.#settings.STATS_FLUSH_INTERVAL))
  }
}
