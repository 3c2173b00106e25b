/** SimulationObject: one simulation of the deployment, with its session, its clock and its listeners. */

import { DurableObject } from 'cloudflare:workers'
import type { Sliced } from '#base/slices.ts'
import type { Configuration } from '#grid/configuration.ts'
import type { Topology } from '#grid/contract/grid.ts'
import type { HandedIn } from '#grid/contract/scenario.ts'
import { fieldPath } from '#grid/field/messages.ts'
import type { AttackDisableRequest, AttackEnableRequest } from '#grid/interface/attack-requests.ts'
import type { CaptureSelection } from '#grid/interface/capture-requests.ts'
import * as description from '#grid/interface/description.ts'
import { type ExportKind, exportPieces } from '#grid/interface/exports.ts'
import type { ExternalStatus, PacketBatch } from '#grid/interface/ingest-requests.ts'
import type { SimulationMetrics } from '#grid/interface/metrics.ts'
import type { PlayRequest } from '#grid/interface/scenario-requests.ts'
import { type ScoreRequest, scoreSession } from '#grid/interface/score-requests.ts'
import type { StudyRequest } from '#grid/interface/study-requests.ts'
import type { IncidentQuery } from '#grid/records/records.ts'
import { type Right, ticketPrefix, type Visibility } from '#grid/rights.ts'
import { describeScenario, describeToTrainees } from '#grid/scenario/describe.ts'
import { type Answer, answer, answerInSlices } from '../base/result.ts'
import { drawTicket } from '../base/tickets.ts'
import type { GridEnv } from './env.ts'
import * as attackOrders from './simulation/attack-orders.ts'
import { ingestCapture, ingestPackets, ingestStatus, ingestTopology } from './simulation/external-ingest.ts'
import { type OrderBody, takeOrder } from './simulation/orders.ts'
import { describe, openParts, serviceOf, viewOf } from './simulation/parts.ts'
import * as sessionOrders from './simulation/session-orders.ts'
import { listMissed, openEvents } from './simulation/stream.ts'
import { keepTicket, takeTicket } from './simulation/tickets.ts'
import { streamPieces } from './text-stream.ts'

/**
 * One simulation of the deployment. Answers cross as JSON text or a stream, which the Worker passes on; refusals are
 * values, because errors lose their code on the way.
 */
export class SimulationObject extends DurableObject<GridEnv> {
  readonly #parts = openParts(this.ctx, this.env)

  constructor(ctx: DurableObjectState, env: GridEnv) {
    super(ctx, env)
    // A simulation that was running when its object was evicted or killed runs on.
    this.#parts.clock.start()
  }

  /** Describes it for the public, after the Worker's fields; asking neither starts a simulation nor keeps it awake. */
  status(head: Readonly<Record<string, string | number | boolean>>, visibility: Visibility = 'full'): string {
    this.#parts.clock.pauseIfUnwatched(Date.now())
    return toJson({ ...head, ...this.#describe(visibility) })
  }

  /** Gives what a monitoring system reads; asking neither starts a simulation nor keeps it awake. */
  metrics(): SimulationMetrics {
    const now = Date.now()
    const { clock, tally } = this.#parts
    clock.pauseIfUnwatched(now)
    return description.measureSimulation(viewOf(this.#parts), serviceOf(this.#parts), tally.counts(), now)
  }

  simulation(visibility: Visibility = 'full'): string {
    return this.#read(() => this.#describe(visibility))
  }

  topology(visibility: Visibility): Answer<string> {
    return this.#answer(() => description.showTopology(viewOf(this.#parts), visibility))
  }

  attacks(): string {
    return this.#read(() => description.showAttacks(viewOf(this.#parts)))
  }

  catalog(): string {
    return this.#read(() => description.showCatalog(viewOf(this.#parts)))
  }

  gridView(visibility: Visibility): Answer<string> {
    return this.#answer(() => description.showGrid(viewOf(this.#parts), visibility))
  }

  /** Computes a study of the grid as it is now; the simulation is not changed. */
  study(request: StudyRequest): Promise<Answer<string>> {
    this.#parts.clock.touch()
    return answerInSlices(asJson(description.showStudy(viewOf(this.#parts), request)))
  }

  /** Scores alerts against the retained capture, in slices; null for the alarms of the control centre. */
  score(text: string | null, request: ScoreRequest): Promise<Answer<string>> {
    this.#parts.clock.touch()
    return answerInSlices(asJson(scoreSession(viewOf(this.#parts), text, request)))
  }

  configuration(): string {
    return this.#read(() => this.#parts.session.session().configuration)
  }

  incidents(query: IncidentQuery): ReadableStream<Uint8Array> {
    this.#parts.clock.touch()
    return streamPieces(description.listIncidents(this.#parts.session.records(), query))
  }

  packets(limit: number, warnings: readonly string[] = []): ReadableStream<Uint8Array> {
    this.#parts.clock.touch()
    return streamPieces(description.listPackets(this.#parts.session.records(), limit, warnings))
  }

  /** An attachment as a stream, of the session, of one incident or of some frames. */
  export(kind: ExportKind, selection: CaptureSelection = {}): Answer<ReadableStream<Uint8Array>> {
    this.#parts.clock.touch()
    return answer(() => {
      const pieces = streamPieces(exportPieces(viewOf(this.#parts), kind, selection))
      this.#parts.tally.exported(kind)
      return pieces
    })
  }

  enableAttack(request: AttackEnableRequest): Answer<string> {
    return this.#answer((now) => attackOrders.enable(this.#parts, request, now))
  }

  /** Ends one attack or all; always acknowledged. */
  disableAttack(request: AttackDisableRequest): Answer<string> {
    return this.#answer((now) => attackOrders.disable(this.#parts, request, now))
  }

  start(): Answer<string> {
    return this.#answer((now) => sessionOrders.start(this.#parts, now))
  }

  stop(): Answer<string> {
    return this.#answer((now) => sessionOrders.stop(this.#parts, now))
  }

  reset(): Answer<string> {
    return this.#answerExisting(() => sessionOrders.restart(this.#parts))
  }

  play(request: PlayRequest): Answer<string> {
    return this.#answerExisting(() => sessionOrders.play(this.#parts, request))
  }

  scenario(visibility: Visibility): string {
    const { session, store } = this.#parts
    return this.#read(() => {
      const scenario = session.scenario()
      const { step } = session.world()
      if (visibility !== 'full') return describeToTrainees(scenario, step)
      return describeScenario(scenario, step, scenario === null ? [] : store.readAnswers())
    })
  }

  /** Keeps the answers of one person for the debrief. */
  handIn(handedIn: HandedIn): Answer<string> {
    return this.#answer(() => sessionOrders.handIn(this.#parts, handedIn))
  }

  /** Begins a new session with a changed configuration, the first one too. */
  configure(change: Partial<Configuration>): Answer<string> {
    return answer(() => toJson(sessionOrders.reset(this.#parts, change)))
  }

  /** Computes steps in slices; the only order that does not wake the clock, which would drive them. */
  step(steps: number): Promise<Answer<string>> {
    return answerInSlices(asJson(sessionOrders.step(this.#parts, steps)))
  }

  setSpeed(speed: number): Answer<string> {
    return this.#answer((now) => sessionOrders.setSpeed(this.#parts, speed, now))
  }

  order(order: OrderBody, visibility: Visibility): Answer<string> {
    return this.#answer((now) => takeOrder(this.#parts, order, visibility, now))
  }

  ingestPackets(batch: PacketBatch): Answer<string> {
    const now = this.#parts.clock.touch()
    // The reply is kept as text: a batch that is sent again gets the same octets.
    return answer(() => ingestPackets(this.#parts.external, batch, now))
  }

  /** Other objects have the thread between slices; this one takes no other request, which might number its records. */
  ingestCapture(bytes: Uint8Array): Promise<Answer<string>> {
    this.#parts.clock.touch()
    return this.ctx.blockConcurrencyWhile(() => answerInSlices(asJson(ingestCapture(this.#parts.external, bytes))))
  }

  ingestTopology(topology: Topology): Answer<string> {
    return this.#answer(() => ingestTopology(this.#parts.external, topology))
  }

  ingestStatus(status: ExternalStatus): Answer<string> {
    return this.#answer((now) => ingestStatus(this.#parts.external, status, now))
  }

  /** Makes a ticket that lets one event stream in, once, within a minute, with the right of its owner. */
  async createTicket(right: Right): Promise<Answer<string>> {
    const drawn = await drawTicket(ticketPrefix(right))
    return this.#answerExisting(() => keepTicket(this.#parts.store, drawn, Date.now()))
  }

  takeTicket(ticket: string): Promise<boolean> {
    return takeTicket(this.#parts.store, ticket)
  }

  /** Gives what a listener at a relay missed since an identifier. */
  async missedSince(lastEventId: string | null): Promise<readonly Uint8Array[]> {
    this.#parts.clock.touch()
    await this.#parts.audience.drained()
    return listMissed(this.#parts.session, lastEventId)
  }

  /** Sends the whole diagram once more, for a listener that came to a relay. */
  repeatDiagram(): void {
    for (const diagram of Object.values(this.#parts.diagrams)) diagram.repeat()
  }

  /** Tells whether a session was ever begun here; the answer leaves nothing on disk. */
  isUsed(): boolean {
    return this.#parts.store.readSession() !== undefined
  }

  /** Begins the first session, which rests until the first request; a session that was begun stays as it is. */
  create(change: Partial<Configuration>): Answer<void> {
    return answer(() => {
      if (!this.isUsed()) sessionOrders.begin(this.#parts, change)
    })
  }

  /** Ends every stream and deletes all data. */
  remove(): Promise<void> {
    sessionOrders.end(this.#parts)
    // No write may happen between two parts of the deletion.
    return this.ctx.blockConcurrencyWhile(() => this.#parts.store.destroy())
  }

  /** Registers a relay, which repeats the call while it has listeners; false when the simulation does not exist. */
  addRelay(relay: string): boolean {
    if (!relay.startsWith('default#') && !this.isUsed()) return false
    this.#parts.audience.relays.add(relay)
    this.#parts.clock.touch()
    return true
  }

  removeRelay(relay: string): void {
    this.#parts.audience.relays.remove(relay)
  }

  /** The event stream: the one request that reaches the object as a request, because its answer is a stream. */
  override async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url)
    if (url.pathname === fieldPath) return this.#connectField()
    return openEvents(this.#parts, url.searchParams.get('name') ?? 'default', request)
  }

  /** The platform's alarm wakes the object after the process that held its timers has ended. */
  override async alarm(): Promise<void> {
    this.#parts.clock.start()
  }

  #connectField(): Response {
    const { field, clock, pace, stepper } = this.#parts
    return field.connect({ touch: clock.touch, advanceNow: stepper.advanceNow, sinceStepUs: pace.sinceStepUs })
  }

  #describe(visibility: Visibility): object {
    if (visibility === 'full') return describe(this.#parts)
    return description.describeToControlRoom(viewOf(this.#parts), Date.now())
  }

  #read(show: () => object): string {
    this.#parts.clock.touch()
    return toJson(show())
  }

  /** Wakes the simulation and carries an order out; the result is its answer as JSON, or its refusal. */
  #answer(order: (nowMs: number) => object): Answer<string> {
    const now = this.#parts.clock.touch()
    return answer(() => toJson(order(now)))
  }

  /** Carries an order out without waking the simulation first; refused where the simulation was deleted meanwhile. */
  #answerExisting(order: () => object): Answer<string> {
    return answer(() => {
      this.#parts.session.expectExisting()
      return toJson(order())
    })
  }
}

function* asJson(value: Sliced<object>): Sliced<string> {
  return toJson(yield* value)
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
