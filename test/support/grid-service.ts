/** A running grid service as tests, benchmarks and peers talk to it: sessions, steps, attacks and downloads over HTTP. */

import { readEvents } from '#base/event-stream.ts'
import type { Configuration } from '#grid/configuration.ts'
import type { AttackEnableResult } from '#grid/contract/attacks.ts'
import type { Simulation } from '#grid/contract/simulation.ts'
import type { Incident } from '#grid/types.ts'

/** Unix seconds at which sessions with a clock of their own begin. */
const startTime = 1_764_000_000

/** The token of the service in tests. */
export const gridToken = 'c'.repeat(32)

/** The header that carries it. */
export const gridBearer = { authorization: `Bearer ${gridToken}` } as const

/** One simulation of a running service. */
export interface GridClient {
  /** `http://127.0.0.1:PORT/.../api/v1`, without a slash at the end. */
  readonly base: string
  /** Fails unless the answer is a success. */
  get(path: string, init?: RequestInit): Promise<Response>
  download(path: string): Promise<Uint8Array<ArrayBuffer>>
  post(path: string, body?: unknown): Promise<Response>
  simulation(): Promise<Simulation>
  enable(type: string, params?: Readonly<Record<string, unknown>>): Promise<AttackEnableResult>
  incidents(): Promise<readonly Incident[]>
  /** A new session that is at `step`, with a clock that the wall does not drive. */
  standAt(step: number, change?: Partial<Configuration>): Promise<void>
  /** Computes so many steps, a request's worth at a time. */
  step(steps: number): Promise<void>
}

/** Makes a client of the simulation `name` at `url`. */
export function gridClient(url: string, name = 'default', token = gridToken): GridClient {
  const base = `${url}${name === 'default' ? '' : `/simulations/${name}`}/api/v1`
  const headers = { authorization: `Bearer ${token}` }
  async function call(path: string, init: RequestInit): Promise<Response> {
    const response = await fetch(`${base}${path}`, { ...init, headers: { ...headers, ...init.headers } })
    if (response.ok) return response
    throw new Error(`${init.method ?? 'GET'} ${path} was answered ${response.status}: ${await response.text()}`)
  }
  const get = (path: string, init: RequestInit = {}) => call(path, init)
  const post = (path: string, body?: unknown) =>
    call(path, { method: 'POST', ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  // The shapes of the answers are what test/workers/grid/contract.test.ts checks.
  const simulation = async () => (await (await get('/simulation')).json()) as Simulation
  async function step(steps: number): Promise<void> {
    for (let left = steps; left > 0; left -= 100) await post('/sim/step', { steps: Math.min(left, 100) })
  }
  return {
    base,
    get,
    post,
    simulation,
    step,
    download: async (path) => new Uint8Array(await (await get(path)).arrayBuffer()),
    enable: async (type, params = {}) =>
      (await (await post('/attack/enable', { type, params })).json()) as AttackEnableResult,
    incidents: async () => {
      const listing = (await (await get('/incidents?limit=0')).json()) as { incidents: Incident[] }
      return listing.incidents
    },
    async standAt(target, change = {}) {
      // A new session runs until it is stopped; its clock is its own, so those first steps are the same every time.
      await post('/sim/config', { seed: 7, start_time: startTime, auto_pause_s: 0, ...change })
      await post('/sim/stop')
      const { tick } = await simulation()
      const reached = Number(tick)
      if (reached > target) throw new Error(`The session was stopped at step ${reached}, expected ${target}`)
      await step(target - reached)
    },
  }
}

/** The data of the next `incident` events of a stream, as many as asked for; leaves the stream then. */
export async function takeIncidents(response: Response, count: number): Promise<readonly Incident[]> {
  const taken: Incident[] = []
  for await (const { event, data } of readEvents(response.body)) {
    if (event === 'incident') taken.push(JSON.parse(data))
    if (taken.length >= count) break
  }
  return taken
}

/** Creates simulations by name where they do not exist yet. */
export async function createSimulations(url: string, names: readonly string[], token = gridToken): Promise<void> {
  for (const name of names) {
    const response = await fetch(`${url}/api/v1/simulations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ name }),
    })
    if (response.status !== 200 && response.status !== 409) throw new Error(await response.text())
  }
}
