/** A world of quota assignments on simulated time: Envoys, fronts, an object and a counter that others use too. */

import { addHits, type Window } from '#ratelimit/counter.ts'
import { drawFrom } from '#ratelimit/lease/draw.ts'
import { createLeaseBook } from '#ratelimit/lease/lease-book.ts'
import { computeLag, createPool, type PoolState } from '#ratelimit/quota/pool.ts'
import { type Client, createReclaims } from '#ratelimit/quota/reclaim.ts'
import type { Usage } from '#ratelimit/quota/report.ts'
import { unitSeconds, units } from '#ratelimit/window.ts'
import { createQuotaEnvoy } from './quota-envoy.ts'
import { randomOf } from './random.ts'

const stepMs = 100

/** A part that is killed. The front and the object take all streams with them. */
export type Part = 'stream' | 'front' | 'object' | 'counter' | 'envoy'

/** One kill at a moment, in milliseconds from the start. */
export interface Kill {
  readonly atMs: number
  readonly part: Part
  /** Milliseconds until it is there again. */
  readonly downMs: number
}

/** Scenario of a run. */
export interface Scenario {
  readonly seed: number
  readonly unit?: 'MINUTE' | 'HOUR'
  readonly limit: number
  /** Hits a second that each Envoy is asked for, from a moment on in seconds. */
  readonly demands: readonly ((second: number) => number)[]
  readonly seconds: number
  /** Unix time of the start in milliseconds; drawn from the seed when absent. */
  readonly startMs?: number
  readonly lifeSeconds?: number
  readonly reportMs?: number
  /** Chance that an answer of the counter is lost, in a draw. */
  readonly lossy?: number
  /** Chance that a part is killed, in a step. */
  readonly killing?: Readonly<Partial<Record<Part, number>>>
  readonly kills?: readonly Kill[]
  /** Name of each Envoy to its front; none when absent. */
  readonly clientOf?: (at: number) => Client | null
  /** True where the object keeps what it knows for after a restart. */
  readonly isKept?: boolean
  /** Chance that the first report of a stream is late by up to three seconds. */
  readonly slowOpening?: number
  /** Hits a second on the counter that no Envoy makes. */
  readonly direct?: number
  /** Chance that an isolate leases, in a step. */
  readonly leasing?: number
  /** Lie of the first Envoy about its use: no report, or that every hit was refused. */
  readonly hides?: 'all' | 'as refused'
}

/** Result of a run. */
export interface Outcome {
  /** Admitted hits by window, over all Envoys, direct hits and leases. */
  readonly admitted: ReadonlyMap<number, number>
  /** Hits by window that passed the first Envoy, all of them hidden where it hides. */
  readonly byFirst: ReadonlyMap<number, number>
  /** Hits that passed each Envoy, by second. */
  readonly bySecond: readonly (readonly number[])[]
  readonly sent: number
  /** Holders that were taken up on a new stream. */
  readonly reclaimed: number
}

/** Messages on their way, delivered in order, each late by up to the lag. */
interface Mail {
  readonly atMs: number
  readonly deliver: (nowMs: number) => void
}

/** One stream of an Envoy. */
interface Stream {
  readonly at: number
  readonly client: Client | null
  isOpen: boolean
  holder: string | null
  lastUpMs: number
  lastDownMs: number
}

/** Plays a scenario. */
export function simulate(scenario: Scenario): Outcome {
  const { seed, limit, demands, seconds, unit = 'MINUTE', lifeSeconds = 30, reportMs = 5_000 } = scenario
  const { lossy = 0, killing = {}, kills = [], clientOf = () => null, isKept = false } = scenario
  const lag = computeLag(unit)
  const random = randomOf(seed)
  const [windowMs, unitIndex] = [unitSeconds[unit] * 1000, units.indexOf(unit)]
  const startMs = scenario.startMs ?? 60_000 * (10 + Math.floor(random() * 5)) + Math.floor(random() * 600) * 100

  let book = createLeaseBook()
  let window: Window | undefined
  const admitted = new Map<number, number>()
  const byFirst = new Map<number, number>()
  const admit = (hits: number, nowMs: number, into = admitted) => {
    const start = Math.floor(nowMs / windowMs)
    into.set(start, (into.get(start) ?? 0) + hits)
  }
  const counter = () => ({ name: 'k', unit, window, isBlocked: false }) as const

  const newPool = (before?: PoolState) => createPool({ limit, unit, lifeSeconds }, before)
  let pool = newPool()
  let reclaims = createReclaims()
  let saved: { readonly state: PoolState; readonly clients: ReadonlyMap<string, Client | null> } | null = null
  /** The stream that each holder reports on, or the client of one whose stream has ended. */
  let holders = new Map<string, Stream | Client>()

  const mail: Mail[] = []
  let [ids, sent, reclaimed, streams] = [0, 0, 0, 0]
  let frontUpMs = 0
  const envoys = demands.map((demand, at) => ({
    demand,
    envoy: createQuotaEnvoy(),
    owed: 0,
    nextReportMs: 0,
    stream: null as Stream | null,
    client: clientOf(at),
  }))
  const bySecond = envoys.map(() => new Array<number>(seconds).fill(0))

  const latency = () => Math.floor(random() * (lag / stepMs)) * stepMs

  function closeStream(stream: Stream, isSeen: boolean): void {
    stream.isOpen = false
    if (!isSeen) return
    const { client, holder } = stream
    if (holder !== null) {
      if (client !== null && reclaims.isUnique(client)) {
        pool.detach(holder)
        holders.set(holder, client)
        reclaims.keep(client, { bucket: 'b', holder })
      } else {
        pool.leave(holder)
        holders.delete(holder)
      }
    }
    if (client !== null) reclaims.close(client)
  }

  function closeAll(isSeen: boolean): void {
    for (const one of envoys) {
      if (one.stream?.isOpen) closeStream(one.stream, isSeen)
      one.stream = null
    }
  }

  function restartObject(): void {
    closeAll(false)
    reclaims = createReclaims()
    holders = new Map()
    pool = newPool(isKept ? saved?.state : undefined)
    if (!isKept) return
    for (const [holder, client] of saved?.clients ?? []) {
      if (client === null) pool.leave(holder)
      else {
        holders.set(holder, client)
        reclaims.keep(client, { bucket: 'b', holder })
      }
    }
  }

  function save(): void {
    const state = pool.state()
    if (state === null) return
    const clients = new Map<string, Client | null>()
    for (const [holder, owner] of holders) {
      const client = 'isNamed' in owner ? owner : owner.client
      clients.set(holder, client !== null && reclaims.isUnique(client) ? client : null)
    }
    for (const [holder] of state.holdings) if (!clients.has(holder)) clients.set(holder, null)
    saved = { state, clients }
  }

  function kill({ part, downMs }: Omit<Kill, 'atMs'>, nowMs: number): void {
    if (part === 'counter') book = createLeaseBook()
    if (part === 'object') restartObject()
    if (part === 'front') closeAll(true)
    if (part === 'front' || part === 'object') frontUpMs = Math.max(frontUpMs, nowMs + downMs)
    const one = envoys[Math.floor(random() * envoys.length)]
    if (one === undefined) return
    if ((part === 'stream' || part === 'envoy') && one.stream !== null) {
      if (one.stream.isOpen) closeStream(one.stream, true)
      one.stream = null
    }
    if (part !== 'envoy') return
    one.envoy = createQuotaEnvoy()
    one.nextReportMs = 0
  }

  function receive(stream: Stream, usage: Usage, nowMs: number): void {
    if (!stream.isOpen) return
    if (stream.holder === null) {
      const { client } = stream
      const found = client === null ? undefined : reclaims.find(client, 'b', { usage, pool, nowMs })
      stream.holder = found ?? `${++streams}`
      if (found !== undefined && client !== null) {
        reclaims.forget(client, { bucket: 'b', holder: found })
        reclaimed += 1
      }
    }
    holders.set(stream.holder, stream)
    pool.report(stream.holder, usage, nowMs)
  }

  function sendReport(at: number, usage: Usage, nowMs: number): void {
    const one = envoys[at]
    // A report that finds no front is lost, and so is one into a connection that has just gone.
    if (one === undefined || nowMs < frontUpMs) return
    const isOpening = one.stream === null
    const stream = one.stream ?? { at, client: one.client, isOpen: true, holder: null, lastUpMs: 0, lastDownMs: 0 }
    one.stream = stream
    const isSlow = isOpening && random() < (scenario.slowOpening ?? 0)
    const atMs = Math.max(stream.lastUpMs, nowMs + latency() + (isSlow ? Math.floor(random() * 30) * stepMs : 0))
    stream.lastUpMs = atMs
    if (isOpening && stream.client !== null) reclaims.open(stream.client)
    mail.push({ atMs, deliver: (deliveredMs) => receive(stream, usage, deliveredMs) })
  }

  const hide = (at: number, { allowed, denied, elapsed }: Usage): Usage => {
    if (at > 0 || scenario.hides === undefined) return { allowed, denied, elapsed }
    return { allowed: 0, denied: scenario.hides === 'all' ? 0 : allowed + denied, elapsed }
  }

  function runRound(nowMs: number): void {
    for (const silent of pool.silent(nowMs)) {
      const owner = holders.get(silent)
      pool.leave(silent)
      holders.delete(silent)
      if (owner === undefined) continue
      if ('isNamed' in owner) reclaims.forget(owner, { bucket: 'b', holder: silent })
      else owner.holder = null
    }
    const plan = pool.plan(nowMs)
    if (plan === null) return
    const id = ++ids
    const returned = plan.lease === null ? [] : [plan.lease, plan.unused]
    if (random() < lossy) {
      pool.fail()
      return
    }
    const wire = ['k', unitIndex, plan.addend, limit, plan.wanted, 1, returned] as const
    const drawn = drawFrom(book, counter(), wire, { id, holder: 1, nowMs })
    // What the disk has of a window.
    window = JSON.parse(JSON.stringify(drawn.window))
    if (random() < lossy) {
      pool.fail()
      return
    }
    const messages = pool.settle(drawn.draw, id, nowMs)
    if (plan.wanted > 0 || plan.lease !== null) save()
    for (const message of messages) {
      const owner = holders.get(message.holder)
      sent += 1
      if (owner === undefined || 'isNamed' in owner || !owner.isOpen) continue
      owner.lastDownMs = Math.max(owner.lastDownMs, nowMs + latency())
      const envoy = envoys[owner.at]?.envoy
      const deliver = (deliveredMs: number) => envoy?.receive(message, deliveredMs)
      mail.push({ atMs: owner.lastDownMs, deliver })
    }
  }

  for (let nowMs = startMs; nowMs < startMs + seconds * 1000; nowMs += stepMs) {
    const due = mail.filter(({ atMs }) => atMs <= nowMs)
    mail.splice(0, mail.length, ...mail.filter(({ atMs }) => atMs > nowMs))
    for (const { deliver } of due) deliver(nowMs)
    const second = Math.floor((nowMs - startMs) / 1000)
    for (const [at, one] of envoys.entries()) {
      one.owed += (one.demand(second) * stepMs) / 1000
      const hits = Math.floor(one.owed)
      one.owed -= hits
      const passed = one.envoy.ask(hits, nowMs)
      if (passed > 0) admit(passed, nowMs)
      if (passed > 0 && at === 0) admit(passed, nowMs, byFirst)
      const seen = bySecond[at]
      if (seen !== undefined) seen[second] = (seen[second] ?? 0) + passed
      if (nowMs < one.nextReportMs) continue
      // The first report goes at once, the second one with the timer of all buckets.
      one.nextReportMs =
        nowMs + (one.nextReportMs === 0 ? Math.ceil((random() * reportMs) / stepMs) * stepMs : reportMs)
      sendReport(at, hide(at, one.envoy.usage(nowMs)), nowMs)
    }
    if (random() * 1000 < (scenario.direct ?? 0) * stepMs) {
      const after = addHits(window, unit, 1, Math.floor(nowMs / 1000))
      // A hit that does not fit is refused and, beside open leases, not counted.
      if (after.hits.after <= limit) {
        window = after.window
        admit(1, nowMs)
      }
    }
    if (random() < (scenario.leasing ?? 0)) {
      const wire = ['k', unitIndex, 0, limit, 5, 0, []] as const
      const drawn = drawFrom(book, counter(), wire, { id: -nowMs, holder: 2, nowMs })
      window = drawn.window
      // Everything that is granted is used, somewhere in the rest of the window.
      admit(drawn.draw.granted, nowMs)
    }
    for (const one of kills) if (one.atMs === nowMs - startMs) kill(one, nowMs)
    for (const part of parts) {
      if (random() < (killing[part] ?? 0)) kill({ part, downMs: random() < 0.5 ? 0 : random() * 8_000 }, nowMs)
    }
    if ((nowMs / stepMs) % 5 === 0) runRound(nowMs)
  }
  return { admitted, byFirst, bySecond, sent, reclaimed }
}

const parts: readonly Part[] = ['stream', 'front', 'object', 'counter', 'envoy']
