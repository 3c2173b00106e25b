/** Opens the state that releases left, with this build, and goes on from there. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { lossBudget } from '#ratelimit/durability/ceiling.ts'
import { makeFolder } from '../support/folder.ts'
import { freePort } from '../support/process.ts'
import { greeting, startSluice } from '../support/start.ts'

/** The answers of a release, as `test/vectors/state/make.mjs` wrote them. */
interface Expected {
  readonly ratelimit: {
    readonly hits: number
    readonly usage: {
      readonly rows: readonly object[]
      readonly used: readonly { readonly label: object }[]
      readonly refused: readonly { readonly label: object }[]
      readonly judged: { readonly sampled: number; readonly would: object }
    }
  }
  readonly grid: {
    readonly enabled: { readonly attack_id: string }
    readonly simulation: { readonly session_id: string; readonly tick: number; readonly total_incidents: number }
    readonly configuration: object
    readonly incidents: readonly { readonly id: string; readonly status: string }[]
    readonly outside: { readonly batch: object; readonly reply: string; readonly incidents: readonly string[] }
  }
  readonly streamnet: {
    readonly streams: readonly {
      readonly stream_id: string
      readonly data_provider: string
      readonly records: readonly object[]
    }[]
    readonly written: { readonly stream_id: string; readonly deployed: string; readonly records: readonly object[] }
  }
}

interface Head {
  readonly made: string
  readonly expected: Expected
  readonly files: readonly { readonly name: string; readonly length: number }[]
}

const fixtures = join(projectRoot, 'test/vectors/state')
const work = makeFolder()

/** Unpacks a fixture into a folder, and returns the answers of its release. */
function unpack(fixture: string, folder: string): Head {
  const octets = brotliDecompressSync(readFileSync(join(fixtures, fixture)))
  const end = octets.indexOf('\n')
  const head = JSON.parse(octets.subarray(0, end).toString()) as Head
  let at = end + 1
  for (const { name, length } of head.files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, name), octets.subarray(at, at + length), { mode: 0o600 })
    at += length
  }
  return head
}

/** This build on a state folder. */
async function open(folder: string) {
  const [port, debugPort] = [await freePort(), await freePort()]
  const args = ['--port', port, '--debug-port', debugPort, '--grpc-port', 0, '--node-port', 0].map(String)
  const program = startSluice([...args, '--persist', folder])
  await greeting(program)
  const secrets = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8')) as Record<string, string>
  const url = `http://127.0.0.1:${port}`
  async function ask(path: string, token: string | undefined, body?: unknown, headers = {}) {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, text, json: () => JSON.parse(text) }
  }
  return { program, secrets, ask }
}

type Opened = Awaited<ReturnType<typeof open>>

async function checkRatelimit({ ask }: Opened, { expected, made }: Head) {
  const decide = async (key: string, value: string) => {
    const body = { domain: 'kept', descriptors: [{ entries: [{ key, value }] }] }
    return (await ask('/json', undefined, body)).json()
  }
  const account = await decide('account', 'a')
  // The window of the fixture is the year in which it was made, and its block lasts a year.
  const isSameYear = new Date().getUTCFullYear() === new Date(made).getUTCFullYear()
  const hits = isSameYear ? expected.ratelimit.hits + 2 : 1
  expect(account.statuses[0]).toMatchObject({ code: 'OK' })
  // A ceiling counts as used after a restart.
  const lost = 1_000 - hits - Number(account.statuses[0]?.limitRemaining)
  expect(lost).toBeGreaterThanOrEqual(0)
  expect(lost).toBeLessThanOrEqual(isSameYear ? lossBudget(1_000) : 0)
  const isBlocked = Date.now() < Date.parse(made) + 31_536_000_000
  expect((await decide('blocked', 'b')).overallCode).toBe(isBlocked ? 'OVER_LIMIT' : 'OK')
}

/** The usage that the release kept; it is forgotten a month later, by the first decision after that. */
async function checkUsage({ ask, secrets }: Opened, { expected, made }: Head) {
  const { usage } = expected.ratelimit
  const read = async (path: string, body?: unknown) =>
    (await ask(`/ratelimit/v1${path}`, secrets.ADMIN_TOKEN, body)).json()
  const madeAt = Math.ceil(Date.parse(made) / 1000)
  const { rows } = await read(`/usage?domain=kept&step=3600&from=${madeAt - 7200}&to=${madeAt}`)
  expect(rows).toEqual(usage.rows)
  const top = await read(`/top?domain=kept&from=${madeAt - 7200}`)
  const keys = ({ used, refused }: Pick<typeof usage, 'used' | 'refused'>) =>
    [used, refused].map((list) => list.map(({ label }) => label))
  expect(keys(top)).toEqual(keys(usage))
  const files = { 'kept.yaml': keptRules.replaceAll('1000', '1') }
  const { sampled, would } = usage.judged
  expect(await read('/what-if', { files })).toMatchObject({ sampled, would })
}

/** The rules of a fixture; see `make.mjs`. */
const keptRules = `domain: kept
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

async function checkGrid({ ask, secrets }: Opened, { expected }: Head) {
  const { enabled, simulation, configuration, incidents, outside } = expected.grid
  const grid = async (path: string, body?: unknown) => {
    const { status, json } = await ask(`/api/v1${path}`, secrets.GRID_TOKEN, body)
    expect([path, status]).toEqual([path, 200])
    return json()
  }
  expect(await grid('/status')).toMatchObject({
    session_id: simulation.session_id,
    tick: simulation.tick,
    total_incidents: simulation.total_incidents,
    run: 'stopped',
  })
  expect(await grid('/sim/config')).toMatchObject(configuration)
  const kept = await grid('/incidents?limit=0')
  expect(kept.incidents.map(({ id, status }: Record<string, unknown>) => ({ id, status }))).toEqual(incidents)
  expect((await grid('/attacks/current')).active).toEqual([
    expect.objectContaining({ attack_id: enabled.attack_id, params: expect.objectContaining({ noise_std: 2 }) }),
  ])
  const second = await grid('/attack/enable', { type: 'DROP', params: { drop_percent: 50 } })
  expect(second).toMatchObject({ success: true, attack_id: 'DROP-2' })
  await grid('/sim/step', { steps: 110 })
  const after = await grid('/simulation')
  expect(after.tick).toBe(simulation.tick + 110)
  expect(after.grid.open_breakers).toBeGreaterThanOrEqual(1)
  expect(after.total_incidents).toBeGreaterThan(simulation.total_incidents)
  const numbers = (await grid('/incidents?limit=0')).incidents.map(({ frame_no }: { frame_no: number }) => frame_no)
  expect(
    [...numbers].sort((a, b) => a - b),
    'frame numbers go on',
  ).toEqual(numbers)
  for (const kind of ['stix', 'csv', 'pcap', 'pcapng', 'labels', 'session']) {
    const { status, text } = await ask(`/api/v1/export/${kind}`, secrets.GRID_TOKEN)
    expect([kind, status, text.length > 100]).toEqual([kind, 200, true])
  }
  const other = (path: string, body?: unknown) => ask(`/simulations/outside/api/v1${path}`, secrets.GRID_TOKEN, body)
  const heard = (await other('/incidents')).json()
  expect(heard.incidents.map(({ id }: { id: string }) => id)).toEqual(outside.incidents)
  expect((await other('/ingest/packets', outside.batch)).text, 'the same batch counts once').toBe(outside.reply)
  expect((await other('/incidents')).json().total).toBe(outside.incidents.length)
}

async function checkStreams({ ask, secrets }: Opened, { expected }: Head) {
  const { streams, written } = expected.streamnet
  const call = async (operation: string, params: unknown, headers = {}) => {
    const answer = await ask(`/streamnet/v1/${operation}`, secrets.STREAMNET_TOKEN, params, headers)
    expect([operation, answer.status, answer.text]).toEqual([operation, 200, expect.anything()])
    return answer.json().result
  }
  for (const { records, ...stream } of streams) {
    expect(await call('get_records', { ...stream, date_from: 0 })).toEqual(records)
  }
  const { stream_id, deployed, records } = written
  // The write of the fixture is remembered by its key, and a new one is taken.
  expect(await call('deploy_stream', { stream_id }, { 'idempotency-key': 'kept-deploy' })).toEqual(deployed)
  await call('insert_record', { stream_id, record: { date: 1_700_000_001, value: '2' } })
  expect(await call('get_records', { stream_id, date_from: 0 })).toEqual([
    ...records,
    { date: 1_700_000_001, value: '2.000000000000000000' },
  ])
}

describe('npm start', () => {
  it.each(readdirSync(fixtures).filter((name) => name.endsWith('.br')))(
    'opens the state of %s and goes on from there',
    async (fixture) => {
      const folder = join(work, fixture)
      const head = unpack(fixture, folder)
      const opened = await open(folder)
      try {
        await checkUsage(opened, head)
        await checkRatelimit(opened, head)
        await checkGrid(opened, head)
        await checkStreams(opened, head)
      } finally {
        await opened.program.stop()
      }
      if (fixture !== '2608af9.br') return
      // What this build wrote in tables of the earliest form, it opens again.
      const again = await open(folder)
      const { status } = await again.ask('/api/v1/status', undefined)
      await again.program.stop()
      expect(status).toBe(200)
    },
    120_000,
  )
})
