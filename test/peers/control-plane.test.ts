/** One control plane for the reference and for `npm start`: the same rules are in force, and a swap is never half. */

import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { RateLimitUnit } from '#proto-json/gen/xds_pb.ts'
import { type ControlPlaneServer, type Rules, startControlPlaneServer } from '../support/control-plane.ts'
import { makeFolder } from '../support/folder.ts'
import { freePort, type RunningProgram } from '../support/process.ts'
import { referenceProgram, startReference } from '../support/reference-service.ts'
import { greeting, startSluice } from '../support/start.ts'
import { eventually } from '../support/wait.ts'

const folder = makeFolder()
const cleanups: (() => unknown)[] = []
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

const token = 'a-token-of-16-characters'

async function startServer(): Promise<ControlPlaneServer> {
  const server = await startControlPlaneServer()
  cleanups.push(server.stop)
  return server
}

const environment = (target: string) => ({
  CONFIG_TYPE: 'GRPC_XDS_SOTW',
  CONFIG_GRPC_XDS_SERVER_URL: target,
  XDS_CLIENT_BACKOFF_INITIAL_INTERVAL: '50ms',
})

/** Starts the product with the rules of a control plane; `ports` says where it listens. */
async function start(target: string, name: string, more: Readonly<Record<string, string>> = {}) {
  const [port, debugPort] = [await freePort(), await freePort()]
  const ports = ['--port', `${port}`, '--debug-port', `${debugPort}`, '--grpc-port', '0', '--node-port', '0']
  const flags = [...ports, '--persist', join(folder, name)]
  const program = startSluice(flags, { ...environment(target), ADMIN_TOKEN: token, ...more })
  cleanups.push(() => program.stop())
  return { program, url: `http://127.0.0.1:${port}`, debugUrl: `http://127.0.0.1:${debugPort}` }
}

const headers = { authorization: `Bearer ${token}` }

/** The rules in force, line by line in any order. */
const ruleLines = async (url: string) =>
  (await (await fetch(`${url}/rlconfig`, { headers })).text()).split('\n').filter(Boolean).sort()

function says(program: RunningProgram, text: string): Promise<void> {
  return eventually(`"${text}"`, () => program.output().includes(text), program.output)
}

const limit = (unit: RateLimitUnit, requestsPerUnit: number) => ({ unit, requestsPerUnit })

/** Every field of the message. */
const everything: Rules[] = [
  {
    name: 'first',
    domain: 'shop',
    descriptors: [
      { key: 'user', rateLimit: { ...limit(RateLimitUnit.WEEK, 4_294_967_295), name: 'weekly' } },
      { key: 'user', value: 'vip', rateLimit: { unlimited: true } },
      {
        key: 'path',
        value: '/a*',
        shadowMode: true,
        detailedMetric: true,
        rateLimit: { ...limit(RateLimitUnit.SECOND, 0), name: 'own', replaces: [{ name: 'weekly' }] },
        descriptors: [{ key: 'method', value: 'ünï "quoted"\n', rateLimit: limit(RateLimitUnit.YEAR, 3) }],
      },
    ],
  },
  { name: 'second', domain: 'other/with.signs', descriptors: [{ key: 'k', rateLimit: limit(RateLimitUnit.DAY, 1) }] },
]

describe('npm start with CONFIG_TYPE=GRPC_XDS_SOTW', () => {
  it('waits for the first rules, answers by them, and keeps them when the control plane is gone', async () => {
    const server = await startServer()
    const { program, url } = await start(server.target, 'waits')
    await says(program, `Waiting for the first rules of control plane ${server.target}`)
    expect(program.output()).not.toContain('Sluice runs on')
    server.set('1', [{ name: 'a', domain: 'a', descriptors: [{ key: 'k', rateLimit: limit(RateLimitUnit.YEAR, 1) }] }])
    await greeting(program)
    server.stop()
    await says(program, 'the rules in force stay')
    const body = JSON.stringify({ domain: 'a', descriptors: [{ entries: [{ key: 'k', value: 'v' }] }] })
    const ask = async () => (await fetch(`${url}/json`, { method: 'POST', body })).status
    expect([await ask(), await ask()]).toEqual([200, 429])
    await program.stop()
    // The rules of the earlier start are in force again without a control plane.
    const again = await start(server.target, 'waits')
    await greeting(again.program)
    const answer = await fetch(`${again.url}/json`, { method: 'POST', body })
    expect(answer.status).toBe(429)
    await again.program.stop()
  })

  it('swaps a hundred configurations under load: every answer belongs to one of them as a whole', async () => {
    const server = await startServer()
    const rulesOf = (version: number): Rules[] =>
      ['left', 'right'].map((domain) => ({
        name: domain,
        domain,
        descriptors: [{ key: 'k', rateLimit: limit(RateLimitUnit.YEAR, 1_000_000 + version) }],
      }))
    server.set('0', rulesOf(0))
    const { program, url } = await start(server.target, 'swaps')
    await greeting(program)
    const seen: number[] = []
    let isOver = false
    const load = async (domain: string) => {
      let newest = 0
      while (!isOver) {
        const body = JSON.stringify({ domain, descriptors: [{ entries: [{ key: 'k', value: 'v' }] }] })
        const response = await fetch(`${url}/json`, { method: 'POST', body })
        const { statuses } = (await response.json()) as { statuses: { currentLimit: { requestsPerUnit: number } }[] }
        const version = (statuses[0]?.currentLimit.requestsPerUnit ?? Number.NaN) - 1_000_000
        expect([response.status, version >= newest]).toEqual([200, true])
        newest = version
        seen.push(version)
      }
    }
    const loads = [load('left'), load('right')]
    for (let version = 1; version <= 100; version++) {
      server.set(`${version}`, rulesOf(version))
      await server.received(`acceptance of ${version}`, ({ versionInfo }) => versionInfo === `${version}`)
    }
    await eventually(
      'the last configuration',
      () => seen.at(-1) === 100,
      () => seen.slice(-5),
    )
    isOver = true
    await Promise.all(loads)
    expect(new Set(seen).size).toBeGreaterThan(10)
    await program.stop()
  })

  it.skipIf(referenceProgram === null)('has the rules and the refusals of the reference', async () => {
    const server = await startServer()
    server.set('1', everything)
    const reference = await startReference(
      {},
      { ...environment(server.target), BACKEND_TYPE: 'memcache', MEMCACHE_HOST_PORT: '127.0.0.1:1' },
    )
    cleanups.push(reference.stop)
    const own = await start(server.target, 'reference', { CONFIG_GRPC_XDS_NODE_ID: 'sluice' })
    await greeting(own.program)
    const { debugUrl } = reference
    await eventually(
      'rules of the reference',
      async () => (await ruleLines(debugUrl)).length > 0,
      reference.program.output,
    )
    expect(await ruleLines(own.debugUrl)).toEqual(await ruleLines(debugUrl))
    expect(await ruleLines(debugUrl)).not.toEqual([])
    server.set('2', [{ name: 'bad', domain: 'shop', descriptors: [{ key: '' }] }])
    const refusalOf = (id: string) =>
      server.requests.find(({ node, errorDetail }) => node?.id === id && errorDetail !== undefined)?.errorDetail
        ?.message
    await eventually('both refusals', () => !!refusalOf('default') && !!refusalOf('sluice'), server.requests)
    // Ours has the place of the mistake behind the reference's text.
    expect(refusalOf('sluice')).toContain(refusalOf('default') ?? '-')
    await own.program.stop()
  })
})
