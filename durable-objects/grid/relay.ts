/** RelayObject: holds some of the event streams of a simulation, so that one object does not hold thousands. */

import { DurableObject } from 'cloudflare:workers'
import type { EncodedEvent, Subscription } from '#grid/records/broadcast.ts'
import { openBurstThrottle } from './burst-throttle.ts'
import type { GridEnv } from './env.ts'
import { createListeners, encodeOpening } from './listeners.ts'
import { relayTimeoutMs } from './relay-registry.ts'
import { readSubscription } from './simulation/stream.ts'

/** One relay, named `<simulation>#<number>`; it remembers nothing. */
export class RelayObject extends DurableObject<GridEnv> {
  readonly #listeners = createListeners(() => this.#report())
  readonly #throttle = openBurstThrottle((events) => this.#listeners.publish(events))
  #timer: ReturnType<typeof setInterval> | undefined
  #relay = ''
  #simulation = ''
  /** Listeners whose stream is not open yet. */
  #coming = 0

  /** Opens an event stream; what its listener missed comes from the simulation. */
  override async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url)
    this.#relay = url.searchParams.get('relay') ?? this.#relay
    this.#simulation = url.searchParams.get('name') ?? this.#simulation
    this.#coming += 1
    try {
      return await this.#open(readSubscription(url), request)
    } finally {
      this.#coming -= 1
      this.#report()
    }
  }

  async #open(subscription: Subscription, { headers, signal }: Request): Promise<Response> {
    const hub = this.env.SIMULATION.getByName(this.#simulation)
    if (!(await hub.addRelay(this.#relay))) return new Response(null, { status: 404 })
    // Events in the throttle are among those that were missed: the listener would get them twice.
    await this.#throttle.drained()
    const missed = subscription.withIds ? await hub.missedSince(headers.get('last-event-id')) : []
    const response = this.#listeners.open(subscription, [encodeOpening(this.#simulation), ...missed], signal)
    if (subscription.topics.has('diagram')) await hub.repeatDiagram()
    return response
  }

  /** Takes encoded events from the simulation and passes them on. */
  deliver(events: readonly EncodedEvent[]): void {
    this.#throttle.send(events)
  }

  /** Reports again that this relay has listeners; a simulation that was deleted has no listeners. */
  async #renew(): Promise<void> {
    const isThere = await this.env.SIMULATION.getByName(this.#simulation).addRelay(this.#relay)
    if (!isThere) this.closeAll('closed: the simulation was deleted')
  }

  /** Ends every stream with a comment. */
  closeAll(reason: string): void {
    this.#listeners.closeAll(reason)
  }

  /** Reports listeners, also those that come, again and again to the simulation, and when the last has left. */
  #report(): void {
    if (this.#listeners.count() + this.#coming > 0) {
      this.#timer ??= setInterval(() => this.ctx.waitUntil(this.#renew()), relayTimeoutMs / 3)
      return
    }
    if (this.#timer !== undefined) clearInterval(this.#timer)
    this.#timer = undefined
    this.ctx.waitUntil(this.env.SIMULATION.getByName(this.#simulation).removeRelay(this.#relay))
  }
}
