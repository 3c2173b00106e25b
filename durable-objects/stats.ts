/** StatsObject: sums of statistics, by name, over all isolates that report here. */

import { DurableObject } from 'cloudflare:workers'
import type { StatDelta } from '../src/ratelimit/ports.ts'
import type { StatSum } from '../src/ratelimit/stats.ts'
import type { RatelimitEnv } from './env.ts'
import { type StatTables, statTables } from './storage/stats.ts'

/** Keeps one shard of the statistics. Computes nothing. */
export class StatsObject extends DurableObject<RatelimitEnv> {
  readonly #tables: StatTables = statTables(this.ctx.storage)

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
  }

  /** Every sum, by name in order. */
  async read(): Promise<readonly StatSum[]> {
    return this.#tables.sums()
  }
}
