/**
 * Makes a fixture of stored state: starts a release, uses its three surfaces, stops it, and packs its state folder.
 *
 *   git clone . RELEASE && (cd RELEASE && git checkout vVERSION && npm ci)
 *   node test/vectors/state/make.mjs RELEASE > test/vectors/state/VERSION.br
 *
 * A fixture is compressed with brotli: one line of JSON (the version, the answers of the release before it was stopped,
 * name and length of every file of the state folder), then the octets of the files one after the other.
 * `test/bin/stored-state.test.ts` opens each of them with the present build. A fixture of a release that is published
 * is never made again; until then that of the next release follows each change of a stored form.
 */

import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

/** Rules with a long window, so that a fixture is of use for more than a minute. */
const rules = `domain: kept
descriptors:
  - key: account
    rate_limit:
      unit: year
      requests_per_unit: 1000
  - key: blocked
    rate_limit:
      unit: year
      requests_per_unit: 1000
`

/** Seconds: the longest block that the operator plane takes. */
const blockSeconds = 31_536_000

const build = process.argv[2]
const work = mkdtempSync(join(tmpdir(), 'stored-state-'))
const persist = join(work, 'state')
const config = join(work, 'config')
execFileSync('mkdir', ['-p', config])
writeFileSync(join(config, 'kept.yaml'), rules)

const [port, debugPort] = [await freePort(), await freePort()]
const options = ['--port', port, '--debug-port', debugPort, '--grpc-port', 0, '--node-port', 0]
const child = spawn(
  process.execPath,
  ['bin/run.mjs', 'start', ...options, '--config', config, '--persist', persist].map(String),
  { cwd: build, stdio: ['ignore', 'pipe', 'inherit'] },
)
const base = `http://127.0.0.1:${port}`
await waitFor(async () => (await fetch(`http://127.0.0.1:${debugPort}/`)).status > 0)
const secrets = JSON.parse(readFileSync(join(persist, 'secrets.json'), 'utf8'))
await waitFor(async () => (await ask(`http://127.0.0.1:${debugPort}/rlconfig`, secrets.ADMIN_TOKEN)).includes('kept'))
const expected = { ratelimit: await useRatelimit(), grid: await useGrid(), streamnet: await useStreams() }
const ended = new Promise((resolve) => child.once('close', resolve))
child.kill('SIGTERM')
await ended
const { version } = JSON.parse(readFileSync(join(build, 'package.json'), 'utf8'))
const made = new Date().toISOString()
// SQLite makes the index of its log again; the log itself is part of the state.
const files = [...readFiles(persist)].filter(({ name }) => !name.endsWith('-shm'))
const head = { version, made, expected, files: files.map(({ name, octets }) => ({ name, length: octets.length })) }
const body = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...files.map(({ octets }) => octets)])
// A log holds the same page many times: a window over all of it finds them.
const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: body.length }
process.stdout.write(brotliCompressSync(body, { params }))
rmSync(work, { recursive: true })

async function useRatelimit() {
  const block = `http://127.0.0.1:${debugPort}/counters?seconds=${blockSeconds}&domain=kept&entry=blocked=b`
  await ask(block, secrets.ADMIN_TOKEN, { method: 'PUT' })
  // All decisions together: the usage of a later second is written a quarter of a minute after.
  for (let hit = 0; hit < 3; hit++) await decide('account', 'a')
  const [account, blocked] = [await decide('account', 'a'), await decide('blocked', 'b')]
  return { hits: 3, account, blocked: blocked.overallCode, usage: await readUsage() }
}

/** The decisions by hour and key, and those that other rules would have made. */
async function readUsage() {
  const read = async (path, init) => JSON.parse(await ask(`${base}/ratelimit/v1${path}`, secrets.ADMIN_TOKEN, init))
  const { rows } = await read('/usage?domain=kept&step=3600')
  const { used, refused } = await read('/top?domain=kept')
  const body = JSON.stringify({ files: { 'kept.yaml': rules.replaceAll('1000', '1') } })
  const { sampled, would } = await read('/what-if', { method: 'POST', body })
  return { rows, used, refused, judged: { sampled, would } }
}

async function decide(key, value) {
  const body = JSON.stringify({ domain: 'kept', descriptors: [{ entries: [{ key, value }] }] })
  return (await fetch(`${base}/json`, { method: 'POST', body })).json()
}

/** A running attack, a breaker that an operator opened, and records. */
async function useGrid() {
  const grid = async (path, body) =>
    JSON.parse(
      await ask(`${base}/api/v1${path}`, secrets.GRID_TOKEN, {
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      }),
    )
  await grid('/sim/config', { seed: 7, case: 'case9', start_time: 1_764_000_000, auto_pause_s: 0 })
  await grid('/sim/stop', {})
  const { tick } = await grid('/simulation')
  await grid('/sim/step', { steps: 20 })
  await grid('/grid/breaker', { breaker: 'CB-5-6', closed: false })
  const enabled = await grid('/attack/enable', { type: 'NOISE', params: { noise_std: 2 } })
  await grid('/sim/step', { steps: 105 - Math.min(tick, 90) })
  return {
    enabled,
    simulation: await grid('/simulation'),
    configuration: await grid('/sim/config'),
    incidents: (await grid('/incidents?limit=0')).incidents.map(({ id, status }) => ({ id, status })),
    current: await grid('/attacks/current'),
    outside: await useOutside(),
  }
}

/** A simulation of another name, which an outside simulator feeds. */
async function useOutside() {
  const outside = (path, body) => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    return ask(`${base}/simulations/outside/api/v1${path}`, secrets.GRID_TOKEN, init)
  }
  await outside('/sim/config', { mode: 'external' })
  const packet = { timestamp: 1_764_000_000.5, protocol: 'DNP3', status: 'attacked', src: '10.0.0.1:20000' }
  const batch = { source: 'fixture', seq: 1, packets: [packet] }
  const reply = await outside('/ingest/packets', batch)
  return { batch, reply, incidents: JSON.parse(await outside('/incidents')).incidents.map(({ id }) => id) }
}

/** Records of streams. */
async function useStreams() {
  const { STREAMNET_TOKEN } = secrets
  const call = async (operation, params, headers = {}) => {
    const response = await fetch(`${base}/streamnet/v1/${operation}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${STREAMNET_TOKEN}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(params),
    })
    if (response.status !== 200) throw new Error(`${operation} was answered ${response.status}`)
    return (await response.json()).result
  }
  const streams = []
  for (const { stream_id, data_provider } of await call('list_streams', { limit: 20 })) {
    const records = await call('get_records', { stream_id, data_provider, date_from: 0 })
    streams.push({ stream_id, data_provider, records })
  }
  return { streams, written: await writeStream(call) }
}

/** A stream of the gateway's own, written with an idempotency key. */
async function writeStream(call) {
  const stream_id = await call('generate_stream_id', { name: 'kept' })
  const deployed = await call('deploy_stream', { stream_id }, { 'idempotency-key': 'kept-deploy' })
  const record = { date: 1_700_000_000, value: '1.5' }
  await call('insert_record', { stream_id, record }, { 'idempotency-key': 'kept-insert' })
  const records = await call('get_records', { stream_id, date_from: 0 })
  return { stream_id, deployed, records }
}

async function ask(url, token, init = {}) {
  const response = await fetch(url, { ...init, headers: { authorization: `Bearer ${token}` } })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${url} was answered ${response.status}: ${text}`)
  return text
}

async function waitFor(condition) {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (await condition().catch(() => false)) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('The build did not start within 30 seconds')
}

function* readFiles(folder, root = folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const kind = statSync(path)
    if (kind.isDirectory()) yield* readFiles(path, root)
    // The lock of a start is a socket.
    else if (kind.isFile()) yield { name: relative(root, path), octets: readFileSync(path) }
  }
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.listen(0, '127.0.0.1', () => {
      const { port: free } = probe.address()
      probe.close(() => resolve(free))
    })
  })
}
