/** The stream gateway: reads kept and not, beside a bare Worker and a bare object that answer the same octets; writes and a bulk insertion. */

import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import { startRuntimeProcess } from '#bin/runtime/process.ts'
import { planWorker } from '#bin/runtime/worker-plan.ts'
import { generateStreamId, NetClient } from '#streamnet/index.ts'
import { fullToken, gatewayCaller, gatewayVars } from '#test/support/gateway-bundle.ts'
import { findProgram } from '#test/support/process.ts'
import { startWorkerd } from '#test/support/workerd.ts'
import { interleave, median, middle, printTable, ratioText, type Sample } from './report.ts'
import { processorSeconds } from './servers.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const seconds = Number(process.env.BENCH_SECONDS ?? 2)
const connections = 32
const records = 100

const run = promisify(execFile)
const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'))
const script = join(folder, 'post.lua')
const wrk = findProgram('wrk')
if (wrk === null) {
  console.log('Not measured: wrk is not installed.')
  process.exit(0)
}

await bundleWorkers(['streamnet'])
const worker = planWorker({ worker: 'streamnet', vars: gatewayVars })
const runtime = await startRuntimeProcess({
  workers: [worker],
  sockets: [{ name: 'http', address: '127.0.0.1:0', service: worker.name }],
  state: join(folder, 'state'),
})
const url = `http://127.0.0.1:${runtime.port('http')}`
const gatewayPid = runtime.pid
const call = gatewayCaller(url)
const gateway = {
  url,
  call,
  async run(operation: string, params: unknown) {
    const { status, body } = await call(`/${operation}`, params)
    if (status >= 300) throw new Error(`${operation} answered ${status}: ${JSON.stringify(body)}`)
    return body.result
  },
}
const streamId = generateStreamId('bench')
await gateway.run('deploy_stream', { stream_id: streamId })
const inputs = Array.from({ length: records }, (_, at) => ({ date: at + 1, value: `${at}.25` }))
for (let at = 0; at < records; at += 10) {
  await gateway.run('insert_records', { stream_id: streamId, records: inputs.slice(at, at + 10) })
}
const query = `stream_id=${streamId}&date_from=0&date_to=1000`
const height = (await new NetClient(`${gateway.url}/streamnet/node`).request('user.chain_info', {})).block_height
const answer = JSON.stringify((await gateway.call(`/get_records?${query}`)).body)

const bareFile = join(folder, 'bare.js')
await writeFile(bareFile, bareScript(`${answer}\n`))
const bare = await startWorkerd({ script: bareFile, objects: { OCTETS: 'OctetsObject' }, folder: join(folder, 'bare') })
const bareUrl = `${bare.url}/`
const barePid = bare.pid

/** A Worker that answers these octets; below `/object` it reads the question and lets a Durable Object answer. */
function bareScript(octets: string): string {
  return `import { DurableObject } from 'cloudflare:workers'
const body = ${JSON.stringify(octets)}
const init = { headers: { 'content-type': 'application/json' } }
export class OctetsObject extends DurableObject {
  read(stream) { return stream === '' ? '' : body }
}
export default {
  async fetch(request, env) {
    if (request.method === 'GET') return new Response(body, init)
    const { stream_id: stream } = await request.json()
    return new Response(await env.OCTETS.getByName('one').read(stream), init)
  }
}`
}

/**
 * Presses with every connection always waiting for an answer, and refuses to count anything but successes.
 *
 * @param lua - what wrk sends; GET when absent.
 */
async function press(url: string, lua?: string): Promise<Sample> {
  const flags = ['-t1', `-c${connections}`, `-d${seconds}s`, '-H', `authorization: Bearer ${fullToken}`]
  const post = lua === undefined ? [] : ['-s', script, '-H', 'content-type: application/json']
  if (lua !== undefined) await writeFile(script, lua)
  const pid = url === bareUrl ? barePid : gatewayPid
  const before = processorSeconds(pid)
  const { stdout } = await run(wrk ?? '', [...flags, ...post, url])
  const used = processorSeconds(pid) - before
  const failed = /Non-2xx or 3xx responses: \d+|Socket errors:.*/.exec(stdout)?.[0]
  if (failed) throw new Error(`Cannot measure ${url}: ${failed}`)
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
  const answers = Number(/(\d+) requests in/.exec(stdout)?.[1])
  return { perSecond, micros: (used / answers) * 1e6 }
}

const base = 'bare Worker, the same octets'
const bareObject = 'POST, bare object: the same octets'
const reads = `${gateway.url}/streamnet/v1/get_records`
const body = JSON.stringify({ stream_id: streamId, date_from: 0, date_to: 1000 })
const same = `wrk.method = "POST"\nwrk.body = ${JSON.stringify(body)}\n`
/** The same records between dates that no request before has asked for. */
const different = (round: number) => `
local date = ${round * 1_000_000 + 1001}
function request()
  date = date + 1
  return wrk.format("POST", nil, nil, '{"stream_id":"${streamId}","date_from":0,"date_to":' .. date .. '}')
end
`
const again = 'POST, a question that was asked before: the node says that nothing has changed'
const anew = 'POST, a question that was not asked before: read from the node'
let round = 0
const plan: ReadonlyMap<string, () => Promise<Sample>> = new Map([
  [base, () => press(bareUrl)],
  ['GET, frozen: kept in the isolate', () => press(`${reads}?${query}&frozen_at=${height}`)],
  ['GET, kept until the next block: one question to the node', () => press(`${reads}?${query}`)],
  [bareObject, () => press(bareUrl, same)],
  [again, () => press(reads, same)],
  [anew, () => press(reads, different(++round))],
])

/** Writes of one record each, so many at a time, until the answer that they are in a block. */
async function writesPerSecond(atOnce: number, each: number): Promise<number> {
  const start = performance.now()
  await Promise.all(
    Array.from({ length: atOnce }, async (_, writer) => {
      for (let at = 0; at < each; at++) {
        await gateway.run('insert_record', { stream_id: streamId, record: { date: 5000 + writer, value: '1' } })
      }
    }),
  )
  return (atOnce * each * 1000) / (performance.now() - start)
}

async function jobRecordsPerSecond(count: number): Promise<number> {
  const start = performance.now()
  const bulk = Array.from({ length: count }, (_, at) => ({ date: at + 1, value: '2.25' }))
  const { job_id } = await gateway.run('insert_all', { batches: [{ stream_id: streamId, inputs: bulk }] })
  for (;;) {
    const { body: progress } = await gateway.call(`/jobs/${job_id}`)
    if (progress.result.phase === 'done') return (count * 1000) / (performance.now() - start)
    await sleep(10)
  }
}

try {
  const samples = await interleave(rounds, plan)
  const aims: Readonly<Record<string, string>> = {
    'GET, frozen: kept in the isolate': '0.80 of the Worker',
    [again]: '0.50 of the object',
    [anew]: '0.50 of the object',
  }
  console.log(`A read of ${records} records (${answer.length} octets), wrk with ${connections} connections.\n`)
  printTable(
    ['read', 'per second', 'of the bare Worker', 'of the bare object', 'processor time, of the bare object', 'aim'],
    [...plan.keys()].map((name) => [
      name,
      String(Math.round(middle(samples, name, 'perSecond'))),
      name === base ? '1' : ratioText(samples, name, base, 'perSecond'),
      ...(name === again || name === anew
        ? [ratioText(samples, name, bareObject, 'perSecond'), ratioText(samples, name, bareObject, 'micros')]
        : ['', '']),
      aims[name] ?? '',
    ]),
  )
  const writes = { one: [] as number[], ten: [] as number[], job: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    writes.one.push(await writesPerSecond(1, 50))
    writes.ten.push(await writesPerSecond(10, 10))
    writes.job.push(await jobRecordsPerSecond(2000))
  }
  printTable(
    ['write', 'per second'],
    [
      ['insert_record, one caller, in a block before the answer', String(Math.round(median(writes.one)))],
      ['insert_record, ten callers', String(Math.round(median(writes.ten)))],
      ['records by insert_all, ten a transaction, confirmed', String(Math.round(median(writes.job)))],
    ],
  )
} finally {
  await runtime.stop()
  await bare.kill()
  await rm(folder, { recursive: true, force: true })
}
