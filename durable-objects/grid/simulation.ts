/** SimulationObject: one simulation of the deployment, with its session, its clock and its audience. */

import { DurableObject } from 'cloudflare:workers'
import type { Configuration } from '../../src/grid/configuration.ts'
import type { SimulationMetrics } from '../../src/grid/interface/metrics.ts'
import type {
  AttackDisableRequest,
  AttackEnableRequest,
  ExternalStatus,
  PacketBatch,
} from '../../src/grid/interface/requests.ts'
import type { StudyRequest } from '../../src/grid/interface/study-requests.ts'
import type { IncidentQuery } from '../../src/grid/records/records.ts'
import type { Topology } from '../../src/grid/types.ts'
import { type Answer, answer } from '../base/result.ts'
import type { GridEnv } from './env.ts'
import { disableAttack, enableAttack } from './simulation/attacks.ts'
import { openAudience } from './simulation/audience.ts'
import { openClock } from './simulation/clock.ts'
import {
  resetRun,
  scaleLoads,
  setSpeed,
  startRun,
  stepRun,
  stopRun,
  switchBreaker,
} from './simulation/controls.ts'
import { openDiagramFeed } from './simulation/diagram.ts'
import { type ExportKind, exportPieces } from './simulation/exports.ts'
import { openFeed } from './simulation/external-session.ts'
import { isExternal, openSimulationRun } from './simulation/run.ts'
import type { Publish } from './simulation/session.ts'
import { openStream } from './simulation/stream.ts'
import { openSyslog } from './simulation/syslog.ts'
import { openTally } from './simulation/tally.ts'
import { drawTicket, keepTicket, takeTicket } from './simulation/tickets.ts'
import {
  describeSimulation,
  listIncidents,
  listPackets,
  measureSimulation,
  type Shown,
  showAttacks,
  showCatalog,
  showGrid,
  showStudy,
  showTopology,
} from './simulation/views.ts'
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
  readonly #audience = openAudience(
    this.env,
    () => this.#run.session().sessionId,
    (count) => this.#onListeners(count),
  )
  readonly #syslog = openSyslog(this.env, () => ({
    session: this.#run.session().sessionId,
    simulation: this.ctx.id.name,
  }))
  readonly #tally = openTally()
  readonly #publish: Publish = (output, firstNumber) => {
    this.#tally.publish(output)
    this.#syslog.publish(output, firstNumber)
    this.#audience.publish(output, firstNumber)
    this.#diagram.changed()
  }
  readonly #run = openSimulationRun(this.#store, this.#publish, Date.now())
  readonly #diagram = openDiagramFeed(
    this.#run,
    () => this.#audience.listeners.countFor('diagram') + this.#audience.relays.count() > 0,
    ({ topic, data }) => this.#audience.announce(topic, data),
  )
  readonly #feed = openFeed(this.#store, this.#run)
  readonly #clock = openClock(
    this.#run,
    this.#audience.listeners.count,
    this.#audience.count,
    this.ctx.storage,
  )
  readonly #shown: Shown = {
    run: this.#run,
    feed: this.#feed,
    audience: this.#audience,
    syslog: this.#syslog,
  }
  #name = 'default'

  constructor(ctx: DurableObjectState, env: GridEnv) {
    super(ctx, env)
    // An object that was put to sleep or killed in the middle of its run goes on with it.
    this.#clock.start()
  }

  /** What the public may know; asking neither starts a simulation nor keeps it awake. */
  status(): string {
    this.#clock.pauseIfAlone(Date.now())
    return this.#describe()
  }

  /** What a monitoring system reads; asking neither starts a simulation nor keeps it awake. */
  metrics(): SimulationMetrics {
    const now = Date.now()
    this.#clock.pauseIfAlone(now)
    return measureSimulation(this.#shown, this.#tally.counts(), now)
  }

  simulation(): string {
    this.#clock.touch()
    return this.#describe()
  }

  topology(): string {
    this.#clock.touch()
    return toJson(showTopology(this.#shown))
  }

  attacks(): string {
    this.#clock.touch()
    return toJson(showAttacks(this.#shown))
  }

  catalog(): string {
    this.#clock.touch()
    return toJson(showCatalog())
  }

  gridView(): Answer<string> {
    return this.#answer(() => toJson(showGrid(this.#shown)))
  }

  /** Computes a study of the grid as it is now; the simulation goes on as if nobody had asked. */
  study(request: StudyRequest): Answer<string> {
    return this.#answer(() => toJson(showStudy(this.#shown, request)))
  }

  configuration(): string {
    this.#clock.touch()
    return toJson(this.#run.session().configuration)
  }

  incidents(query: IncidentQuery): ReadableStream<Uint8Array> {
    this.#clock.touch()
    return streamPieces(listIncidents(this.#shown, query))
  }

  packets(limit: number, warnings: readonly string[] = []): ReadableStream<Uint8Array> {
    this.#clock.touch()
    return streamPieces(listPackets(this.#shown, limit, warnings))
  }

  /** An attachment as a stream. */
  export(kind: ExportKind): Answer<ReadableStream<Uint8Array>> {
    this.#clock.touch()
    return answer(() => {
      const pieces = streamPieces(exportPieces(this.#run, kind))
      this.#tally.exported(kind)
      return pieces
    })
  }

  /** Enables an attack; whether it was enabled is in the answer. */
  enableAttack(request: AttackEnableRequest): Answer<string> {
    return this.#answer((now) => {
      if (isExternal(this.#run)) return toJson(this.#feed.enable(request, this.#audience.listeners, now))
      this.#run.advanceNow(now)
      const result = enableAttack(this.#run, request)
      if (result.success) this.#audience.announce('attack', { event: 'enabled', ...result })
      return toJson(result)
    })
  }

  /** Ends one attack or all; always acknowledged. */
  disableAttack(request: AttackDisableRequest): Answer<string> {
    return this.#answer((now) => {
      if (isExternal(this.#run)) return toJson(this.#feed.disable(request, this.#audience.listeners))
      this.#run.advanceNow(now)
      const result = disableAttack(this.#run, request)
      if (result.disabled.length > 0) this.#audience.announce('attack', { event: 'disabled', ...result })
      return toJson(result)
    })
  }

  start(): Answer<string> {
    return this.#answer((now) => {
      startRun(this.#run, now)
      this.#clock.start()
      return this.#describe()
    })
  }

  stop(): Answer<string> {
    return this.#answer((now) => {
      stopRun(this.#run, now)
      return this.#describe()
    })
  }

  /** Begins a new session. */
  reset(change: Partial<Configuration>): Answer<string> {
    return answer(() => {
      resetRun(this.#run, change, Date.now())
      this.#feed.reset()
      const now = this.#clock.touch()
      this.#audience.announce('status', { event: 'reset', ...describeSimulation(this.#shown, now) })
      this.#diagram.repeat()
      return this.#describe()
    })
  }

  /** Computes steps at once; alone among the orders it does not wake the clock, which would drive them. */
  step(steps: number): Answer<string> {
    return answer(() => {
      stepRun(this.#run, steps)
      return this.#describe()
    })
  }

  setSpeed(speed: number): Answer<string> {
    return this.#answer((now) => {
      setSpeed(this.#run, speed, now)
      return this.#describe()
    })
  }

  switchBreaker(breaker: string, closed: boolean): Answer<string> {
    return this.#answer((now) => toJson(switchBreaker(this.#run, breaker, closed, now)))
  }

  scaleLoads(scale: number): Answer<string> {
    return this.#answer((now) => toJson(scaleLoads(this.#run, scale, now)))
  }

  ingestPackets(batch: PacketBatch): Answer<string> {
    return this.#answer((now) => this.#feed.packets(batch, now, this.#publish))
  }

  ingestCapture(bytes: Uint8Array): Answer<string> {
    return this.#answer(() => this.#feed.capture(bytes, this.#publish))
  }

  ingestTopology(topology: Topology): Answer<string> {
    return this.#answer(() => this.#feed.topology(topology))
  }

  ingestStatus(status: ExternalStatus): Answer<string> {
    return this.#answer((now) => this.#feed.status(status, now))
  }

  /** Makes a ticket that lets one event stream in, once, within a minute. */
  async createTicket(): Promise<Answer<string>> {
    const drawn = await drawTicket()
    return answer(() => toJson(keepTicket(this.#store, drawn, Date.now())))
  }

  /** Uses a ticket up; false when it is unknown, used or expired. */
  takeTicket(ticket: string): Promise<boolean> {
    return takeTicket(this.#store, ticket)
  }

  /** What a listener of a relay missed since an identifier, and the opening lines of its stream. */
  async openingFor(lastEventId: string | null): Promise<readonly Uint8Array[]> {
    this.#clock.touch()
    await this.#audience.drained()
    return openStream(this.#run, this.#name, lastEventId).opening
  }

  /** Sends the whole diagram once more, for a listener that came to a relay. */
  repeatDiagram(): void {
    this.#diagram.repeat()
  }

  /** Tells whether a session was ever begun here; the answer leaves nothing on disk. */
  isUsed(): boolean {
    return this.#store.readSession() !== undefined
  }

  /** Begins the first session, which rests until somebody asks for it; a session that was begun stays as it is. */
  create(change: Partial<Configuration>): Answer<void> {
    return answer(() => {
      if (!this.isUsed()) resetRun(this.#run, change, Date.now())
    })
  }

  /** Ends every stream and forgets everything. */
  remove(): Promise<void> {
    const reason = 'closed: the simulation was deleted'
    this.#audience.listeners.closeAll(reason)
    this.#audience.relays.closeAll(reason)
    this.#syslog.close()
    this.#run.forget(Date.now())
    this.#feed.forget()
    // Nothing may be written between two halves of the removal.
    return this.ctx.blockConcurrencyWhile(() => this.#store.destroy())
  }

  /**
   * A relay listens for its own listeners; it says so again and again as long as it has some.
   *
   * @returns false when the simulation does not exist, so that nobody can listen to it.
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
    if (url.pathname === '/commands') return this.#feed.listen(listeners, this.#name, request.signal)
    // What still waits to go out is among the records already: a listener that comes back would hear it twice.
    await this.#audience.drained()
    const lastEventId = request.headers.get('last-event-id')
    const { subscription, opening } = openStream(this.#run, this.#name, lastEventId, url)
    const diagram = subscription.topics.has('diagram') ? this.#diagram.opening() : []
    return listeners.open(subscription, [...opening, ...diagram], request.signal)
  }

  /** The platform's own clock: it finds the object where the process that held its timers is gone. */
  override async alarm(): Promise<void> {
    this.#clock.start()
  }

  /** Wakes the simulation, carries an order out, and answers what it answers or why it was refused. */
  #answer(order: (nowMs: number) => string): Answer<string> {
    const now = this.#clock.touch()
    return answer(() => order(now))
  }

  #onListeners(count: number): void {
    if (count === 0) return
    this.#clock.touch()
    this.#clock.hurry()
  }

  #describe(): string {
    return toJson(describeSimulation(this.#shown, Date.now()))
  }
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
