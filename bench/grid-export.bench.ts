/** A full export beside a running simulation: how long it takes, and how long it ever keeps the next event waiting. */

import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import { bundledWorker, startWorkerd } from '#test/support/workerd.ts'

const token = 'a'.repeat(32)
const bearer = `Authorization: Bearer ${token}`
const run = promisify(execFile)
const headers = { authorization: `Bearer ${token}` }
await bundleWorkers(['grid'])
const folder = await mkdtemp(join(tmpdir(), 'sluice-grid-export-'))
const server = await startWorkerd({ ...bundledWorker('grid'), vars: { GRID_TOKEN: token }, folder })
const at = (path: string) => `${server.url}/api/v1${path}`
const post = async (path: string, body = '{}') => (await fetch(at(path), { method: 'POST', headers, body })).text()

/** The longest wait of a small request that is asked again and again while something else goes on. */
async function longestWait(during: Promise<unknown>): Promise<number> {
  let isOver = false
  void during.finally(() => {
    isOver = true
  })
  let longest = 0
  while (!isOver) {
    const start = performance.now()
    await (await fetch(at('/sim/config'), { headers })).text()
    longest = Math.max(longest, performance.now() - start)
  }
  return longest
}

try {
  // A full ring: 4,200 steps of a session under attack, computed at once.
  await post('/sim/stop')
  await post('/sim/config', '{"auto_pause_s":0,"start_time":1764000000,"pmu_rate":10}')
  await post('/sim/stop')
  await post('/attack/enable', '{"type":"NOISE"}')
  for (let turn = 0; turn < 7; turn++) await post('/sim/step', '{"steps":600}')
  await post('/sim/start')
  const state = (await (await fetch(at('/simulation'), { headers })).json()) as { total_incidents: number }
  const idle = await longestWait(sleep(2_000))
  console.log(
    `${state.total_incidents} incidents retained; longest wait of a small request without an export: ${idle.toFixed(1)} ms\n`,
  )
  console.log('| export | MB | ms | longest wait of a small request meanwhile, ms |')
  console.log('| --- | ---: | ---: | ---: |')
  for (const path of [
    '/export/stix',
    '/export/csv',
    '/export/pcap',
    '/export/pcapng',
    '/export/labels',
    '/incidents?limit=0',
  ]) {
    // A separate process downloads, so that what is measured here is the service and not this reader. It begins
    // late: making a process holds this one up for longer than the service ever does.
    const command = `sleep 1; exec curl -s -o /dev/null -w '%{size_download} %{time_total}' -H '${bearer}' '${at(path)}'`
    const download = run('sh', ['-c', command])
    await sleep(500)
    const wait = await longestWait(download)
    const [bytes = Number.NaN, seconds = Number.NaN] = (await download).stdout.split(' ').map(Number)
    const cells = [`${(bytes / 1e6).toFixed(2)}`, `${(seconds * 1e3).toFixed(0)}`, `${wait.toFixed(1)}`]
    console.log(`| \`${path}\` | ${cells.join(' | ')} |`)
  }
} finally {
  await server.kill()
  await rm(folder, { recursive: true, force: true })
}
