/** QuotaObject: divides the limits of a domain, or of a shard of its buckets, among Envoys that report what they use. */

import { DurableObject } from 'cloudflare:workers'
import { groupBy } from '#base/group-by.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import { refusalSeconds } from '#ratelimit/quota/holding.ts'
import { type BucketUsage, parseReports, type QuotaAction } from '#ratelimit/quota/messages.ts'
import type { Client } from '#ratelimit/quota/reclaim.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { quotaStats } from '#ratelimit/statistics/names.ts'
import { beginWork, type Work } from '#ratelimit/work.ts'
import { consoleLogger } from '../base/log.ts'
import { closeReason } from '../base/refuse-socket.ts'
import type { RatelimitEnv } from './env.ts'
import { pendingCounts } from './pending-counts.ts'
import { closeStream, createMembers, type MemberStream, noteTime, openStream } from './quota/member-table.ts'
import { rematchMembers, takeMember } from './quota/members.ts'
import { playRound, type Round } from './quota/round.ts'
import { roundTimer } from './quota/round-timer.ts'
import { quotaRules } from './quota/rules.ts'
import { savedPools } from './storage/pools.ts'

/** Buckets of all streams of an object: about half of the memory that an object has. */
const totalBounds = { buckets: 50_000, characters: 8_388_608 } as const
/** Close codes of a stream: 4000 and the gRPC status that it ends with. */
const closeCodes = { resourceExhausted: 4_008, invalidArgument: 4_003 } as const

/**
 * Aggregates usage reports and sends assignments, over one hibernating WebSocket for each stream.
 *
 * Hits that were handed out are charged to the counters, so a restart can only refuse too early. Envoys keep their
 * assignments meanwhile, and are taken up again by their next reports. The holdings of a minute are stored, because all
 * of them would be lost to the limit otherwise.
 */
export class QuotaObject extends DurableObject<RatelimitEnv> {
  readonly #settings = readSettings({ ...this.env })
  readonly #logger = consoleLogger(this.#settings)
  readonly #counts = pendingCounts(this.env, this.#settings, this.ctx)
  readonly #saved = savedPools(this.ctx.storage)
  readonly #members = createMembers({
    keyPrefix: this.#settings.CACHE_KEY_PREFIX,
    lifeSeconds: this.#settings.QUOTA_ASSIGNMENT_SECONDS,
    mostBuckets: this.#settings.QUOTA_MAX_BUCKETS,
    total: totalBounds,
    saved: this.#saved,
  })
  readonly #rules = quotaRules(this.env, this.#settings, () => this.#rematch())
  readonly #round: Round = {
    env: this.env,
    placement: this.#settings.placement,
    holder: Math.floor(Math.random() * Number.MAX_SAFE_INTEGER),
    members: this.#members,
    counts: this.#counts,
  }
  readonly #rounds = roundTimer(() => this.#runRound(), this.ctx)

  constructor(ctx: DurableObjectState, env: RatelimitEnv) {
    super(ctx, env)
    // Sockets outlive the memory of an idle object.
    for (const socket of ctx.getWebSockets()) openStream(this.#members, streamOf(socket))
  }

  /** Opens a stream; its domain and its client are in the query. The Worker has checked the caller. */
  override async fetch(request: Request): Promise<Response> {
    const { 0: socket, 1: server } = new WebSocketPair()
    const query = new URL(request.url).searchParams
    const domain = query.get('domain') ?? ''
    const most = this.#settings.QUOTA_MAX_STREAMS
    if (this.ctx.getWebSockets().length >= most) {
      server.accept()
      const reason = `Cannot open stream: ${most} are open, expected fewer (QUOTA_MAX_STREAMS)`
      server.close(closeCodes.resourceExhausted, reason)
      this.#counts.add(quotaStats.streamsRefused, 1)
    } else {
      const stream: MemberStream = { id: crypto.randomUUID(), domain, client: readClient(query) }
      this.ctx.acceptWebSocket(server, [stream.id])
      server.serializeAttachment(stream)
      openStream(this.#members, stream)
      this.#counts.add(quotaStats.streams, 1)
    }
    return new Response(null, { status: 101, webSocket: socket })
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    const stream = streamOf(socket)
    try {
      const usages = parseReports(typeof message === 'string' ? message : '')
      await this.#refreshRules()
      // The stream may have ended meanwhile: a share of it would reach no Envoy.
      if (!this.#members.openStreams.has(stream.id)) return
      const work = beginWork(this.#settings.REQUEST_MAX_COMPARISONS)
      for (const usage of usages) this.#report(stream, usage, work)
    } catch (error) {
      if (!(error instanceof RatelimitError)) throw error
      this.#counts.add(quotaStats.streamsRefused, 1)
      closeStream(this.#members, stream)
      const code = error.code === 'request_too_large' ? 'resourceExhausted' : 'invalidArgument'
      socket.close(closeCodes[code], closeReason(error.message))
    }
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    closeStream(this.#members, streamOf(socket))
    // The closing handshake needs an answer (RFC 6455, 5.5.1); without one the front keeps its side.
    socket.close()
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    closeStream(this.#members, streamOf(socket))
  }

  /** Removes what is saved of windows that have ended. */
  override async alarm(): Promise<void> {
    await this.#saved.expire(Date.now())
  }

  async #refreshRules(): Promise<void> {
    try {
      await this.#rules.refresh(Date.now())
    } catch (error) {
      this.#logger.error('Cannot refresh rules: quota assignments go on by those that are known', error)
    }
  }

  /** Follows new rules; Envoys whose limit is the same go on with what they have. */
  #rematch(): void {
    const work = beginWork(this.#settings.REQUEST_MAX_COMPARISONS)
    rematchMembers(this.#members, (name) => this.#rules.find(name) ?? null, work)
  }

  #report(stream: MemberStream, usage: BucketUsage, work: Work): void {
    const domain = this.#rules.find(stream.domain)
    // Without rules nothing is known of a bucket: its Envoy goes on by its own fallback, and reports again.
    if (domain === undefined) return
    const now = Date.now()
    const { bucket, allowed, denied } = usage
    this.#counts.add(quotaStats.reports, 1)
    const taken = takeMember(this.#members, stream, usage, { domain, nowMs: now, work })
    if (taken === null) {
      this.#counts.add(quotaStats.notAssignable, 1)
      this.#send(stream.id, [{ bucket, seconds: refusalSeconds, blanket: 'deny' }])
      return
    }
    const { member, origin } = taken
    if (origin === 'reclaimed') this.#counts.add(quotaStats.reclaimed, 1)
    if (member.limit === null) this.#counts.add(quotaStats.unlimited, 1)
    else {
      this.#counts.add(member.limit.stats.totalHits, allowed + denied)
      this.#counts.add(member.limit.stats.withinLimit, allowed)
      this.#counts.add(member.limit.stats.overLimit, denied)
    }
    member.counter?.pool.report(member.holder, usage, now)
    if (origin === 'new') this.#rounds.soon()
    else this.#rounds.next()
  }

  /** Abandons, draws, sends. @returns true while there are buckets. */
  async #runRound(): Promise<boolean> {
    try {
      await this.#refreshRules()
      noteTime(this.#members, Date.now())
      const byStream = groupBy(await playRound(this.#round), ([stream]) => stream)
      for (const [stream, addressed] of byStream) {
        this.#send(
          stream,
          addressed.map(([, action]) => action),
        )
      }
    } catch (error) {
      this.#logger.error('Cannot run a round of quota assignments: the next one goes on', error)
    }
    return this.#members.byHolder.size > 0
  }

  #send(stream: string, actions: readonly QuotaAction[]): void {
    const [socket] = this.ctx.getWebSockets(stream)
    try {
      socket?.send(JSON.stringify(actions))
    } catch {
      // A socket that has gone reports its close; what was sent to it stays charged.
    }
  }
}

/** The stream of a socket, which it keeps while the object is out of memory. */
function streamOf(socket: WebSocket): MemberStream {
  // Every socket got its stream as it was opened.
  return socket.deserializeAttachment() as MemberStream
}

function readClient(query: URLSearchParams): Client | null {
  const name = query.get('client_name')
  const address = query.get('client_address')
  if (name !== null) return { id: `name ${name}`, isNamed: true }
  return address === null ? null : { id: `address ${address}`, isNamed: false }
}
