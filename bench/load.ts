/** Load on a server: as fast as it answers (wrk, or Node without it), or at a fixed rate with any answers. */

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '#test/support/process.ts'

/** Request of a load, and its expected answer. */
export interface Target {
  readonly url: string
  /** Bodies sent in turn by `POST`; none is `GET`. Characters beyond U+00FF do not occur: one is one byte. */
  readonly bodies: readonly string[]
  readonly contentType?: string
  /** The status of every answer; 200 when absent. */
  readonly status?: 200 | 429
}

/** Result of a run. */
export interface Run {
  readonly answers: number
  readonly perSecond: number
}

/** Size of a load. */
export interface Pressure {
  readonly connections: number
  readonly seconds: number
  /**
   * True where a connection may be lost or wait for more than two seconds: what it asked is not counted. The local
   * runtime closes every kept connection when work keeps it from its sockets for five seconds.
   */
  readonly bearsCuts?: boolean
}

const run = promisify(execFile)
const wrk = findProgram('wrk')

/** The load generator in use. */
export const generator = wrk === null ? 'Node' : 'wrk'

/**
 * Counts answers with every connection always waiting for one.
 *
 * @throws Error when an answer has another status than the target's, or a connection is lost.
 */
export async function press(target: Target, pressure: Pressure): Promise<Run> {
  return wrk === null ? pressFromNode(target, pressure) : pressFromWrk(wrk, target, pressure)
}

async function pressFromWrk(program: string, target: Target, pressure: Pressure): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const script = join(folder, 'load.lua')
  writeFileSync(script, luaOf(target), 'latin1')
  try {
    const flags = ['-t1', `-c${pressure.connections}`, `-d${pressure.seconds}s`, '-s', script, target.url]
    const { stdout } = await run(program, flags)
    const answers = Number(/(\d+) requests in/.exec(stdout)?.[1])
    assertStatuses(stdout, answers, target, pressure)
    return { answers, perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Requests are formatted once, so that the generator costs the same with any number of bodies. */
function luaOf({ bodies, contentType = 'application/json' }: Target): string {
  if (bodies.length === 0) return ''
  const texts = bodies.map((body) => `"${[...body].map(luaEscape).join('')}"`)
  return `local bodies = {${texts.join(',\n')}}
local requests, at = {}, 0
init = function()
  for i, body in ipairs(bodies) do
    requests[i] = wrk.format("POST", nil, {["content-type"] = "${contentType}"}, body)
  end
end
request = function() at = at % #requests + 1; return requests[at] end
`
}

function luaEscape(character: string): string {
  const code = character.charCodeAt(0)
  const isPlain = code >= 0x20 && code < 0x7f && character !== '"' && character !== '\\'
  return isPlain ? character : `\\${String(code).padStart(3, '0')}`
}

function assertStatuses(
  output: string,
  all: number,
  { status = 200, url }: Target,
  { bearsCuts = false }: Pressure,
): void {
  const refused = Number(/Non-2xx or 3xx responses: (\d+)/.exec(output)?.[1] ?? 0)
  const broken = bearsCuts ? undefined : /Socket errors:.*/.exec(output)?.[0]
  const wrong = status === 200 ? refused : all - refused
  if (wrong > 0 || broken !== undefined) {
    throw new Error(`Cannot measure ${url}: ${wrong} of ${all} answers were not ${status}. ${broken ?? ''}`)
  }
}

async function pressFromNode(target: Target, { connections, seconds, bearsCuts = false }: Pressure): Promise<Run> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const end = performance.now() + seconds * 1000
  let [asked, answers] = [0, 0]
  const worker = async (): Promise<void> => {
    while (performance.now() < end) {
      try {
        await ask(target, agent, asked++)
        answers += 1
      } catch (error) {
        if (!bearsCuts || !isCut(error)) throw error
      }
    }
  }
  const started = performance.now()
  await Promise.all(Array.from({ length: connections }, worker))
  agent.destroy()
  return { answers, perSecond: answers / ((performance.now() - started) / 1000) }
}

function isCut(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['ECONNRESET', 'EPIPE'].includes(String(error.code))
}

/** Waits for an answer, in milliseconds, at a rate of requests a second. */
export interface Waits {
  readonly perSecond: number
  readonly p50: number
  readonly p90: number
}

/** Connections of the Node client that measures waits. */
export const waitConnections = 16

/** Requests a second that a Node client sends in time even on a busy machine; beyond that it would measure itself. */
export const mostPerSecond = 3000

/**
 * Asks at half of what the target gives to the very same client, measured right before, or at `mostPerSecond` if that is
 * less.
 *
 * Half of another capacity would not do: a faster client, more connections or a quieter moment may have had twice as
 * much of it, and a load above what there is now only measures how long the queue has grown.
 */
export async function waitsAtHalfLoad(target: Target, seconds: number): Promise<Waits> {
  const { perSecond } = await pressFromNode(target, { connections: waitConnections, seconds })
  return waitsAt(target, Math.min(perSecond / 2, mostPerSecond), seconds)
}

/**
 * Asks at a fixed rate and measures from the moment a request was due, so that a stall counts for every request that
 * it kept waiting.
 *
 * @param perSecond - requests a second, however fast they are answered.
 */
async function waitsAt(target: Target, perSecond: number, seconds: number): Promise<Waits> {
  const agent = new Agent({ keepAlive: true, maxSockets: waitConnections })
  const waits: number[] = []
  const pending: Promise<void>[] = []
  const started = performance.now()
  for (let sent = 0; sent < perSecond * seconds; ) {
    const dueCount = Math.floor(((performance.now() - started) * perSecond) / 1000)
    for (; sent < dueCount; sent++) {
      const due = started + (sent * 1000) / perSecond
      pending.push(ask(target, agent, sent).then(() => void waits.push(performance.now() - due)))
    }
    // A millisecond's worth goes out together: waiting for every one would keep a core from the server.
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await Promise.all(pending)
  agent.destroy()
  waits.sort((left, right) => left - right)
  const at = (part: number) => waits[Math.floor(waits.length * part)] ?? Number.NaN
  return { perSecond, p50: at(0.5), p90: at(0.9) }
}

/** Sends one request and reads its whole answer. */
export function ask(target: Target, agent: Agent, turn: number): Promise<void> {
  const { url, bodies, contentType = 'application/json', status = 200 } = target
  const body = bodies[turn % Math.max(1, bodies.length)]
  const headers = body === undefined ? {} : { 'content-type': contentType, 'content-length': body.length }
  return new Promise((resolve, reject) => {
    const call = request(url, { agent, method: body === undefined ? 'GET' : 'POST', headers }, (response) => {
      response.resume()
      response.once('end', resolve)
      if (response.statusCode !== status) reject(new Error(`${url} answered ${response.statusCode}`))
    })
    call.once('error', reject)
    call.end(body, 'latin1')
  })
}
