/** StatsObject: sums of statistics, by name, over all isolates that report here. */

import { DurableObject } from 'cloudflare:workers'
import type { StatDelta } from '../../src/ratelimit/ports.ts'
import { readSettings } from '../../src/ratelimit/settings.ts'
import type { StatSum } from '../../src/ratelimit/stats.ts'
import { statsdLines } from '../../src/ratelimit/statsd.ts'
import { consoleLogger } from '../base/log.ts'
import type { RatelimitEnv } from './env.ts'
import { sendText } from './sockets/send-text.ts'
import { type StatTables, statTables } from './storage/stats.ts'

/** Keeps one shard of the statistics, and pushes what came to them where `USE_STATSD` or `USE_DOG_STATSD` asks for it. */
export class StatsObject extends DurableObject<RatelimitEnv> {
  readonly #tables: StatTables = statTables(this.ctx.storage)
  readonly #settings = readSettings({ ...this.env })
  readonly #values = this.#settings.values

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
    if (this.#values.USE_STATSD || this.#values.USE_DOG_STATSD) await this.#schedulePush()
  }

  /** Every sum, by name in order. */
  async read(): Promise<readonly StatSum[]> {
    return this.#tables.sums()
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
    } = this.#values
    const { mogrifiers } = this.#settings
    try {
      await sendText({ host, port, tls: false }, statsdLines(deltas, { isDogStatsd, tags, mogrifiers }))
      this.#tables.markPushed(deltas)
    } catch (error) {
      const logger = consoleLogger(this.#values)
      logger.error(`Cannot push statistics to ${host}:${port}: they go with the next push`, error)
      await this.#schedulePush()
    }
  }

  async #schedulePush(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) !== null) return
    await this.ctx.storage.setAlarm(Date.now() + Math.max(1, this.#values.STATS_FLUSH_INTERVAL))
  }
}
