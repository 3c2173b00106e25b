/** Callers that reserve, settle, acquire and release while their service dies, and a book of what must be true then. */

import { setTimeout as sleep } from 'node:timers/promises'
import { lossBudget } from '#ratelimit/durability/ceiling.ts'
import type { Durability } from '#ratelimit/durability/stored-window.ts'

/** Rules of the callers: a limit that takes reservations, and one of concurrency. */
export const callerRules = `domain: kill
descriptors:
  - key: user
    rate_limit: {unit: month, requests_per_unit: 1000000, sluice: {unit_multiplier: 6, unsettled: charged, time_to_live: 3600}}
  - key: held
    rate_limit: {unit: hour, requests_per_unit: 4, sluice: {algorithm: concurrency}}
`

/** The facts of a run. */
export interface CallerBook {
  /** True costs of everything that was settled. */
  readonly costs: number
  readonly settled: number
  readonly acquired: number
  readonly violations: readonly string[]
}

/** Callers that run until they are asked to stop. */
export interface ReservationCallers {
  readonly settled: () => number
  /** Lets every caller finish what it has begun, and closes the book. */
  stop(): Promise<CallerBook>
  /** Asks what is used of a limit: its hits, or what is held. */
  used(entry: 'user' | 'held'): Promise<number>
}

/** Finds the most hits beyond the costs that a service counts which was killed: a ceiling ahead of the hits counts as used. */
export function mostAhead(durability: Durability): number {
  return durability === 'durable' ? lossBudget(limits.user) : 0
}

const limits = { user: 1_000_000, held: 4 } as const
const estimate = 5

/**
 * Starts callers.
 *
 * @param urlOf - the address of the service now.
 */
export function startReservationCallers(urlOf: () => string, callers: number): ReservationCallers {
  const violations: string[] = []
  const sums = { costs: 0, settled: 0, acquired: 0, holding: 0 }
  let isOver = false

  /** Sends a call; 0 where it is not known whether it arrived. */
  async function call(method: string, asked: object): Promise<number> {
    const body = JSON.stringify({ domain: 'kill', ...asked })
    const sent = fetch(`${urlOf()}/limiter/${method}`, { method: 'POST', body, signal: AbortSignal.timeout(5_000) })
    const status = await sent.then(
      async (response) => {
        await response.arrayBuffer()
        return response.status
      },
      () => 0,
    )
    if (status !== 0 && status < 500) return status
    await sleep(20)
    return 0
  }

  /** Settles until the answer is known: true for the first settlement. */
  async function settle(asked: { readonly reservation: string }, isKnown: boolean): Promise<boolean> {
    for (let isAgain = false; ; isAgain = true) {
      const status = await call('settle', asked)
      if (status === 0) continue
      if (status === 200 || (status === 409 && isAgain)) return true
      const isLost = status === 404 && isKnown
      if (status !== 404 || isLost) violations.push(`settlement of ${asked.reservation} was answered ${status}`)
      return false
    }
  }

  async function reserveOnce(reservation: string, cost: number): Promise<void> {
    const reserved = { entries: { user: 'one' }, reservation }
    const status = await call('limit', { ...reserved, hits: estimate })
    if (status !== 0 && status !== 200) violations.push(`reservation ${reservation} was answered ${status}`)
    if (!(await settle({ ...reserved, ...{ hits: cost } }, status === 200))) return
    sums.costs += cost
    sums.settled += 1
  }

  async function holdOnce(reservation: string): Promise<void> {
    const held = { entries: { held: 'one' }, reservation }
    const status = await call('limit', held)
    if (status === 429) return
    if (status === 200) {
      sums.acquired += 1
      sums.holding += 1
      if (sums.holding > limits.held) violations.push(`${sums.holding} holders at once, the limit is ${limits.held}`)
      await sleep(2)
      sums.holding -= 1
    }
    await settle(held, status === 200)
  }

  async function run(caller: number): Promise<void> {
    for (let turn = 0; !isOver; turn++) {
      const id = `${caller}-${turn}`
      if (caller % 2 === 0) await reserveOnce(id, turn % 10)
      else await holdOnce(id)
    }
  }

  const running = Array.from({ length: callers }, (_, caller) => run(caller))
  return {
    settled: () => sums.settled,
    async stop() {
      isOver = true
      await Promise.all(running)
      return { ...sums, violations }
    },
    async used(entry) {
      const body = JSON.stringify({ domain: 'kill', entries: { [entry]: 'one' } })
      const response = await fetch(`${urlOf()}/limiter/peek`, { method: 'POST', body })
      const { remaining } = (await response.json()) as { readonly remaining: number }
      return limits[entry] - remaining
    },
  }
}
