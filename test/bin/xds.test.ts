/** Following a control plane: what is accepted, what is refused, and what happens when it goes away. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ServerCredentials } from '@grpc/grpc-js'
import { afterEach, describe, expect, it, onTestFinished, test } from 'vitest'
import type { PushResult } from '#bin/ratelimit/push.ts'
import type { LocatedFile } from '#bin/ratelimit/runtime-directory.ts'
import { followControlPlane } from '#bin/xds/follow.ts'
import { type ControlPlane, readControlPlane } from '#bin/xds/settings.ts'
import { RateLimitUnit } from '#proto-json/gen/xds_pb.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { makeAuthority, openssl } from '../support/certificates.ts'
import { checkRules } from '../support/compile-rules.ts'
import {
  type ControlPlaneServer,
  type Rules,
  responseBytes,
  startControlPlaneServer,
} from '../support/control-plane.ts'
import { makeFolder } from '../support/folder.ts'
import { eventually } from '../support/wait.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function startServer(options: Parameters<typeof startControlPlaneServer>[0] = {}): Promise<ControlPlaneServer> {
  const server = await startControlPlaneServer(options)
  cleanups.push(server.stop)
  return server
}

/** Settings with short pauses. */
function planeOf(server: ControlPlaneServer, vars: Readonly<Record<string, string>> = {}): ControlPlane {
  const own = {
    CONFIG_GRPC_XDS_SERVER_URL: server.target,
    XDS_CLIENT_BACKOFF_INITIAL_INTERVAL: '10ms',
    XDS_CLIENT_BACKOFF_MAX_INTERVAL: '1s',
  }
  return readControlPlane(readSettings({ ...own, ...vars }, true))
}

/** Follows with a service in memory that compiles what is published. */
function follow(plane: ControlPlane, publishFirst?: () => void) {
  const published: (readonly LocatedFile[])[] = []
  const changes = { files: { added: [], changed: [], removed: [] }, rules: [] }
  const said: string[] = []
  const stop = new AbortController()
  const publish = async (files: readonly LocatedFile[]): Promise<PushResult> => {
    publishFirst?.()
    const { mistakes } = checkRules(files, { mergeDomains: false })
    const lines = mistakes.map(({ file, message }) => `${file}: ${message}`)
    if (lines.length > 0) return { kind: 'refused', mistakes: lines, leftOut: 0 }
    published.push(files)
    return { kind: 'accepted', revision: published.length, changes }
  }
  const following = followControlPlane(plane, { signal: stop.signal, publish, say: (line) => said.push(line) })
  cleanups.push(() => {
    stop.abort()
    return following
  })
  return {
    published,
    said,
    has: (count: number) => eventually(`${count} configurations`, () => published.length >= count, said),
    says: (text: string) => eventually(`"${text}"`, () => said.some((line) => line.includes(text)), said),
  }
}

const perMinute = (domain: string, requestsPerUnit: number): Rules => ({
  name: domain,
  domain,
  descriptors: [{ key: 'user', rateLimit: { unit: RateLimitUnit.MINUTE, requestsPerUnit } }],
})
const broken: Rules = { ...perMinute('shop', 5), descriptors: [{ key: '' }] }

describe('followControlPlane()', () => {
  it('asks with its node and headers, publishes the rules and accepts the response', async () => {
    const server = await startServer()
    server.set('7', [perMinute('shop', 5), perMinute('a/b', 6)])
    const { published, has } = follow(
      planeOf(server, {
        CONFIG_GRPC_XDS_NODE_ID: 'edge',
        CONFIG_GRPC_XDS_NODE_METADATA: 'zone=a,cell=1',
        CONFIG_GRPC_XDS_CLIENT_ADDITIONAL_HEADERS: 'x-key:secret',
      }),
    )
    await has(1)
    await server.received('an acceptance', ({ responseNonce }) => responseNonce === '1')
    expect(published[0]?.map(({ key }) => key)).toEqual(['config.a%2Fb', 'config.shop'])
    expect(server.headers[0]).toMatchObject({ 'x-key': 'secret' })
    const node = { id: 'edge', metadata: { zone: 'a', cell: '1' } }
    expect(server.requests).toMatchObject([
      { versionInfo: '', responseNonce: '', node, resourceNames: [] },
      { versionInfo: '7', responseNonce: '1', node },
    ])
    expect(server.requests[1]?.errorDetail).toBeUndefined()
  })

  it('refuses rules with a mistake by the name of the resource and with the version in force, which stays', async () => {
    const server = await startServer()
    server.set('1', [perMinute('shop', 5)])
    const { published, has, said } = follow(planeOf(server))
    await has(1)
    server.set('2', [broken])
    const isRefusal = ({ errorDetail }: { errorDetail?: unknown }) => errorDetail !== undefined
    await server.received('a refusal', isRefusal)
    expect(server.requests.find(isRefusal)).toMatchObject({
      versionInfo: '1',
      errorDetail: { message: 'config.shop: descriptor has empty key' },
    })
    server.set('3', [perMinute('shop', 6)])
    await has(2)
    expect(published).toHaveLength(2)
    expect(said.filter((line) => line.includes('refused'))).toHaveLength(1)
  })

  it('waits before it refuses again, so that a control plane that repeats itself makes no hot loop', async () => {
    const server = await startServer()
    server.set('2', [broken])
    follow(planeOf(server))
    const refusal = (nonce: string) =>
      server.received(`refusal ${nonce}`, ({ responseNonce }) => responseNonce === nonce)
    await refusal('1')
    const firstMs = performance.now()
    await refusal('2')
    expect(performance.now() - firstMs).toBeGreaterThan(900)
  })

  it('begins a new stream without version and nonce, and does not publish again what is in force', async () => {
    const server = await startServer()
    server.set('1', [perMinute('shop', 5)])
    const { published, has, says } = follow(planeOf(server))
    await has(1)
    server.endStreams()
    await says('the stream has ended; the rules in force stay')
    const isAccepted = () => server.requests.filter(({ responseNonce }) => responseNonce !== '').length
    await eventually('the second acceptance', () => isAccepted() === 2, server.requests)
    expect(server.requests[2]).toMatchObject({ versionInfo: '', responseNonce: '' })
    expect(published).toHaveLength(1)
  })

  it('keeps the rules while the control plane is away, and takes new ones from another in its place', async () => {
    const server = await startServer()
    server.set('1', [perMinute('shop', 5)])
    const { published, has, says } = follow(planeOf(server))
    await has(1)
    server.stop()
    await says('the rules in force stay')
    const other = await startServer({ port: Number(server.target.split(':')[1]) })
    other.set('1', [perMinute('shop', 6)])
    await has(2)
    expect(published[1]?.[0]?.text).toContain('"requests_per_unit":6')
  })

  it('publishes again while the service is away, and answers the control plane when it is back', async () => {
    const server = await startServer()
    server.set('1', [perMinute('shop', 5)])
    let failures = 0
    const { has, said } = follow(planeOf(server), () => {
      if (failures++ === 0) throw new Error('Cannot push: it does not answer')
    })
    await has(1)
    await server.received('an acceptance', ({ versionInfo }) => versionInfo === '1')
    expect(said[0]).toBe('Cannot push: it does not answer')
  })

  it('removes every domain by a response without resources', async () => {
    const server = await startServer()
    server.set('1', [])
    const { published, has } = follow(planeOf(server))
    await has(1)
    expect(published[0]).toEqual([])
  })

  test.each<[string, Rules[], string]>([
    [
      'two resources of one name',
      [perMinute('a', 1), { ...perMinute('b', 2), name: 'a' }],
      'two resources have the name "a"',
    ],
    ['two resources of one domain', [perMinute('a', 1), { ...perMinute('a', 2), name: 'b' }], "duplicate domain 'a'"],
    ['an empty domain', [{ ...perMinute('', 1), name: 'a' }], 'config file cannot have empty domain'],
    [
      'an unknown unit',
      [{ name: 'a', domain: 'a', descriptors: [{ key: 'k', rateLimit: { requestsPerUnit: 1 } }] }],
      "invalid rate limit unit 'UNKNOWN'",
    ],
  ])('refuses %s', async (_, rules, reason) => {
    const server = await startServer()
    server.set('1', rules)
    const { published } = follow(planeOf(server))
    await server.received(`"${reason}"`, ({ errorDetail }) => errorDetail?.message.includes(reason) ?? false)
    expect(published).toEqual([])
  })

  it('begins anew after bytes that are not a response, and after a message longer than the setting', async () => {
    const server = await startServer()
    server.set('1', [perMinute('shop', 5)])
    const { has, says } = follow(planeOf(server, { XDS_CLIENT_MAX_MSG_SIZE_IN_BYTES: '1000' }))
    await has(1)
    server.send(Uint8Array.of(0xff, 0xff))
    await says('Cannot decode discovery response')
    server.set(
      '2',
      Array.from({ length: 50 }, (_, at) => perMinute(`domain-${at}`, 1)),
    )
    await says('larger than max')
  })
})

it('followControlPlane() takes 200 responses in ten seconds, so that a control plane that floods cannot hold the service', async () => {
  const server = await startServer()
  server.set('1', [perMinute('shop', 1)])
  const { published, has, says } = follow(planeOf(server))
  await has(1)
  for (let sent = 1; sent <= 400; sent++)
    server.send(responseBytes(`v${sent}`, `n${sent}`, [perMinute('shop', sent + 1)]))
  await says('sends more than 200 responses in ten seconds: the next ones wait')
  expect(published.length).toBe(200)
})

describe.skipIf(openssl === null)('followControlPlane() over TLS', () => {
  it('presents its certificate, checks the name of the server, and reports why it does not connect', async () => {
    const folder = makeFolder(onTestFinished)
    const authority = makeAuthority(folder, 'authority')
    const own = authority.sign('plane', 'DNS:plane.example')
    const client = authority.sign('client')
    const pair = { private_key: readFileSync(own.key), cert_chain: readFileSync(own.certificate) }
    const serverCredentials = ServerCredentials.createSsl(readFileSync(authority.certificate), [pair], true)
    const server = await startServer({ serverCredentials })
    server.set('1', [perMinute('shop', 5)])
    const tls = {
      CONFIG_GRPC_XDS_SERVER_USE_TLS: 'true',
      CONFIG_GRPC_XDS_SERVER_TLS_CACERT: authority.certificate,
      CONFIG_GRPC_XDS_CLIENT_TLS_CERT: client.certificate,
      CONFIG_GRPC_XDS_CLIENT_TLS_KEY: client.key,
      CONFIG_GRPC_XDS_SERVER_TLS_SAN: 'plane.example',
    }
    await follow(planeOf(server, tls)).has(1)
    const missing = follow(planeOf(server, { ...tls, CONFIG_GRPC_XDS_CLIENT_TLS_KEY: join(folder, 'none.key') }))
    await missing.says('CONFIG_GRPC_XDS_CLIENT_TLS_KEY cannot be read')
  })
})

describe('readControlPlane()', () => {
  test.each([
    [
      { CONFIG_GRPC_XDS_SERVER_URL: 'http://plane:18000' },
      'CONFIG_GRPC_XDS_SERVER_URL is "http://plane:18000", expected host:port',
    ],
    [
      { CONFIG_GRPC_XDS_SERVER_USE_TLS: 'true', CONFIG_GRPC_XDS_CLIENT_TLS_CERT: '/certs/tls.crt' },
      'one of CONFIG_GRPC_XDS_CLIENT_TLS_CERT and CONFIG_GRPC_XDS_CLIENT_TLS_KEY is set, expected both or none',
    ],
  ])('refuses %j', (vars, text) => {
    expect(() => readControlPlane(readSettings(vars, true))).toThrow(`Cannot read settings: ${text}`)
  })
})
