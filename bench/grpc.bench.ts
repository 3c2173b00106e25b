/** The same decision over gRPC-Web beside `/json`, and native gRPC through the front beside gRPC-Web without it. */

import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startGrpcFront } from '#bin/grpc-front/front.ts'
import { encodeFrame, encodeRequest, readRequest, shouldRateLimitPath } from '#proto-json/index.ts'
import { findProgram } from '#test/support/process.ts'
import { press, type Target } from './load.ts'
import { interleave, median, middle, printTable, ratioText } from './report.ts'
import { benchRules, questions, startServers } from './servers.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const pressure = { connections: 32, seconds: Number(process.env.BENCH_SECONDS ?? 2) }
const shard = { COUNTER_PLACEMENT: 'shard', COUNTER_SHARDS: '1' }
const servers = await startServers({
  service: { vars: shard, rules: benchRules },
  whole: { vars: { ...shard, GRPC_WEB_BODY: 'whole' }, rules: benchRules },
})
const url = servers.url('service')

const [json = ''] = questions('second', 1)
const frame = Buffer.from(encodeFrame(0, encodeRequest(readRequest(json))))
const grpcWeb = (service: string): Target => ({
  url: `${servers.url(service)}${shouldRateLimitPath}`,
  bodies: [frame.toString('latin1')],
  contentType: 'application/grpc-web+proto',
})
const targets: Readonly<Record<string, Target>> = {
  '/json': { url: `${url}/json`, bodies: [json] },
  'gRPC-Web, whole': grpcWeb('whole'),
  'gRPC-Web, streamed': grpcWeb('service'),
  'bare object': { url: `${servers.url('bare')}/object`, bodies: [json] },
  'bare object, no length': { url: `${servers.url('bare')}/object-stream`, bodies: [json] },
}
for (const target of Object.values(targets)) await press(target, { ...pressure, seconds: 1 })
const samples = await interleave(
  rounds,
  new Map(Object.entries(targets).map(([name, target]) => [name, () => servers.sample(target, pressure)])),
)
const comparisons = [
  ['gRPC-Web, whole', '/json', '0.95'],
  ['gRPC-Web, streamed', '/json', '0.95'],
  ['gRPC-Web, streamed', 'bare object, no length', ''],
  ['bare object, no length', 'bare object', ''],
  ['/json', 'bare object', ''],
] as const
printTable(
  ['in memory, 1 descriptor', 'a second', 'compared with', 'rate', 'aim', 'processor time'],
  comparisons.map(([name, base, aim]) => [
    name,
    middle(samples, name, 'perSecond').toFixed(0),
    base,
    ratioText(samples, name, base, 'perSecond'),
    aim,
    ratioText(samples, name, base, 'micros'),
  ]),
)

const h2load = findProgram('h2load')
if (h2load === null) console.log('The front is not measured: there is no h2load on this machine.')
else await measureFront(h2load)
await servers.stop()
process.exit(0)

/** One call at a time, with the same client in C for both ways, so that the client's own cost is in both. */
async function measureFront(program: string): Promise<void> {
  const front = await startGrpcFront({ upstream: url, port: 0 })
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const [body, log] = [join(folder, 'body'), join(folder, 'log')]
  writeFileSync(body, frame)
  const medianMs = async (flags: readonly string[]): Promise<number> => {
    await promisify(execFile)(program, ['-n', '1500', '-c1', '-m1', '-d', body, `--log-file=${log}`, ...flags])
    const micros = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => Number(line.split('\t')[2]))
    rmSync(log)
    return median(micros) / 1000
  }
  const web = ['--h1', '-H', 'content-type: application/grpc-web+proto']
  const native = ['-H', 'content-type: application/grpc', '-H', 'te: trailers']
  const waits: { readonly direct: number; readonly front: number }[] = []
  for (let round = 0; round < rounds; round++) {
    waits.push({
      direct: await medianMs([...web, `${url}${shouldRateLimitPath}`]),
      front: await medianMs([...native, `http://127.0.0.1:${front.port}${shouldRateLimitPath}`]),
    })
  }
  const added = waits.map(({ direct, front: through }) => through - direct)
  printTable(
    ['one call at a time (h2load)', 'p50', 'aim'],
    [
      ['gRPC-Web, direct', `${median(waits.map(({ direct }) => direct)).toFixed(2)} ms`, ''],
      ['native gRPC, through the front', `${median(waits.map((wait) => wait.front)).toFixed(2)} ms`, ''],
      ['added by the front', `${median(added).toFixed(2)} ms`, '0.40 ms at most'],
    ],
  )
  rmSync(folder, { recursive: true, force: true })
  await front.stop(0)
}
