/** Delivery of incidents to subscribers: latency, processor time and deliveries a second, by their number. */

import { createConnection, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import type { SessionDocument } from '#grid/configuration.ts'
import { gridClient, gridToken } from '#test/support/grid-service.ts'
import { type GridServer, startGridServer } from './grid-server.ts'
import { quantile } from './report.ts'

/** Subscribers, and how many seconds of latency to gather with them. */
const sizes = [100, 1_000, 5_000] as const
const latencySeconds = 10
/** Events in one burst: a single one, and a step of four units at thirty frames a second under attack. */
const bursts = [1, 12] as const
const burstSeconds = 5

const mark = Buffer.from('event: incident\n')

/** Many event streams, read as cheaply as Node can, so that the service is what is measured. */
interface Crowd {
  /** Incidents that all of them together have received. */
  received(): number
  /** Calls back with each piece and the incidents in it. */
  onIncidents: (piece: Buffer, count: number) => void
  isWhole(): boolean
  leave(): void
}

async function gather(url: string, path: string, size: number): Promise<Crowd> {
  const { hostname, port } = new URL(url)
  const sockets: Socket[] = []
  let received = 0
  let lost = 0
  const crowd: Crowd = {
    received: () => received,
    onIncidents: () => undefined,
    isWhole: () => lost === 0,
    leave: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
  const join = () =>
    new Promise<void>((resolve, reject) => {
      const socket = createConnection({ host: hostname, port: Number(port) })
      let tail: Buffer = Buffer.alloc(0)
      socket.once('error', reject)
      socket.once('close', () => {
        lost += 1
      })
      socket.once('connect', () => {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${gridToken}\r\n\r\n`)
      })
      socket.on('data', (piece: Buffer) => {
        // A mark that two pieces share is found in the second, with what the first one left.
        const text = tail.length === 0 ? piece : Buffer.concat([tail, piece])
        let count = 0
        let from = 0
        for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, from)) {
          count += 1
          from = at + mark.length
        }
        tail = text.subarray(Math.max(from, text.length - mark.length + 1))
        received += count
        if (count > 0) crowd.onIncidents(text, count)
        if (text.includes('retry: ')) resolve()
      })
      sockets.push(socket)
    })
  for (let at = 0; at < size; at += 50) {
    await Promise.all(Array.from({ length: Math.min(50, size - at) }, join))
  }
  return crowd
}

/** Milliseconds from the moment at which a step was due to the arrival of its incidents at each subscriber. */
async function measureLatency(server: GridServer, size: number): Promise<readonly number[]> {
  const client = gridClient(server.url, `latency-${size}`)
  await client.post('/sim/config', { seed: 1, pmu_rate: 2, auto_pause_s: 0 })
  // One unit reports twice a second: each incident goes out by itself, so nothing waits for anything but its way.
  const { links } = (await (await client.get('/topology')).json()) as {
    links: readonly { id: string; protocol: string }[]
  }
  const link = links.find(({ protocol }) => protocol === 'C37.118')
  const document = (await (await client.get('/export/session')).json()) as SessionDocument
  const clock = document.commands.find((command) => command.kind === 'clock')
  const anchorMs = clock?.kind === 'clock' ? clock.timeUs / 1_000 : Number.NaN
  const crowd = await gather(server.url, `${new URL(client.base).pathname}/events`, size)
  await client.post('/attack/enable', { type: 'SCALE', params: {}, target_link: link?.id })
  await sleep(2_000)
  const latencies: number[] = []
  crowd.onIncidents = (piece) => {
    const now = Date.now()
    const timestamp = /"timestamp":([\d.]+)/.exec(piece.toString('latin1', 0, 600))?.[1]
    if (timestamp === undefined) return
    const steps = Math.floor((Number(timestamp) * 1_000 - anchorMs + 0.01) / 100) + 1
    latencies.push(now - anchorMs - steps * 100)
  }
  await sleep(latencySeconds * 1_000)
  const whole = crowd.isWhole()
  crowd.leave()
  await client.post('/sim/stop')
  if (!whole) throw new Error(`A subscriber of ${size} was cut off`)
  return latencies
}

/** Deliveries per second and processor time of each, when a burst follows as soon as all have the one before. */
async function measureBursts(server: GridServer, size: number, burst: number) {
  const client = gridClient(server.url, `burst-${size}-${burst}`)
  await client.post('/sim/config', { mode: 'external' })
  const crowd = await gather(server.url, `${new URL(client.base).pathname}/events`, size)
  const packets = Array.from({ length: burst }, () => incident)
  let seq = 0
  const send = async () => {
    const expected = crowd.received() + size * burst
    await client.post('/ingest/packets', { source: 'bench', seq: ++seq, packets })
    while (crowd.received() < expected) {
      if (!crowd.isWhole()) throw new Error(`A subscriber of ${size} was cut off`)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  for (const end = performance.now() + 2_000; performance.now() < end; ) await send()
  const [from, before, processor] = [performance.now(), crowd.received(), server.processorSeconds()]
  while (performance.now() - from < burstSeconds * 1_000) await send()
  const seconds = (performance.now() - from) / 1_000
  const deliveries = crowd.received() - before
  const used = server.processorSeconds() - processor
  crowd.leave()
  return { perSecond: deliveries / seconds, micros: (used * 1e6) / deliveries, perCore: deliveries / used }
}

/** An attacked measurement as the embedded engine reports it: about a kilobyte on the wire. */
const values = (magnitude: number) => ({
  kind: 'data',
  idCode: 2,
  time: { second: 1_764_000_000, fraction: 200_000 },
  pmus: [
    {
      status: 0,
      phasors: Array.from({ length: 4 }, () => ({ magnitude, angle: -0.087 })),
      frequencyHz: 60.0012,
      rocofHzPerS: 0.001,
      analogs: [21.7],
      digitals: [1],
    },
  ],
})
const incident = {
  timestamp: 1_764_000_000,
  protocol: 'C37.118',
  status: 'attacked',
  attack_type: 'SCALE',
  src: '10.20.2.11:4713',
  dst: '10.20.1.10:4713',
  description: 'Magnitudes times 1.5',
  original_val: values(132_790.5),
  modified_val: values(199_185.75),
}

const ms = (value: number) => `${value.toFixed(1)} ms`
const whole = (value: number) => Math.round(value).toLocaleString('en')

await bundleWorkers(['grid'])
console.log(
  '| subscribers | relays | latency p50 | latency p99 | incidents in a burst | deliveries/s | processor time each | deliveries/s of a core |',
)
console.log('| --- | --- | --- | --- | --- | --- | --- | --- |')
for (const relays of [0, 4]) {
  const server = await startGridServer({ GRID_RELAYS: `${relays}` })
  try {
    for (const size of sizes) {
      const latencies = await measureLatency(server, size)
      for (const burst of bursts) {
        const { perSecond, micros, perCore } = await measureBursts(server, size, burst)
        const row = [
          whole(size),
          relays === 0 ? 'none' : relays,
          ms(quantile(latencies, 0.5)),
          ms(quantile(latencies, 0.99)),
          burst,
          whole(perSecond),
          `${micros.toFixed(1)} µs`,
          whole(perCore),
        ]
        console.log(`| ${row.join(' | ')} |`)
      }
    }
  } finally {
    await server.stop()
  }
}
