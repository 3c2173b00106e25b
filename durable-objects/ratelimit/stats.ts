/** StatsObject: sums of statistics by name, and what was decided when, over all isolates that report here. */

import { DurableObject } from 'cloudflare:workers'
import type { StatDelta } from '#ratelimit/ports.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { reportEveryMs, statsPauseMs } from '#ratelimit/statistics/batches.ts'
import { statsdLines } from '#ratelimit/statistics/statsd.ts'
import type { StatSum } from '#ratelimit/statistics/sum.ts'
import type { SampledRequest, UsageReport } from '#ratelimit/usage/types.ts'
import { consoleLogger } from '../base/log.ts'
import { createTickets } from '../base/tickets.ts'
import type { RatelimitEnv } from './env.ts'
import { sendText } from './sockets/send-text.ts'
import { recentUsage } from './storage/recent-usage.ts'
import { statTables } from './storage/stats.ts'
import { usageTables } from './storage/usage.ts'
import { usageFeed } from './usage/feed.ts'
import { type TopAnswer, type UsageAnswer, type UsageQuery, usageLedger } from './usage/ledger.ts'

/** Calls that one object takes in a second before it asks isolates to wait longer. */
const callsPerSecond = 100
/** The platform ends work behind an answer after 30 seconds. */
const maxPauseMs = 25_000
/**
 * Milliseconds between two saves, and what a crash can lose; what was read or pushed is on disk. An object that is not
 * called for ten seconds is forgotten, so that the alarm of the last save must come before.
 */
const saveAfterMs = 7_000
/** Milliseconds between two reports of usage of an isolate while someone looks at them. */
const watchedEveryMs = 1_000
/** Milliseconds after a reading of usage for which reports stay frequent. */
const watchedForMs = 60_000
/** Tickets that may wait to be used. */
const maxTickets = 100

/** Keeps the statistics, and pushes what came to them where `USE_STATSD` or `USE_DOG_STATSD` asks for it. */
export class StatsObject extends DurableObject<RatelimitEnv> {
  readonly #tables = statTables(this.ctx.storage, Date.now())
  readonly #settings = readSettings({ ...this.env })
  readonly #usageTables = usageTables(this.ctx.storage)
  readonly #recentUsage = recentUsage(this.ctx.storage, this.#usageTables, Date.now())
  readonly #ledger = usageLedger(this.#usageTables, this.#recentUsage)
  readonly #feed = usageFeed()
  readonly #tickets = createTickets<true>(maxTickets)
  #calls = { second: 0, count: 0 }
  #savedAtMs = 0
  #readAtMs = 0

  /**
   * Adds a batch of deltas in memory; what has come is on disk within `saveAfterMs`, and before it is read.
   *
   * A sender numbers its batches 1, 2, 3 and sends the next one only when the last has been taken. A number that
   * was seen before is a batch sent again, and adds nothing.
   *
   * @param sender - the reporting isolate, a name that no other has.
   * @param maxNames - distinct names to keep; deltas of further names are counted under `ratelimit.service.stats_folded`.
   * @returns milliseconds that the sender should wait before the next one: longer when many report.
   */
  async add(sender: string, batch: number, deltas: readonly StatDelta[], maxNames: number): Promise<number> {
    const at = Date.now()
    if (batch > this.#tables.lastBatch(sender)) {
      this.#tables.add({ sender, batch, at }, deltas, maxNames)
      await this.#saveInTime()
    }
    return this.#pauseMs(at, statsPauseMs(this.#settings))
  }

  /** Every sum, by name in order. A sum that was read never goes back after a crash. */
  async read(): Promise<readonly StatSum[]> {
    this.#save()
    return this.#tables.sums()
  }

  /** Adds what an isolate decided since its last report; gives the milliseconds until its next one. */
  async report(report: UsageReport, recorded: number): Promise<number> {
    const nowMs = Date.now()
    this.#ledger.add(report, recorded, nowMs)
    this.#feed.add(report)
    await this.#saveInTime()
    const isWatched = this.#feed.hasListeners() || nowMs - this.#readAtMs < watchedForMs
    return this.#pauseMs(nowMs, isWatched ? watchedEveryMs : reportEveryMs)
  }

  #pauseMs(nowMs: number, everyMs: number): number {
    const second = Math.floor(nowMs / 1000)
    const count = this.#calls.second === second ? this.#calls.count + 1 : 1
    this.#calls = { second, count }
    return Math.min(maxPauseMs, Math.ceil(count / callsPerSecond) * everyMs)
  }

  /** Counts over time, and the fullest counter of every rule. */
  async usage(query: UsageQuery): Promise<UsageAnswer> {
    this.#readAtMs = Date.now()
    return this.#ledger.usage(query, this.#readAtMs)
  }

  /** The keys that came most from an hour on. */
  async top(from: number, limit: number, domain?: string): Promise<TopAnswer> {
    return this.#ledger.top(from, { limit, domain }, Date.now())
  }

  /** The sampled requests that are kept, the oldest first. */
  async requests(): Promise<readonly SampledRequest[]> {
    return this.#ledger.requests(Date.now())
  }

  /** Draws a ticket that opens the feed once; null while too many wait to be used. */
  async drawTicket(): Promise<string | null> {
    return (await this.#tickets.draw(true)) ?? null
  }

  /** Opens the feed; with a ticket in the query it uses that up, and answers 401 when it is not good. */
  override async fetch(request: Request): Promise<Response> {
    const ticket = new URL(request.url).searchParams.get('ticket')
    if (ticket !== null && !(await this.#tickets.take(ticket))) return new Response(null, { status: 401 })
    return this.#feed.open(request) ?? new Response(null, { status: 429 })
  }

  /** Saves what came, and pushes it where a setting asks for it. */
  override async alarm(): Promise<void> {
    if (this.#pushes()) await this.#push()
    // Also what is not pushed: an alarm that leaves something unsaved would come again at once.
    this.#save()
    await this.#saveInTime()
  }

  /** Pushes what came since the last push; after a failure it goes again, so that a receiver may see it twice. */
  async #push(): Promise<void> {
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
    }
  }

  #save(): void {
    const nowMs = Date.now()
    this.#tables.save(nowMs)
    this.#ledger.save()
    this.#savedAtMs = nowMs
  }

  #pushes(): boolean {
    return this.#settings.USE_STATSD || this.#settings.USE_DOG_STATSD
  }

  /** Saves when the last time is long ago; otherwise an alarm does. */
  async #saveInTime(): Promise<void> {
    if (Math.abs(Date.now() - this.#savedAtMs) >= saveAfterMs) this.#save()
    const waits = this.#pushes() && this.#tables.unpushed().length > 0
    if (this.#tables.isSaved() && !this.#ledger.isUnsaved() && !waits) return
    if ((await this.ctx.storage.getAlarm()) !== null) return
    const afterMs = waits ? Math.min(saveAfterMs, this.#settings.STATS_FLUSH_INTERVAL) : saveAfterMs
    await this.ctx.storage.setAlarm(Math.max(Date.now() + 1, this.#savedAtMs + afterMs))
  }
}
