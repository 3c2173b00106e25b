/** RelayObject: holds some of the event streams of a simulation, so that one object does not hold thousands. */

import { DurableObject } from 'cloudflare:workers'
import { encodeUtf8 } from '#base/utf8.ts'
import type { EncodedEvent } from '#grid/records/broadcast.ts'
import { openBurstThrottle } from './burst-throttle.ts'
import type { GridEnv } from './env.ts'
import { createListeners, formatOpening } from './listeners.ts'
import { relayTimeoutMs } from './relay-registry.ts'
import { readSubscription } from './simulation/stream.ts'

/** One relay, named `<simulation>#<number>`; it remembers nothing. */
export class RelayObject extends DurableObject<GridEnv> {
  readonly #listeners = createListeners((count) => this.#onListeners(count))
  readonly #throttle = openBurstThrottle((events) => this.#listeners.publish(events))
  #timer: ReturnType<typeof setInterval> | undefined
  #relay = ''
  #simulation = ''

  /** Opens an event stream; what its listener missed comes from the simulation. */
  override async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url)
    this.#relay = url.searchParams.get('relay') ?? this.#relay
    this.#simulation = url.searchParams.get('name') ?? this.#simulation
    const subscription = readSubscription(url)
    const lastEventId = subscription.withIds ? request.headers.get('last-event-id') : null
    const hub = this.env.SIMULATION.getByName(this.#simulation)
    if (!(await hub.addRelay(this.#relay))) return new Response(null, { status: 404 })
    const opening =
      lastEventId === null ? [encodeUtf8(formatOpening(this.#simulation))] : await hub.openingFor(lastEventId)
    const response = this.#listeners.open(subscription, opening, request.signal)
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

  #onListeners(count: number): void {
    if (count === 0) {
      if (this.#timer !== undefined) clearInterval(this.#timer)
      this.#timer = undefined
      if (this.#simulation !== '') {
        this.ctx.waitUntil(this.env.SIMULATION.getByName(this.#simulation).removeRelay(this.#relay))
      }
      return
    }
    this.#timer ??= setInterval(() => {
      this.ctx.waitUntil(this.#renew())
    }, relayTimeoutMs / 3)
  }
}
