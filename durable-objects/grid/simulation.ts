/** SimulationObject: one simulation of the deployment, with its session, its clock and its listeners. */

import { DurableObject } from 'cloudflare:workers'
import type { Configuration } from '../../src/grid/configuration.ts'
import { telecontrolOf } from '../../src/grid/engine.ts'
import type { Topology } from '../../src/grid/interface/answers.ts'
import { planDisable } from '../../src/grid/interface/attack-answers.ts'
import type { AttackDisableRequest, AttackEnableRequest } from '../../src/grid/interface/attack-requests.ts'
import {
  describeReadings,
  describeSimulation,
  listIncidents,
  listPackets,
  measureSimulation,
  type ServiceFacts,
  showAttacks,
  showCatalog,
  showGrid,
  showStudy,
  showTopology,
} from '../../src/grid/interface/description.ts'
import { type ExportKind, exportPieces } from '../../src/grid/interface/exports.ts'
import type { ExternalStatus, PacketBatch } from '../../src/grid/interface/ingest-requests.ts'
import type { SimulationMetrics } from '../../src/grid/interface/metrics.ts'
import {
  expectBreakerName,
  expectEmbedded,
  expectStopped,
  isExternal,
  type SessionView,
} from '../../src/grid/interface/session-view.ts'
import type { StudyRequest } from '../../src/grid/interface/study-requests.ts'
import type { IncidentQuery } from '../../src/grid/records/records.ts'
import { type Answer, answer } from '../base/result.ts'
import type { GridEnv } from './env.ts'
import { openAudience } from './simulation/audience.ts'
import { openClock } from './simulation/clock.ts'
import { openDiagramFeed } from './simulation/diagram.ts'
import { enableAttack } from './simulation/enable-attack.ts'
import { openExternalSession } from './simulation/external-session.ts'
import { openSession, type Publish } from './simulation/session.ts'
import { openStream } from './simulation/stream.ts'
import { openSyslog } from './simulation/syslog.ts'
import { openTally } from './simulation/tally.ts'
import { drawTicket, keepTicket, takeTicket } from './simulation/tickets.ts'
import { openSimulationStore } from './storage/simulation.ts'
import { streamPieces } from './text-stream.ts'

/**
 * One simulation of the deployment, named by its session.
 *
 * Methods answer JSON text, because an answer would otherwise be copied across the boundary and then written; long
 * ones answer a stream. Refusals are values, because errors lose their code on the way.
 */
export class SimulationObject extends DurableObject<GridEnv> {
  readonly #store = openSimulationStore(this.ctx.storage)
  readonly #session = openSession(this.#store, Date.now())
  readonly #audience = openAudience(
    this.env,
    () => this.#session.session().sessionId,
    (count) => this.#onListeners(count),
  )
  readonly #syslog = openSyslog(this.env, () => ({
    session: this.#session.session().sessionId,
    simulation: this.ctx.id.name,
  }))
  readonly #tally = openTally()
  readonly #diagram = openDiagramFeed(
    this.#session,
    () => this.#audience.listeners.countFor('diagram') + this.#audience.relays.count() > 0,
    ({ topic, data }) => this.#audience.announce(topic, data),
  )
  readonly #publish: Publish = (output, firstNumber) => {
    this.#tally.publish(output)
    this.#syslog.publish(output, firstNumber)
    this.#audience.publish(output, firstNumber)
    this.#diagram.changed()
  }
  readonly #external = openExternalSession(this.#store, this.#session, this.#publish)
  readonly #clock = openClock(
    this.#session,
    this.#publish,
    { direct: this.#audience.listeners.count, all: this.#audience.count },
    this.ctx.storage,
  )
  #name = 'default'

  constructor(ctx: DurableObjectState, env: GridEnv) {
    super(ctx, env)
    // A simulation that was running when its object was evicted or killed runs on.
    this.#clock.start()
  }

  /**
   * What the public may know; asking neither starts a simulation nor keeps it awake.
   *
   * @param head - What the Worker knows of the service; its fields come first.
   */
  status(head: Readonly<Record<string, string | number | boolean>>): string {
    const now = Date.now()
    this.#clock.pauseIfAlone(now)
    return toJson({ ...head, ...describeSimulation(this.#view(), this.#service(), now) })
  }

  /** What its telemetry publishes, as JSON; asking neither starts a simulation nor keeps it awake. */
  readings(): string {
    const now = Date.now()
    this.#clock.pauseIfAlone(now)
    return toJson(describeReadings(this.#view(), this.#service(), now))
  }

  /** What a monitoring system reads; asking neither starts a simulation nor keeps it awake. */
  metrics(): SimulationMetrics {
    const now = Date.now()
    this.#clock.pauseIfAlone(now)
    return measureSimulation(this.#view(), this.#service(), this.#tally.counts(), now)
  }

  simulation(): string {
    this.#clock.touch()
    return this.#describe()
  }

  topology(): string {
    this.#clock.touch()
    return toJson(showTopology(this.#view()))
  }

  attacks(): string {
    this.#clock.touch()
    return toJson(showAttacks(this.#view()))
  }

  catalog(): string {
    this.#clock.touch()
    return toJson(showCatalog())
  }

  gridView(): Answer<string> {
    return this.#answer(() => toJson(showGrid(this.#view())))
  }

  /** Computes a study of the grid as it is now; the simulation is not changed. */
  study(request: StudyRequest): Answer<string> {
    return this.#answer(() => toJson(showStudy(this.#view(), request)))
  }

  configuration(): string {
    this.#clock.touch()
    return toJson(this.#session.session().configuration)
  }

  incidents(query: IncidentQuery): ReadableStream<Uint8Array> {
    this.#clock.touch()
    return streamPieces(listIncidents(this.#session.records(), query))
  }

  packets(limit: number, warnings: readonly string[] = []): ReadableStream<Uint8Array> {
    this.#clock.touch()
    return streamPieces(listPackets(this.#session.records(), limit, warnings))
  }

  /** An attachment as a stream. */
  export(kind: ExportKind): Answer<ReadableStream<Uint8Array>> {
    this.#clock.touch()
    return answer(() => {
      const pieces = streamPieces(exportPieces(this.#view(), kind))
      this.#tally.exported(kind)
      return pieces
    })
  }

  /** Enables an attack; whether it was enabled is in the answer. */
  enableAttack(request: AttackEnableRequest): Answer<string> {
    return this.#answer((now) => {
      if (this.#isExternal()) return toJson(this.#external.enable(request, this.#audience.listeners, now))
      this.#clock.advanceNow(now)
      const result = enableAttack(this.#session, request)
      if (result.success) this.#audience.announce('attack', { event: 'enabled', ...result })
      return toJson(result)
    })
  }

  /** Ends one attack or all; always acknowledged. */
  disableAttack(request: AttackDisableRequest): Answer<string> {
    return this.#answer((now) => {
      if (this.#isExternal()) return toJson(this.#external.disable(request, this.#audience.listeners))
      this.#clock.advanceNow(now)
      const result = planDisable(this.#session.world(), request)
      if (result.disabled.length > 0) {
        this.#session.command({ kind: 'disable', attackIds: result.disabled })
        this.#audience.announce('attack', { event: 'disabled', ...result })
      }
      return toJson(result)
    })
  }

  start(): Answer<string> {
    return this.#answer((now) => {
      this.#expectEmbedded('start')
      this.#clock.setRun('running', now)
      this.#clock.start()
      return this.#describe()
    })
  }

  stop(): Answer<string> {
    return this.#answer((now) => {
      this.#expectEmbedded('stop')
      this.#clock.advanceNow(now)
      this.#clock.setRun('stopped', now)
      return this.#describe()
    })
  }

  /** Begins a new session. */
  reset(change: Partial<Configuration>): Answer<string> {
    return answer(() => {
      this.#begin(change)
      this.#external.reset()
      const now = this.#clock.touch()
      const described = describeSimulation(this.#view(), this.#service(), now)
      this.#audience.announce('status', { event: 'reset', ...described })
      this.#diagram.repeat()
      return this.#describe()
    })
  }

  /** Computes steps at once; the only order that does not wake the clock, which would drive them. */
  step(steps: number): Answer<string> {
    return answer(() => {
      expectStopped(this.#session.session())
      this.#clock.stepBy(steps)
      return this.#describe()
    })
  }

  setSpeed(speed: number): Answer<string> {
    return this.#answer((now) => {
      this.#expectEmbedded('set the speed')
      this.#clock.advanceNow(now)
      this.#clock.setSpeed(speed, now)
      return this.#describe()
    })
  }

  /** Orders a breaker to open or close, which the next step carries out. */
  switchBreaker(breaker: string, closed: boolean): Answer<string> {
    return this.#answer((now) => {
      this.#expectEmbedded('switch a breaker')
      expectBreakerName(telecontrolOf(this.#session.world()), breaker)
      this.#clock.advanceNow(now)
      return toJson(this.#session.command({ kind: 'switch', breaker, closed }))
    })
  }

  /** Multiplies every load by a factor from now on. */
  scaleLoads(scale: number): Answer<string> {
    return this.#answer((now) => {
      this.#expectEmbedded('scale the loads')
      this.#clock.advanceNow(now)
      return toJson(this.#session.command({ kind: 'load', scale }))
    })
  }

  ingestPackets(batch: PacketBatch): Answer<string> {
    return this.#answer((now) => this.#external.packets(batch, now))
  }

  ingestCapture(bytes: Uint8Array): Answer<string> {
    return this.#answer(() => toJson(this.#external.capture(bytes)))
  }

  ingestTopology(topology: Topology): Answer<string> {
    return this.#answer(() => toJson(this.#external.topology(topology)))
  }

  ingestStatus(status: ExternalStatus): Answer<string> {
    return this.#answer((now) => toJson(this.#external.status(status, now)))
  }

  /** Makes a ticket that lets one event stream in, once, within a minute. */
  async createTicket(): Promise<Answer<string>> {
    const drawn = await drawTicket()
    return answer(() => toJson(keepTicket(this.#store, drawn, Date.now())))
  }

  /** Redeems a ticket, once; false when it is unknown, used or expired. */
  takeTicket(ticket: string): Promise<boolean> {
    return takeTicket(this.#store, ticket)
  }

  /** What a listener of a relay missed since an identifier, and the opening lines of its stream. */
  async openingFor(lastEventId: string | null): Promise<readonly Uint8Array[]> {
    this.#clock.touch()
    await this.#audience.drained()
    return openStream(this.#session, this.#name, lastEventId).opening
  }

  /** Sends the whole diagram once more, for a listener that came to a relay. */
  repeatDiagram(): void {
    this.#diagram.repeat()
  }

  /** Tells whether a session was ever begun here; the answer leaves nothing on disk. */
  isUsed(): boolean {
    return this.#store.readSession() !== undefined
  }

  /** Begins the first session, which rests until the first request; a session that was begun stays as it is. */
  create(change: Partial<Configuration>): Answer<void> {
    return answer(() => {
      if (!this.isUsed()) this.#begin(change)
    })
  }

  /** Ends every stream and deletes all data. */
  remove(): Promise<void> {
    const reason = 'closed: the simulation was deleted'
    this.#audience.listeners.closeAll(reason)
    this.#audience.relays.closeAll(reason)
    this.#syslog.close()
    this.#session.forget(Date.now())
    this.#external.forget()
    // No write may happen between two parts of the deletion.
    return this.ctx.blockConcurrencyWhile(() => this.#store.destroy())
  }

  /**
   * Registers a relay; it repeats the call for as long as it has listeners.
   *
   * @returns false when the simulation does not exist.
   */
  addRelay(relay: string): boolean {
    if (!relay.startsWith('default#') && !this.isUsed()) return false
    this.#audience.relays.add(relay)
    this.#clock.touch()
    return true
  }

  removeRelay(relay: string): void {
    this.#audience.relays.remove(relay)
  }

  /** The event stream: the one request that reaches the object as a request, because its answer is a stream. */
  override async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url)
    this.#name = url.searchParams.get('name') ?? this.#name
    this.#clock.touch()
    const { listeners } = this.#audience
    if (url.pathname === '/commands') return this.#external.listen(listeners, this.#name, request.signal)
    // Events in the outbox are among the records already: a listener that reconnects would get them twice.
    await this.#audience.drained()
    const lastEventId = request.headers.get('last-event-id')
    const { subscription, opening } = openStream(this.#session, this.#name, lastEventId, url)
    const diagram = subscription.topics.has('diagram') ? this.#diagram.opening() : []
    return listeners.open(subscription, [...opening, ...diagram], request.signal)
  }

  /** The platform's alarm wakes the object after the process that held its timers has ended. */
  override async alarm(): Promise<void> {
    this.#clock.start()
  }

  /** Wakes the simulation and carries an order out; the result is its answer or its refusal. */
  #answer(order: (nowMs: number) => string): Answer<string> {
    const now = this.#clock.touch()
    return answer(() => order(now))
  }

  #onListeners(count: number): void {
    if (count === 0) return
    this.#clock.touch()
    this.#clock.hurry()
  }

  /** Begins a new session; fields that are absent keep their present value. */
  #begin(change: Partial<Configuration>): void {
    this.#session.create({ ...this.#session.session().configuration, ...change }, Date.now())
  }

  #isExternal(): boolean {
    return isExternal(this.#session.session().configuration)
  }

  #expectEmbedded(action: string): void {
    expectEmbedded(this.#session.session().configuration, action)
  }

  #view(): SessionView {
    const { session, world, records, commands } = this.#session
    return {
      session: session(),
      world: world(),
      records: records(),
      commands: commands(),
      external: this.#external.state(),
    }
  }

  #service(): ServiceFacts {
    const { count, listeners } = this.#audience
    return { subscribers: count(), subscribersCutOff: listeners.cutOff(), syslog: this.#syslog.state() }
  }

  #describe(): string {
    return toJson(describeSimulation(this.#view(), this.#service(), Date.now()))
  }
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
