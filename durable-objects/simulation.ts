/** A running simulation: its session, its records, its listeners, and the clock that drives it. */

import { DurableObject } from 'cloudflare:workers'
import { encodeHex } from '../src/base/hex.ts'
import { attacks } from '../src/grid/attacks/catalogue.ts'
import { describeAttacks } from '../src/grid/attacks/snapshot.ts'
import { encodeStreamEvent, isAudible, type StreamEvent } from '../src/grid/broadcast.ts'
import type { Configuration, SessionDocument } from '../src/grid/configuration.ts'
import { gridSummary, type StepOutput, telecontrolOf, worldTimeUs } from '../src/grid/engine.ts'
import { GridError } from '../src/grid/errors.ts'
import { type CaptureFrame, captureFrames } from '../src/grid/export/capture.ts'
import { encodeCsv } from '../src/grid/export/csv.ts'
import { encodeLabels } from '../src/grid/export/labels.ts'
import { encodePcap } from '../src/grid/export/pcap.ts'
import { encodePcapng } from '../src/grid/export/pcapng.ts'
import { encodeStix } from '../src/grid/export/stix.ts'
import { combineExternal, describeExternalSimulation } from '../src/grid/external.ts'
import { formatListing } from '../src/grid/listing.ts'
import { untilNextStep } from '../src/grid/pace.ts'
import { streamConfiguration } from '../src/grid/phasor-configuration.ts'
import {
  capturedFrames,
  type IncidentQuery,
  latestAttacked,
  type Records,
  retention,
  selectIncidents,
  selectPackets,
} from '../src/grid/records.ts'
import type {
  AttackDisableRequest,
  AttackEnableRequest,
  ExternalStatus,
  PacketBatch,
} from '../src/grid/requests.ts'
import { describeTopology } from '../src/grid/topology.ts'
import type { Simulation, Topology } from '../src/grid/types.ts'
import { type Answer, answer } from './answer.ts'
import type { GridEnv } from './env.ts'
import { createListeners } from './listeners.ts'
import { openOutbox } from './outbox.ts'
import { openRelays } from './relays.ts'
import { disableAttack, enableAttack } from './simulation-attacks.ts'
import { openFeed } from './simulation-feed.ts'
import { openSimulationRun } from './simulation-run.ts'
import { openStream } from './simulation-stream.ts'
import { openSimulationStore } from './storage/simulation.ts'
import { streamPieces } from './text-stream.ts'

/** Milliseconds between two looks at the clock while somebody listens, and while nobody does. */
const watchedMs = 100
const unwatchedMs = 1_000

/** Milliseconds after which the platform wakes an object that should be running. */
const heartbeatMs = 15_000

/** How long a ticket for the event stream is good, and how many may wait to be used. */
const ticketMs = 60_000
const maximumTickets = 1_000

/** What an export can be. */
export type ExportKind = 'stix' | 'csv' | 'csv-extended' | 'pcap' | 'pcapng' | 'labels' | 'session'

/**
 * One simulation of the deployment, named by its session.
 *
 * Methods answer JSON text, because an answer would otherwise be copied across the boundary and then written; long
 * ones answer a stream. Refusals are values, because errors lose their code on the way.
 */
export class SimulationObject extends DurableObject<GridEnv> {
  readonly #store = openSimulationStore(this.ctx.storage)
  readonly #listeners = createListeners((count) => this.#onListeners(count))
  readonly #relays = openRelays(this.env)
  readonly #outbox = openOutbox(this.#listeners, (events) => {
    this.#listeners.publish(events)
    this.#relays.deliver(events)
  })
  readonly #run = openSimulationRun(this.#store, (output, first) => this.#publish(output, first), Date.now())
  readonly #feed = openFeed(this.#store, this.#run)
  #timer: ReturnType<typeof setTimeout> | undefined
  #name = 'default'

  constructor(ctx: DurableObjectState, env: GridEnv) {
    super(ctx, env)
    // An object that was put to sleep or killed in the middle of its run goes on with it.
    if (this.#run.session().run === 'running') this.#schedule(1)
  }

  /** What the public may know; asking neither starts a simulation nor keeps it awake. */
  status(): string {
    this.#pauseIfAlone(Date.now())
    return toJson(this.#describe())
  }

  simulation(): string {
    this.#touch()
    return toJson(this.#describe())
  }

  topology(): string {
    this.#touch()
    if (this.#isExternal()) return toJson(this.#feed.state().topology ?? {})
    return toJson(describeTopology(this.#run.world()))
  }

  attacks(): string {
    this.#touch()
    if (this.#isExternal()) return toJson(combineExternal(this.#feed.state()))
    return toJson(describeAttacks(this.#run.world()))
  }

  /** Every type with its parameters, bounds and effects. */
  catalog(): string {
    this.#touch()
    return toJson({
      attacks: attacks.map(({ alter: _, forge: __, touches: ___, check: ____, ...told }) => told),
    })
  }

  incidents(query: IncidentQuery): ReadableStream<Uint8Array> {
    this.#touch()
    const { count, total, incidents } = selectIncidents(this.#run.records(), query)
    return streamPieces(formatListing({ count, total }, 'incidents', incidents))
  }

  packets(limit: number): ReadableStream<Uint8Array> {
    this.#touch()
    const { count, total, packets } = selectPackets(this.#run.records(), limit)
    return streamPieces(formatListing({ count, total }, 'packets', packets))
  }

  /** What the control centre believes beside what is true: estimate, alarms, last values. */
  gridView(): string {
    this.#touch()
    const { view, plant } = this.#run.world()
    const { estimate, alarms, alarmCount, values, closed } = view
    const { vmPu, vaRad } = plant.solution
    const truth = { ...gridSummary(this.#run.world()), vm_pu: vmPu, va_rad: vaRad }
    return toJson({ truth, measured: { values, closed }, estimate, alarms, alarm_count: alarmCount })
  }

  /** An attachment as a stream. */
  export(kind: ExportKind): Answer<ReadableStream<Uint8Array>> {
    this.#touch()
    return answer(() => streamPieces(this.#exportPieces(kind)))
  }

  #exportPieces(kind: ExportKind): Iterable<string | Uint8Array> {
    const records = this.#run.records()
    switch (kind) {
      case 'csv':
      case 'csv-extended':
        return encodeCsv(selectIncidents(records, { limit: 0 }).incidents, {
          isExtended: kind === 'csv-extended',
        })
      case 'stix':
        return this.#stix(records)
      case 'session':
        return [toJson(this.#document())]
      case 'pcap':
        return encodePcap(this.#capture(records))
      case 'pcapng':
        return encodePcapng(this.#capture(records))
      case 'labels':
        return encodeLabels(this.#capture(records))
    }
  }

  #stix(records: Records): Iterable<Uint8Array> {
    const { sessionId, createdMs } = this.#run.session()
    const frames = capturedFrames(records)
    const first = frames[0]?.frameNo ?? 0
    return encodeStix(latestAttacked(records, 20), {
      id: sessionId,
      startedUs: createdMs * 1000,
      frame: (frameNo) => frames[frameNo - first]?.bytes,
    })
  }

  #capture(records: Records): Iterable<CaptureFrame> {
    const frames = capturedFrames(records)
    if (frames.length === 0) {
      throw new GridError(
        'capture_unavailable',
        this.#isExternal() ? 'pcap capture not active' : 'pcap file not available',
        { hint: 'A capture exists once the simulation has run, or frames were ingested' },
      )
    }
    const plan = telecontrolOf(this.#run.world())
    const rate = this.#run.session().configuration.pmu_rate
    const configurations = new Map(
      plan.pmus.flatMap(({ idCode, link }) => {
        const configuration = streamConfiguration(plan, link, rate)
        return configuration === undefined || this.#isExternal() ? [] : [[idCode, configuration] as const]
      }),
    )
    return captureFrames(frames, configurations)
  }

  #document(): SessionDocument {
    return {
      format: 'sluice-grid-session',
      version: 1,
      configuration: this.#run.session().configuration,
      commands: this.#run.commands(),
      steps: this.#run.world().step,
    }
  }

  /** Enables an attack; whether it was enabled is in the answer. */
  enableAttack(request: AttackEnableRequest): Answer<string> {
    const now = this.#touch()
    return answer(() => {
      if (this.#isExternal()) return toJson(this.#feed.enable(request, this.#listeners, now))
      this.#run.advanceNow(now)
      const result = enableAttack(this.#run, request)
      if (result.success) this.#announce('attack', { event: 'enabled', ...result })
      return toJson(result)
    })
  }

  /** Ends one attack or all; always acknowledged. */
  disableAttack(request: AttackDisableRequest): Answer<string> {
    const now = this.#touch()
    return answer(() => {
      if (this.#isExternal()) return toJson(this.#feed.disable(request, this.#listeners))
      this.#run.advanceNow(now)
      const result = disableAttack(this.#run, request)
      if (result.disabled.length > 0) this.#announce('attack', { event: 'disabled', ...result })
      return toJson(result)
    })
  }

  start(): Answer<string> {
    const now = this.#touch()
    return answer(() => {
      if (this.#isExternal()) throw externalError('start')
      this.#run.setRun('running', now)
      this.#schedule(1)
      return toJson(this.#describe())
    })
  }

  stop(): Answer<string> {
    this.#touch()
    return answer(() => {
      if (this.#isExternal()) throw externalError('stop')
      this.#run.advanceNow(Date.now())
      this.#run.setRun('stopped', Date.now())
      return toJson(this.#describe())
    })
  }

  /** Begins a new session, with what is given of a configuration in the place of the present one. */
  reset(change: Partial<Configuration>): Answer<string> {
    return answer(() => {
      const now = Date.now()
      const configuration = { ...this.#run.session().configuration, ...change }
      this.#run.reset(configuration, now)
      this.#feed.reset()
      this.#touch()
      this.#announce('status', { event: 'reset', ...this.#describe() })
      return toJson(this.#describe())
    })
  }

  /** Computes steps at once while the clock does not drive them. */
  step(steps: number): Answer<string> {
    return answer(() => {
      if (this.#isExternal()) throw externalError('step')
      if (this.#run.session().run === 'running') {
        throw new GridError('out_of_order', 'Cannot step: the simulation runs by the clock', {
          hint: 'POST /api/v1/sim/stop first',
        })
      }
      this.#run.stepBy(steps)
      return toJson(this.#describe())
    })
  }

  setSpeed(speed: number): Answer<string> {
    const now = this.#touch()
    return answer(() => {
      this.#run.advanceNow(now)
      this.#run.setSpeed(speed, now)
      return toJson(this.#describe())
    })
  }

  configuration(): string {
    this.#touch()
    return toJson(this.#run.session().configuration)
  }

  /** An operator's switching, carried out by the next step. */
  switchBreaker(breaker: string, closed: boolean): Answer<string> {
    const now = this.#touch()
    return answer(() => {
      if (!telecontrolOf(this.#run.world()).branchByBreaker.has(breaker)) {
        throw new GridError('invalid_request', `Cannot switch "${breaker}": no breaker has this id`, {
          hint: 'GET /api/v1/topology lists grid.breakers',
        })
      }
      this.#run.advanceNow(now)
      return toJson(this.#run.command({ kind: 'switch', breaker, closed }))
    })
  }

  scaleLoads(scale: number): Answer<string> {
    const now = this.#touch()
    return answer(() => {
      this.#run.advanceNow(now)
      return toJson(this.#run.command({ kind: 'load', scale }))
    })
  }

  ingestPackets(batch: PacketBatch): Answer<string> {
    const now = this.#touch()
    return answer(() => this.#feed.packets(batch, now, (output, first) => this.#publish(output, first)))
  }

  ingestCapture(bytes: Uint8Array): Answer<string> {
    this.#touch()
    return answer(() => this.#feed.capture(bytes, (output, first) => this.#publish(output, first)))
  }

  ingestTopology(topology: Topology): Answer<string> {
    this.#touch()
    return answer(() => this.#feed.topology(topology))
  }

  ingestStatus(status: ExternalStatus): Answer<string> {
    const now = this.#touch()
    return answer(() => this.#feed.status(status, now))
  }

  /** Makes a ticket that lets one event stream in, once, within a minute. */
  async createTicket(): Promise<Answer<string>> {
    const ticket = encodeHex(crypto.getRandomValues(new Uint8Array(16)))
    const hash = await hashTicket(ticket)
    return answer(() => {
      if (this.#store.countTickets() >= maximumTickets) {
        throw new GridError('too_many', `Cannot give a ticket: ${maximumTickets} wait to be used already`)
      }
      this.#store.writeTicket(hash, Date.now() + ticketMs)
      return toJson({ ticket, expires_in: ticketMs / 1000 })
    })
  }

  /** Uses a ticket up; false when it is unknown, used or expired. */
  async takeTicket(ticket: string): Promise<boolean> {
    return this.#store.takeTicket(await hashTicket(ticket), Date.now())
  }

  /** What a listener of a relay missed since an identifier, and the opening lines of its stream. */
  async openingFor(lastEventId: string | null): Promise<readonly Uint8Array[]> {
    this.#touch()
    await this.#outbox.drained()
    return openStream(this.#run, this.#name, lastEventId).opening
  }

  /** A relay listens for its own listeners; it says so again and again as long as it has some. */
  addRelay(relay: string): void {
    this.#relays.add(relay)
    this.#touch()
  }

  removeRelay(relay: string): void {
    this.#relays.remove(relay)
  }

  /** The event stream: the one request that reaches the object as a request, because its answer is a stream. */
  override async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url)
    this.#name = url.searchParams.get('name') ?? this.#name
    this.#touch()
    if (url.pathname === '/commands') return this.#feed.listen(this.#listeners, this.#name, request.signal)
    // What still waits to go out is among the records already: a listener that comes back would hear it twice.
    await this.#outbox.drained()
    const { subscription, opening } = openStream(
      this.#run,
      this.#name,
      request.headers.get('last-event-id'),
      url,
    )
    return this.#listeners.open(subscription, opening, request.signal)
  }

  /** The platform's own clock: it finds the object where the process that held its timers is gone. */
  override async alarm(): Promise<void> {
    if (this.#run.session().run === 'running') this.#schedule(1)
  }

  #isExternal(): boolean {
    return this.#run.session().configuration.mode === 'external'
  }

  #isRunning(): boolean {
    return this.#isExternal() ? this.#feed.isRunning(Date.now()) : this.#run.session().run === 'running'
  }

  /** Somebody with a right to it asked: the simulation wakes, and stays awake for a while. */
  #touch(): number {
    const now = Date.now()
    this.#run.touch(now)
    this.#run.wake(now)
    this.#schedule(this.#listeners.count() > 0 ? watchedMs : unwatchedMs)
    return now
  }

  #onListeners(count: number): void {
    if (count === 0) return
    this.#touch()
    // Whoever has just come should not wait for the slow beat.
    if (this.#timer !== undefined) clearTimeout(this.#timer)
    this.#timer = undefined
    this.#schedule(1)
  }

  #schedule(delayMs: number): void {
    if (this.#timer !== undefined || this.#run.session().run !== 'running') return
    this.#timer = setTimeout(() => void this.#tick(), delayMs)
  }

  async #tick(): Promise<void> {
    this.#timer = undefined
    const now = Date.now()
    try {
      if (this.#listeners.count() + this.#relays.count() > 0) this.#run.touch(now)
      // What was due before the pause is computed first, so that a pause begins where it began.
      await this.#run.advance(Math.min(now, this.#idleSince()))
      this.#pauseIfAlone(now)
      if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(now + heartbeatMs)
    } finally {
      const isWatched = this.#listeners.count() + this.#relays.count() > 0
      const next = untilNextStep(this.#run.session(), this.#run.world().step, Date.now())
      this.#schedule(isWatched ? Math.min(next, watchedMs) : unwatchedMs)
    }
  }

  /** Milliseconds since the epoch from which on nobody will have watched for long enough; Infinity while somebody does. */
  #idleSince(): number {
    const { activeMs, configuration } = this.#run.session()
    const isWatched = this.#listeners.count() + this.#relays.count() > 0
    if (isWatched || configuration.auto_pause_s === 0) return Number.POSITIVE_INFINITY
    return activeMs + configuration.auto_pause_s * 1000
  }

  /** Pauses when nobody has asked or listened for long: a simulation that nobody watches costs and shows nothing. */
  #pauseIfAlone(now: number): void {
    if (this.#run.session().run !== 'running' || now < this.#idleSince()) return
    this.#run.setRun('paused', now)
  }

  #publish(output: StepOutput, firstNumber: number): void {
    if (this.#listeners.count() + this.#relays.count() === 0) return
    const events: StreamEvent[] = [...output.events]
    output.incidents.forEach((incident, index) => {
      if (isAudible(incident)) events.push({ topic: 'incident', number: firstNumber + index, data: incident })
    })
    this.#send(events)
  }

  #announce(topic: 'attack' | 'status', data: unknown): void {
    this.#send([{ topic, data }])
  }

  #send(events: readonly StreamEvent[]): void {
    if (events.length === 0) return
    const { sessionId } = this.#run.session()
    this.#outbox.send(events.map((event) => encodeStreamEvent(event, sessionId)))
  }

  #describe(): Simulation {
    const session = this.#run.session()
    const records = this.#run.records()
    const world = this.#run.world()
    const external = this.#isExternal() ? describeExternalSimulation(this.#feed.state()) : {}
    return {
      sim_running: this.#isRunning(),
      session_id: session.sessionId,
      uptime_s: Math.floor((Date.now() - session.createdMs) / 1000),
      total_incidents: records.incidents.items.length,
      attacked: records.attacked,
      integrations: { pcap: records.frames.items.length > 0, syslog: false, rest_api: true },
      run: session.run,
      mode: session.configuration.mode,
      case: session.configuration.case,
      seed: session.configuration.seed,
      speed: session.speed,
      tick: world.step,
      sim_time: worldTimeUs(world) / 1e6,
      subscribers: this.#listeners.count() + this.#relays.count(),
      subscribers_cut_off: this.#listeners.cutOff(),
      lifetime: { incidents: records.incidents.pushed, frames: records.frames.pushed, ...world.totals },
      retention: { incidents: retention.incidents, packets: retention.packets },
      ...(this.#isExternal() ? {} : { grid: gridSummary(world) }),
      ...external,
    }
  }
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

function externalError(action: string): GridError {
  return new GridError('out_of_order', `Cannot ${action}: an outside simulator drives this session`, {
    hint: 'POST /api/v1/sim/config {"mode": "embedded"} gives the session back to the engine here',
  })
}

async function hashTicket(ticket: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(ticket))
  return encodeHex(new Uint8Array(digest))
}
