/** Decides where the caller is: by the rules, settings and leases of the service, which counts what no lease covers. */

import { randomUUID } from 'node:crypto'
import type { Logger } from '#base/logger.ts'
import { consoleLogger } from '#objects/base/log.ts'
import type { DecisionContext } from '#ratelimit/decision/context.ts'
import { storeTimeout } from '#ratelimit/decision/store-timeout.ts'
import { unavailable } from '#ratelimit/errors.ts'
import { readHandedSettings } from '#ratelimit/front/handed-settings.ts'
import { readHits } from '#ratelimit/front/hits.ts'
import { createLeaseHolder, type LeaseHolder } from '#ratelimit/lease/holder.ts'
import { decodeDraws } from '#ratelimit/lease/lease.ts'
import { type DrawCall, leaseSource } from '#ratelimit/lease/source.ts'
import { leaseStore } from '#ratelimit/lease/store.ts'
import { createOverLimitCache } from '#ratelimit/over-limit-cache.ts'
import { isOneObject } from '#ratelimit/placement.ts'
import type { CounterHit, CounterStore, StatSink } from '#ratelimit/ports.ts'
import type { RuleBook } from '#ratelimit/rule-book.ts'
import { shouldRateLimit } from '#ratelimit/service.ts'
import type { Settings } from '#ratelimit/settings.ts'
import type { RateLimitRequest, RateLimitResponse } from '#ratelimit/types.ts'
import { reconnectDelayMs, spreadDelay } from '../web-socket/reconnecting.ts'
import { createFrontLink, type FrontLink, type FrontLinkOptions } from './link.ts'
import { createFrontReports, type FrontReports } from './reports.ts'
import { createFrontRules, type FrontRules } from './rules.ts'

/** A decider that has the settings and rules of the service; other settings make another one. */
export interface ReadyDecider {
  readonly settings: Settings
  readonly logger: Logger
  readonly stats: StatSink
  /** Decides a request as the service would. */
  decide(request: RateLimitRequest): Promise<RateLimitResponse>
}

/** The decider of one process. */
export interface Decider {
  /** Null while requests are to be forwarded: the service was not reached yet, or has said that it must decide itself. */
  ready(): ReadyDecider | null
  /** Asks for newer rules and hands over what waits, now. */
  sync(): Promise<void>
  /** Hands over what waits; resolves after two seconds in any case. */
  handOver(): Promise<void>
  /** Has the next decision wait for a check of the rules, which may have changed. */
  expireRules(): void
  /** Returns all leases and hands over what waits, within five seconds; decisions go on. */
  leave(): Promise<void>
  /** Does so, and closes the connection. */
  stop(): Promise<void>
}

/** Milliseconds in which statistics are handed over where something waits for it. */
const handOverMs = 2_000
/** Milliseconds in which leases are returned and statistics handed over at a stop. */
const leaveMs = 5_000

/** The parts that depend on the settings. */
interface Parts extends ReadyDecider {
  readonly texts: string
  readonly rules: FrontRules
  readonly reports: FrontReports
  /** Null while LEASES is off. */
  readonly holder: LeaseHolder | null
}

/** Connects to the service; until it has handed over its settings and rules, nothing is decided. */
export function createDecider(options: Pick<FrontLinkOptions, 'connect' | 'warn'>): Decider {
  let parts: Parts | null = null
  let retry: NodeJS.Timeout | undefined
  const link = createFrontLink({
    ...options,
    onReady(settings) {
      const texts = JSON.stringify(settings)
      // A service that was away goes on with the same leases; other settings begin anew.
      if (parts?.texts !== texts) {
        const left = parts
        parts = createParts(link, texts, readHandedSettings(settings))
        void leave(left)
      } else parts.rules.restart()
      void fetchRules()
    },
  })

  /** Asks until rules have come: nothing is decided without, so no decision asks. */
  async function fetchRules(failures = 0): Promise<void> {
    await parts?.rules.check()
    clearTimeout(retry)
    if (parts?.rules.isKnown() === true || !link.isOpen()) return
    retry = setTimeout(fetchRules, spreadDelay(reconnectDelayMs(failures)), failures + 1).unref()
  }

  const handOver = () => within(parts?.reports.flush() ?? Promise.resolve(), handOverMs).catch(() => {})
  return {
    ready: () => (parts?.rules.isKnown() === true && link.mayDecide() ? parts : null),
    async sync() {
      await Promise.all([parts?.rules.check(), parts?.reports.flush()])
    },
    handOver,
    expireRules: () => parts?.rules.expire(),
    leave: () => leave(parts),
    async stop() {
      await leave(parts)
      link.close()
      clearTimeout(retry)
    },
  }
}

function createParts(link: FrontLink, texts: string, settings: Settings): Parts {
  const logger = consoleLogger(settings)
  const reports = createFrontReports(link, settings, logger)
  const rules = createFrontRules(link, settings, logger)
  const { stats, usage } = reports
  const { LOCAL_CACHE_SIZE_IN_BYTES: cacheBytes } = settings
  const overLimitCache = cacheBytes > 0 ? createOverLimitCache(cacheBytes) : null
  const holder = settings.leases === null ? null : createHolder(link, settings)
  const counters = createCounters(link, settings, { stats, holder })
  const createContext = (book: RuleBook | null, nowMs: number): DecisionContext => ({
    rules: book,
    settings,
    counters,
    overLimitCache,
    stats,
    usage,
    drawId: randomUUID,
    nowMs,
  })
  return {
    texts,
    settings,
    logger,
    rules,
    reports,
    holder,
    stats,
    decide(request) {
      const nowMs = Date.now()
      const book = rules.current(nowMs)
      if (book instanceof Promise) return book.then((known) => shouldRateLimit(request, createContext(known, nowMs)))
      return shouldRateLimit(request, createContext(book, nowMs))
    },
  }
}

/** Returns leases first, because that is counted too. */
function leave(parts: Parts | null): Promise<void> {
  const left = async () => {
    await parts?.holder?.returnAll(parts.stats)
    await parts?.reports.flush()
  }
  return within(left(), leaveMs).catch(() => {})
}

function createHolder(link: FrontLink, settings: Settings): LeaseHolder {
  const draw = async (call: DrawCall) => decodeDraws(readNumbers(await link.ask({ kind: 'draw', call })))
  const source = leaseSource(settings, draw, () => Math.floor(Date.now() / 1000))
  return createLeaseHolder({ most: settings.LEASES_MAX_KEYS, source, world })
}

/** The counters at the service, with the leases of this front before them. */
function createCounters(
  link: FrontLink,
  settings: Settings,
  { stats, holder }: Pick<Parts, 'stats' | 'holder'>,
): CounterStore {
  const timeoutMs = storeTimeout(settings)
  const ask = async (kind: 'hit' | 'look', hits: readonly CounterHit[]) => {
    try {
      return readHits(await within(link.ask({ kind, hits }), timeoutMs), hits.length)
    } catch (error) {
      throw unavailable(error)
    }
  }
  const store: CounterStore = {
    hit: (hits) => ask('hit', hits),
    peek: (hits) => ask('look', hits),
    isOneCall: (hits) => settings.BACKEND_TYPE === 'durable-object' && isOneObject(hits, settings.placement),
  }
  if (holder === null) return store
  const later = (work: Promise<void>) => void work.catch(() => {})
  return leaseStore(store, holder, { now: Date.now, later, within: (call) => within(call, timeoutMs), stats })
}

const world = {
  now: () => Date.now(),
  // Leases that are still to be returned do not keep a process that ends.
  wait: (milliseconds: number) => new Promise<void>((resolve) => void setTimeout(resolve, milliseconds).unref()),
  drawId: () => Math.floor(Math.random() * Number.MAX_SAFE_INTEGER),
}

function readNumbers(value: unknown): readonly number[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'number')) return value
  throw new Error('the service answered a draw with something else than numbers')
}

function within<T>(call: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds)
    call.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
