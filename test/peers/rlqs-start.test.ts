/** Stock Envoys by quota assignments of `npm start`, both started as the first lines of the example say. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { envoyProgram, type RunningEnvoy, startEnvoy } from '../support/envoy.ts'
import { freePort, startProgram } from '../support/process.ts'
import { adminToken } from '../support/ratelimit-bundle.ts'
import { greeting } from '../support/start.ts'
import { within } from '../support/wait.ts'

const limit = 1_200
const example = readFileSync(join(projectRoot, 'examples/envoy-quota/closed.yaml'), 'utf8')
/** The options behind `npm start --` in the example. */
const documented = /^# +npm start -- (.+)$/m.exec(example)?.[1]?.split(' ') ?? []
const callerToken = 'token-of-the-proxy-0123456789'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A service that `npm start` runs. */
interface Started {
  readonly grpcPort: number
  /** A statistic of quota assignments. */
  stat(name: string): Promise<number>
}

/** Runs the script of `npm start` with these options; only ports, the folder of state and the token are added. */
async function startService(options: readonly string[]): Promise<Started> {
  const [port, grpcPort, debugPort] = [await freePort(), await freePort(), await freePort()]
  const folder = mkdtempSync(join(tmpdir(), 'sluice-rlqs-'))
  const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
  const [, ...script] = String(scripts.start).split(' ')
  const program = startProgram(
    process.execPath,
    [
      ...script,
      ...options,
      ...['--port', `${port}`, '--grpc-port', `${grpcPort}`, '--debug-port', `${debugPort}`],
      ...['--node-port', '0', '--persist', folder, '--var', `ADMIN_TOKEN=${adminToken}`],
    ],
    {},
    projectRoot,
  )
  closing.push(async () => {
    await program.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  await greeting(program)
  const headers = { authorization: `Bearer ${adminToken}` }
  return {
    grpcPort,
    async stat(name) {
      const text = await (await fetch(`http://127.0.0.1:${debugPort}/stats`, { headers })).text()
      return Number(new RegExp(`^ratelimit\\.service\\.quota\\.${name}: (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
    },
  }
}

async function startProxy(name: string, service: Started, token: string | null = null): Promise<RunningEnvoy> {
  const envoy = await startEnvoy(`envoy-quota/${name}`, { 8081: service.grpcPort }, { token })
  closing.push(envoy.stop)
  return envoy
}

const minute = () => Math.floor(Date.now() / 60_000)

/** Asks far beyond the limit until so many hits have passed and as many were refused. @returns the passed by minute. */
async function overload(envoy: RunningEnvoy, least: number): Promise<ReadonlyMap<number, number>> {
  const passed = new Map<number, number>()
  let [total, refused] = [0, 0]
  const ask = async () => {
    while (total < least || refused < least) {
      const sent = minute()
      const { status } = await fetch(envoy.url)
      if (status === 429) refused += 1
      if (status !== 200) continue
      total += 1
      if (sent === minute()) passed.set(sent, (passed.get(sent) ?? 0) + 1)
    }
  }
  const asking = Promise.all(Array.from({ length: 4 }, ask))
  await within(`${least} that pass and ${least} refused`, asking, () => ({ total, refused }))
  return passed
}

describe.skipIf(envoyProgram === null)('npm start with Envoy by quota assignments (skipped without envoy)', () => {
  it.each([
    { title: 'the documented commands', more: [] },
    { title: 'these and four shards', more: ['--var', 'QUOTA_SHARDS=4'] },
  ])('assigns by $title: hits pass and are refused, none above the limit', async ({ more }) => {
    expect(documented).toContain('examples/envoy-quota/config')
    const service = await startService([...documented, ...more])
    const passed = await overload(await startProxy('closed', service), 100)
    for (const hits of passed.values()) expect(hits).toBeLessThanOrEqual(limit)
    await expect.poll(() => service.stat('assignments')).toBeGreaterThan(0)
  })

  it('assigns to a proxy with a token of CALLER_TOKENS, and nothing to one without', async () => {
    const config = documented.slice(0, documented.indexOf('--var'))
    const service = await startService([...config, '--var', `CALLER_TOKENS=proxy=${callerToken}`])
    const stranger = await startProxy('closed', service)
    expect((await fetch(stranger.url)).status).toBe(429)
    await expect.poll(() => service.stat('streams_refused')).toBeGreaterThan(0)
    await overload(await startProxy('closed', service, callerToken), 20)
    expect((await fetch(stranger.url)).status).toBe(429)
  })
})
