/** A thousand listeners of one simulation, a hundred of which never read, and a thousand idle connections beside them. */

import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gatherViolations, grouped, type Soak, scaled } from './outcome.ts'
import { prepareService, type Service } from './service.ts'

export const run: Soak = async (scale) => {
  const listeners = scaled(1_000, scale)
  const mute = Math.ceil(listeners / 10)
  const violations = gatherViolations()
  const service = await prepareService()
  await service.start()
  await post(service, '/sim/config', { case: 'case14', seed: 3, auto_pause_s: 0 })
  await post(service, '/sim/speed', { speed: 5 })
  await post(service, '/attack/enable', { type: 'NOISE', params: { noise_std: 3 } })
  const before = service.memoryMiB()
  const idle = Array.from({ length: listeners }, () => open(service))
  const heard = new Array<number>(listeners - mute).fill(0)
  const readers = heard.map((_, number) =>
    listen(service, (events) => (heard[number] = (heard[number] ?? 0) + events)),
  )
  const silent = Array.from({ length: mute }, () => listen(service, null))
  const waits: number[] = []
  let peak = before
  for (const end = Date.now() + 40_000; Date.now() < end; await sleep(250)) {
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
  let left = Number.NaN
  for (let waited = 0; waited < 120 && left !== 0; waited++) {
    await sleep(250)
    const response = await fetch(`${service.url}/api/v1/status`)
    left = Number(((await response.json()) as { subscribers?: number }).subscribers)
  }
  if (left !== 0) violations.add(`${left} listeners are counted after all have left`)
  waits.sort((one, other) => one - other)
  const after = service.memoryMiB()
  await service.stop()
  return {
    done: `${grouped(listeners)} listeners, ${mute} of them mute, beside ${grouped(listeners)} idle connections`,
    facts: [
      `memory of the runtime ${before} MiB before, ${peak} at most, ${after} after all had left`,
      `a status in the median ${waits[waits.length >> 1]?.toFixed(0)} ms, at most ${waits.at(-1)?.toFixed(0)} ms`,
      `a reader heard ${grouped(Math.min(...heard))} events at least and ${grouped(Math.max(...heard))} at most`,
    ],
    violations: violations.list(),
  }
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
  else
    socket.on('data', (chunk: Buffer) => hear(chunk.toString('latin1').split('event: incident').length - 1))
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
