/**
 * A thousand listeners of one simulation, a hundred of which never read, and a thousand idle connections beside them:
 * they come and leave in rounds, and what they leave behind must not grow from round to round.
 */

import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gatherViolations, grouped, type Soak, scaled, type Violations } from './outcome.ts'
import { prepareService, type Service } from './service.ts'

const rounds = 5

/** Milliseconds that each round listens. */
const listenMs = 20_000

/** Milliseconds from the last listener's leave to the reading of the memory. */
const restMs = 5_000

/**
 * MiB that a thousand listeners may leave behind in a round, from the second round on: the first fills the pools of
 * the allocator. A leak of 16 KiB for each listener is more than this.
 */
const growthMiB = 15

/** Measurements of one round. */
interface Round {
  readonly peak: number
  readonly after: number
  readonly waits: readonly number[]
  /** Events that each reader heard. */
  readonly heard: readonly number[]
}

export const run: Soak = async (scale) => {
  const listeners = scaled(1_000, scale)
  const violations = gatherViolations()
  const service = await prepareService()
  await service.start()
  await post(service, '/sim/config', { case: 'case14', seed: 3, auto_pause_s: 0 })
  await post(service, '/sim/speed', { speed: 5 })
  await post(service, '/attack/enable', { type: 'NOISE', params: { noise_std: 3 } })
  // Records are at their bounds before the first listener comes: what grows then is of the listeners.
  for (let minute = 0; minute < 10; minute++) await stepAMinute(service)
  const before = service.memoryMiB()
  const done: Round[] = []
  for (let round = 0; round < rounds; round++) done.push(await listenTogether(service, listeners, violations))
  await service.stop()
  const after = done.map((round) => round.after)
  const growth = ((after.at(-1) ?? 0) - (after[1] ?? 0)) / (rounds - 2)
  if (growth > growthMiB) violations.add(`each round leaves ${growth.toFixed(1)} MiB behind: ${after.join(', ')} MiB`)
  const waits = done.flatMap((round) => round.waits).sort((one, other) => one - other)
  const heard = done.flatMap((round) => round.heard)
  return {
    done: `${rounds} rounds of ${grouped(listeners)} listeners, a tenth of them mute, beside ${grouped(listeners)} idle connections`,
    facts: [
      `memory of the runtime ${before} MiB before, ${done.map(({ peak }) => peak).join(', ')} MiB at most in each round, ${after.join(', ')} MiB ${restMs / 1000} s after all had left`,
      `a status in the median ${waits[waits.length >> 1]?.toFixed(0)} ms, at most ${waits.at(-1)?.toFixed(0)} ms`,
      `a reader heard ${grouped(Math.min(...heard))} events at least and ${grouped(Math.max(...heard))} at most`,
    ],
    violations: violations.list(),
  }
}

/** One round: all come, listen and leave. */
async function listenTogether(service: Service, listeners: number, violations: Violations): Promise<Round> {
  const mute = Math.ceil(listeners / 10)
  const idle = Array.from({ length: listeners }, () => open(service))
  const heard = new Array<number>(listeners - mute).fill(0)
  const readers = heard.map((_, number) => listen(service, (events) => (heard[number] = (heard[number] ?? 0) + events)))
  const silent = Array.from({ length: mute }, () => listen(service, null))
  const waits: number[] = []
  let peak = 0
  for (const end = Date.now() + listenMs; Date.now() < end; await sleep(250)) {
    const asked = performance.now()
    const response = await fetch(`${service.url}/api/v1/status`)
    await response.arrayBuffer()
    waits.push(performance.now() - asked)
    if (response.status !== 200) violations.add(`the status was answered ${response.status}`)
    peak = Math.max(peak, service.memoryMiB())
  }
  const deaf = heard.filter((events) => events === 0).length
  if (deaf > 0) violations.add(`${deaf} of ${heard.length} readers heard nothing`)
  for (const socket of [...idle, ...readers, ...silent]) socket.destroy()
  const left = await countAfterLeave(service)
  if (left !== 0) violations.add(`${left} listeners are counted after all have left`)
  await sleep(restMs)
  return { peak, after: service.memoryMiB(), waits, heard }
}

async function countAfterLeave(service: Service): Promise<number> {
  let left = Number.NaN
  for (let waited = 0; waited < 120 && left !== 0; waited++) {
    await sleep(250)
    const response = await fetch(`${service.url}/api/v1/status`)
    left = Number(((await response.json()) as { subscribers?: number }).subscribers)
  }
  return left
}

async function stepAMinute(service: Service): Promise<void> {
  await post(service, '/sim/stop', {})
  await post(service, '/sim/step', { steps: 600 })
  await post(service, '/sim/start', {})
}

function open({ ports }: Service): Socket {
  const socket = connect({ host: '127.0.0.1', port: ports.http })
  socket.on('error', () => undefined)
  return socket
}

/** Listens; null for `hear` never reads a word. */
function listen(service: Service, hear: ((events: number) => void) | null): Socket {
  const socket = open(service)
  const token = service.tokens().GRID_TOKEN
  const fields = [`Host: 127.0.0.1:${service.ports.http}`, `Authorization: Bearer ${token}`]
  socket.write(`GET /api/v1/events HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`)
  if (hear === null) socket.pause()
  else socket.on('data', (chunk: Buffer) => hear(chunk.toString('latin1').split('event: incident').length - 1))
  return socket
}

async function post(service: Service, path: string, body: unknown): Promise<void> {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.tokens().GRID_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path} was answered ${response.status} ${await response.text()}`)
}
