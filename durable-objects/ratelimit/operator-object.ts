/** OperatorObject: what RedisObject and MemcacheObject do alike for operators, as members of a pool or as its keeper. */

import { DurableObject } from 'cloudflare:workers'
import type { CounterHit } from '#ratelimit/ports.ts'
import type { Unit } from '#ratelimit/types.ts'
import type { RatelimitEnv } from './env.ts'
import type { operatorCounters } from './operator-counters.ts'

/** Hands the calls of operators to the counters of the store; they are to be asked of the keeper. */
export abstract class OperatorObject extends DurableObject<RatelimitEnv> {
  /** A field and not a method, so that no caller from outside reaches it. */
  protected abstract readonly counters: ReturnType<typeof operatorCounters>

  /** Reads the counters and the block of one key, whose rule may be known to count in a unit. */
  readKey(key: string, unit: Unit | null, _looks: readonly CounterHit[] = []) {
    return this.counters.read(key, unit)
  }

  /** Forgets the counters and the block of one key. @returns what was there. */
  resetKey(key: string, unit: Unit | null, _looks: readonly CounterHit[] = []) {
    return this.counters.reset(key, unit)
  }

  /** Refuses every hit of a key in these units until a moment, Unix time in seconds; one that has passed lifts it. */
  blockKey(key: string, units: readonly Unit[], until: number) {
    return this.counters.block(key, units, until)
  }

  /** Until when a key is blocked, as `operatorCounters` says. */
  blockedUntil(key: string): number | null {
    return this.counters.blockedUntil(key)
  }

  /** Renews the blocks that last on, and lifts those that have ended. */
  override async alarm(): Promise<void> {
    await this.counters.renew()
  }
}
