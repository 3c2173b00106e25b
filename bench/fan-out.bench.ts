/** From an incident to its subscribers: latency and processor time for each delivery, by number of subscribers. */

import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bundlePath, bundleWorkers } from '../bin/bundle-workers.ts'
import { startWorkerd } from '../test/support/workerd.ts'
import { quantile } from './report.ts'

const token = 'a'.repeat(32)
const headers = { authorization: `Bearer ${token}` }
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const objects = { SIMULATION: 'SimulationObject', RELAY: 'RelayObject' }

await bundleWorkers(['grid'])

/** Processor time of a process in microseconds; NaN where the system does not tell. */
function processorMicros(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * 10_000
  } catch {
    return Number.NaN
  }
}

function residentMegabytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000
  } catch {
    return Number.NaN
  }
}

/** Counts events by their blank lines and notes when each piece arrived after it was sent. */
async function measure(subscribers: number, relays: number) {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-fan-out-'))
  const vars = { GRID_TOKEN: token, GRID_RELAYS: String(relays) }
  const server = await startWorkerd({ script: bundlePath('grid'), objects, vars, folder })
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  const post = (path: string, body: string) =>
    fetch(`${server.url}/api/v1${path}`, { method: 'POST', headers, body }).then((answer) => answer.text())
  try {
    await post('/sim/config', '{"auto_pause_s":0}')
    let deliveries = 0
    const waits: number[] = []
    let isMeasuring = false
    const open = () =>
      new Promise<void>((resolve, reject) => {
        const call = request(`${server.url}/api/v1/events`, { headers, agent }, (response) => {
          response.on('data', (bytes: Buffer) => {
            if (!isMeasuring) return
            const text = bytes.toString('latin1')
            const count = text.split('event: incident').length - 1
            deliveries += count
            // The newest event of the piece: the older ones of the same step came with it.
            const sent = /"timestamp":([\d.]+)(?!.*"timestamp":)/s.exec(text)?.[1]
            if (count > 0 && sent !== undefined) waits.push(Date.now() - Number(sent) * 1000)
          })
          resolve()
        })
        call.on('error', reject)
        call.end()
      })
    for (let left = subscribers; left > 0; left -= 100) {
      await Promise.all(Array.from({ length: Math.min(100, left) }, open))
    }
    await post('/attack/enable', '{"type":"SCALE"}')
    await sleep(1_500)
    const before = processorMicros(server.pid)
    isMeasuring = true
    await sleep(seconds * 1000)
    isMeasuring = false
    const used = processorMicros(server.pid) - before
    const state = (await (await fetch(`${server.url}/api/v1/simulation`, { headers })).json()) as {
      subscribers_cut_off: number
    }
    return {
      perSecond: deliveries / seconds,
      p50: quantile(waits, 0.5),
      p99: quantile(waits, 0.99),
      micros: used / deliveries,
      resident: residentMegabytes(server.pid),
      cutOff: state.subscribers_cut_off,
    }
  } finally {
    agent.destroy()
    await server.kill()
    await rm(folder, { recursive: true, force: true })
  }
}

const plan = [
  [100, 0],
  [1_000, 0],
  [1_000, 4],
  [5_000, 0],
  [5_000, 8],
] as const

console.log(
  'Four streams of five attacked frames a second each; the wait includes up to 100 ms until the step that makes them.\n',
)
console.log(
  '| subscribers | relays | deliveries a second | p50 ms | p99 ms | CPU us a delivery | RSS MB | cut off |',
)
console.log('| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |')
for (const [subscribers, relays] of plan) {
  const run = await measure(subscribers, relays)
  const cells = [run.perSecond, run.p50, run.p99, run.micros, run.resident].map((value) => value.toFixed(0))
  console.log(`| ${[subscribers, relays, ...cells, run.cutOff].join(' | ')} |`)
}
