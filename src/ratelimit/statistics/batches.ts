/** Statistics on their way to StatsObject: added up here, and handed over in numbered batches, each until it is taken. */

import { listWithin } from '../../base/list-within.ts'
import type { StatDelta } from '../ports.ts'
import type { Settings } from '../settings.ts'
import { isUnknownDomain } from './names.ts'
import { addPending } from './sum.ts'

/** Changes of statistics that travel under one number. */
interface StatBatch {
  /** 1, 2, 3 ...: a batch that may not have arrived goes again under the same number. */
  readonly number: number
  readonly deltas: readonly StatDelta[]
}

/** Distinct names waiting for the next batch; further new names, and those that are too long, are counted under one. */
const mostNames = 10_000
/** The same for domains that no rule has: callers choose them, and leave the names of rules their room. */
const mostUnknownDomains = 1_000

/** Characters of a batch as JSON: a front sends it in one message. */
const mostCharacters = 1_000_000

/** Milliseconds between two reports of an isolate or a front where nothing is pushed: each is a paid call and a paid row. */
export const reportEveryMs = 20_000
/** The shortest pause that STATS_FLUSH_INTERVAL can ask for. */
const leastPauseMs = 1_000

/** Milliseconds between two reports: where statistics are pushed, those between two pushes. */
export function statsPauseMs({
  USE_STATSD,
  USE_DOG_STATSD,
  STATS_FLUSH_INTERVAL,
}: Pick<Settings, 'USE_STATSD' | 'USE_DOG_STATSD' | 'STATS_FLUSH_INTERVAL'>): number {
  if (!USE_STATSD && !USE_DOG_STATSD) return reportEveryMs
  return Math.max(leastPauseMs, Math.min(reportEveryMs, STATS_FLUSH_INTERVAL))
}

/** Creates the batches of one sender, with nothing counted. */
export function createStatBatches() {
  const pending = new Map<string, number>()
  const unknownDomains = new Map<string, number>()
  let inFlight: StatBatch | null = null
  let batches = 0
  return {
    add(deltas: readonly StatDelta[]): void {
      for (const delta of deltas) {
        if (isUnknownDomain(delta.name)) addPending(unknownDomains, delta, mostUnknownDomains)
        else addPending(pending, delta, mostNames)
      }
    },
    /** Returns the batch that was not taken yet, or a new one; null when nothing waits. */
    next(): StatBatch | null {
      if (inFlight !== null || pending.size + unknownDomains.size === 0) return inFlight
      batches += 1
      const taken = listWithin([...pending, ...unknownDomains], mostCharacters)
      for (const [name] of taken) if (!pending.delete(name)) unknownDomains.delete(name)
      inFlight = { number: batches, deltas: taken.map(([name, delta]) => ({ name, delta })) }
      return inFlight
    },
    /** Notes that a batch was taken. */
    taken(number: number): void {
      if (inFlight?.number === number) inFlight = null
    },
  }
}
