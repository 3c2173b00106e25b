/** The relay to stores, with real servers: UNIX sockets, private authorities, client certificates, losses. */

import { execFileSync, spawnSync } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeRelayRequest, type RelayRequest } from '#base/relay-line.ts'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import { type StoreRelay, startStoreRelay } from '#bin/store-relay/relay.ts'
import { readRelayTls } from '#bin/store-relay/tls.ts'
import type { StoreTls } from '#ratelimit/store-connections.ts'
import { type Authority, type CertificateFiles, makeAuthority, openssl } from '../support/certificates.ts'
import { makeFolder } from '../support/folder.ts'
import { memcachedServer } from '../support/memcached.ts'
import { findProgram, freePort, type RunningProgram, startProgram, waitFor, waitForPort } from '../support/process.ts'
import { type RunningRatelimit, startRatelimit } from '../support/ratelimit-bundle.ts'
import { busDistance, type RunningRedis, redisServer, startRedis } from '../support/redis.ts'
import { greeting, startSluice } from '../support/start.ts'

const rules = {
  'config.shop.yaml': `domain: shop
descriptors:
  - key: tenant
    rate_limit: { unit: day, requests_per_unit: 5 }
  - key: burst
    rate_limit: { unit: second, requests_per_unit: 1000 }
`,
}
const folder = makeFolder()
const dayStart = () => Math.floor(Date.now() / 86_400_000) * 86_400
const remaining = async (service: RunningRatelimit, key: string, value: string) =>
  (await service.decide('shop', [[[key, value]]])).statuses?.[0]?.limitRemaining

beforeAll(() => bundleWorkers(['ratelimit']))

/** Opens a relayed connection as the runtime does, says one thing to the server, and waits for the relay's line. */
function converse(relay: StoreRelay, asked: RelayRequest | string, said = 'PING\r\n'): Promise<string> {
  return new Promise((resolve, reject) => {
    const question = request({ socketPath: relay.socketPath, method: 'CONNECT', path: 'store-relay:1' })
    question.on('error', reject)
    question.on('connect', (_response, socket: Socket) => {
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk.toString()
        if (text.startsWith('+\n') && text.length > 2) socket.destroy()
      })
      socket.on('error', reject)
      socket.on('close', () => resolve(text))
      socket.write(typeof asked === 'string' ? asked : encodeRelayRequest(asked))
      socket.write(said)
    })
    question.end()
  })
}

describe.skipIf(redisServer === null)('a Redis on a UNIX socket (skipped without redis-server)', () => {
  const [mainPath, secondPath] = [join(folder, 'main.sock'), join(folder, 'second.sock')]
  let servers: RunningRedis[]
  let relay: StoreRelay
  let service: RunningRatelimit
  const start = (path: string) => startRedis(['--unixsocket', path])

  beforeAll(async () => {
    servers = [await start(mainPath), await start(secondPath)]
    relay = await startStoreRelay(null)
    const vars = {
      BACKEND_TYPE: 'redis',
      REDIS_URL: mainPath,
      REDIS_POOL_SIZE: '2',
      REDIS_PERSECOND: 'true',
      KVSTORE_PERSECOND_URL: secondPath,
      EXPIRATION_JITTER_MAX_SECONDS: '0',
    }
    service = await startRatelimit({ vars, storeRelay: relay.socketPath }, rules)
  })
  afterAll(async () => {
    await service.stop()
    await relay.stop()
    await Promise.all(servers.map((server) => server.stop()))
  })

  it('counts there, limits of a second in the second one', async () => {
    expect(await remaining(service, 'tenant', 'a')).toBe(4)
    expect(await remaining(service, 'burst', 'a')).toBe(999)
    expect(await servers[0]?.client().get(`shop_tenant_a_${dayStart()}`)).toBe('1')
    expect(await servers[0]?.client().keys('shop_burst_*')).toEqual([])
    expect(await servers[1]?.client().keys('shop_burst_*')).toHaveLength(1)
  })

  it('is unhealthy while the relay is stopped, and counts again once it runs', async () => {
    const health = async () => (await fetch(`${service.url}/healthcheck`)).status
    await servers[0]?.stop()
    expect((await service.decide('shop', [[['tenant', 'b']]])).status).toBe(400)
    await expect.poll(health).toBe(500)
    servers[0] = await start(mainPath)
    await expect.poll(() => remaining(service, 'tenant', 'b')).toBe(4)
    await expect.poll(health).toBe(200)
  })

  it('names the socket and the state in an error', async () => {
    const missing = join(folder, 'missing.sock')
    expect(await converse(relay, { path: missing, tls: false })).toMatch(/^-there is no such socket/)
    expect(await converse(relay, { path: `${folder}`, tls: false })).toMatch(/^-/)
  })

  it('refuses strangers: what is not a request, TLS without settings, and every other user', async () => {
    expect(await converse(relay, 'PING\r\n')).toBe('-the relay was asked for no server\n')
    expect(await converse(relay, 'x'.repeat(5_000))).toBe('-the relay was asked for no server\n')
    expect(await converse(relay, { host: 'localhost', port: 1, tls: true })).toMatch(/^-the relay was asked for TLS/)
    expect(statSync(dirname(relay.socketPath)).mode & 0o777).toBe(0o700)
    const script = `require('net').connect(${JSON.stringify(relay.socketPath)}).on('connect', () => process.exit(0)).on('error', ({ code }) => { console.log(code); process.exit(1) })`
    if (process.getuid?.() !== 0) return
    const { stdout } = spawnSync(process.execPath, ['-e', script], { uid: 65_534, gid: 65_534, encoding: 'utf8' })
    expect(stdout).toBe('EACCES\n')
  })

  it('holds no more connections than it may, and none that does not reach its server in time', async () => {
    const small = await startStoreRelay(null, { maxConnections: 1, connectWithinMs: 300 })
    const quiet = converse(small, '{"path":', '')
    expect(await converse(small, { path: mainPath, tls: false })).toBe('-the relay has 1 connections already\n')
    expect(await quiet).toBe('-the server was not reached within 300 ms\n')
    await expect.poll(() => small.connections()).toBe(0)
    expect(await converse(small, { path: mainPath, tls: false })).toBe('+\n+PONG\r\n')
    await small.stop()
  })
})

describe.skipIf(redisServer === null)('npm start with BACKEND_TYPE=redis (skipped without redis-server)', () => {
  it('runs before its Redis does, says what is missing, and counts once Redis listens on its socket', async () => {
    const [port, socket] = [await freePort(), join(folder, 'late.sock')]
    const args = ['--persist', join(folder, 'state'), '--debug-port', '0', '--grpc-port', '0', '--node-port', '0']
    const environment = { BACKEND_TYPE: 'redis', KVSTORE_URL: socket, PORT: String(port) }
    const program = startSluice(args, environment)
    await greeting(program)
    const body = JSON.stringify({ domain: 'shop', descriptors: [{ entries: [{ key: 'login', value: 'me' }] }] })
    const decide = async () => (await fetch(`http://127.0.0.1:${port}/json`, { method: 'POST', body })).status
    expect(await decide()).toBe(400)
    const reason = `redis ${socket}: there is no such socket`
    await waitFor('the reason', async () => program.output().includes(reason), program)
    const redis = await startRedis(['--unixsocket', socket])
    await expect.poll(decide).toBe(200)
    expect(await redis.client().keys('shop_login_*')).toHaveLength(1)
    await program.stop()
    await redis.stop()
  })
})

describe.skipIf(openssl === null || redisServer === null)(
  'a Redis behind a private authority that wants a client certificate (skipped without redis-server and openssl)',
  () => {
    let authority: Authority
    let own: CertificateFiles
    let foreign: CertificateFiles
    let stranger: Authority
    let redis: TlsServer
    let elsewhere: TlsServer
    let cluster: TlsServer
    let sentinel: TlsServer
    const relays: StoreRelay[] = []

    beforeAll(async () => {
      authority = makeAuthority(folder, 'authority')
      stranger = makeAuthority(folder, 'stranger')
      own = authority.sign('client')
      foreign = stranger.sign('foreign')
      const server = authority.sign('server')
      redis = await startTlsRedis(server)
      elsewhere = await startTlsRedis(authority.sign('elsewhere', 'DNS:other.example'))
      cluster = await startTlsRedis(server, ['--cluster-enabled', 'yes', '--tls-cluster', 'yes'])
      sentinel = await startTlsSentinel(server, redis.port)
    })
    afterAll(async () => {
      await Promise.all(relays.map((relay) => relay.stop()))
      await Promise.all([redis, elsewhere, cluster, sentinel].map(({ program }) => program.stop()))
    })

    /** A Redis that speaks only TLS and wants a certificate of the authority. */
    async function startTlsRedis(files: CertificateFiles, options: readonly string[] = []): Promise<TlsServer> {
      const port = await freePort(options.includes('--cluster-enabled') ? busDistance : 0)
      const flags = ['--port', '0', '--tls-port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder]
      const tls = ['--tls-cert-file', files.certificate, '--tls-key-file', files.key]
      const program = startProgram(redisServer ?? '', [
        ...flags,
        ...tls,
        ...['--tls-ca-cert-file', authority.certificate, '--tls-auth-clients', 'yes'],
        ...options,
      ])
      await waitForPort(port, program)
      return { port, program }
    }

    /** A sentinel that speaks only TLS, on both sides. */
    async function startTlsSentinel(files: CertificateFiles, masterPort: number): Promise<TlsServer> {
      const port = await freePort()
      const file = join(folder, 'sentinel.conf')
      const lines = [
        'port 0',
        `tls-port ${port}`,
        'bind 127.0.0.1',
        'tls-replication yes',
        `tls-cert-file ${files.certificate}`,
        `tls-key-file ${files.key}`,
        `tls-ca-cert-file ${authority.certificate}`,
        `sentinel monitor mymaster 127.0.0.1 ${masterPort} 1`,
      ]
      writeFileSync(file, `${lines.join('\n')}\n`)
      const program = startProgram(redisServer ?? '', [file, '--sentinel'])
      await waitForPort(port, program)
      return { port, program }
    }

    const tlsOf = (changes: Partial<StoreTls>): StoreTls => ({
      prefix: 'REDIS',
      certificate: own.certificate,
      key: own.key,
      authority: authority.certificate,
      acceptsAnyName: false,
      ...changes,
    })
    async function ask(changes: Partial<StoreTls>, { port }: TlsServer): Promise<string> {
      const relay = await startStoreRelay(readRelayTls(tlsOf(changes)))
      relays.push(relay)
      return converse(relay, { host: 'localhost', port, tls: true })
    }

    it('is reached under its own name, where its authority is trusted', async () => {
      expect(await ask({}, redis)).toBe('+\n+PONG\r\n')
    })

    it('is refused under another name, unless any name will do', async () => {
      expect(await ask({}, elsewhere)).toMatch(
        /^-the server's certificate is for other names .*other\.example.*REDIS_TLS_SKIP_HOSTNAME_VERIFICATION=true\n$/,
      )
      expect(await ask({ acceptsAnyName: true }, elsewhere)).toBe('+\n+PONG\r\n')
    })

    it('is refused when another authority signed it, under any name', async () => {
      const refusal =
        /^-the server's certificate is of an authority that is not trusted, expected that of REDIS_TLS_CACERT\n$/
      expect(await ask({ authority: '' }, redis)).toMatch(refusal)
      expect(await ask({ authority: stranger.certificate, acceptsAnyName: true }, redis)).toMatch(refusal)
    })

    it('says what it wants when the client certificate is missing or of a foreign authority', async () => {
      const refusal = /^-the server ended the TLS handshake, .* expected one in REDIS_TLS_CLIENT_CERT\n$/
      expect(await ask({ certificate: '', key: '' }, redis)).toMatch(refusal)
      expect(await ask({ certificate: foreign.certificate, key: foreign.key }, redis)).toMatch(refusal)
    })

    it('counts as a cluster, and for limits of a second as the master that a sentinel names', async () => {
      const tls = tlsOf({})
      const relay = await startStoreRelay(readRelayTls(tls))
      relays.push(relay)
      const files = ['--cert', tls.certificate, '--key', tls.key, '--cacert', tls.authority]
      const cli = (...args: readonly string[]) =>
        execFileSync(findProgram('redis-cli') ?? '', ['-p', String(cluster.port), '--tls', ...files, ...args], {
          encoding: 'utf8',
        })
      cli('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
      await expect.poll(() => cli('CLUSTER', 'INFO')).toContain('cluster_state:ok')
      const vars = {
        BACKEND_TYPE: 'redis',
        // Of no meaning for either: only a single server can be on a UNIX socket.
        REDIS_SOCKET_TYPE: 'unix',
        REDIS_TYPE: 'cluster',
        REDIS_URL: `localhost:${cluster.port}`,
        REDIS_TLS: 'true',
        REDIS_TLS_CACERT: tls.authority,
        REDIS_TLS_CLIENT_CERT: tls.certificate,
        REDIS_TLS_CLIENT_KEY: tls.key,
        REDIS_POOL_SIZE: '1',
        REDIS_PERSECOND: 'true',
        REDIS_PERSECOND_TYPE: 'sentinel',
        REDIS_PERSECOND_URL: `mymaster,localhost:${sentinel.port}`,
        REDIS_PERSECOND_TLS: 'true',
      }
      const service = await startRatelimit({ vars, storeRelay: relay.socketPath }, rules)
      expect(await remaining(service, 'tenant', 'tls')).toBe(4)
      expect(await remaining(service, 'burst', 'tls')).toBe(999)
      expect(cli('KEYS', 'shop_tenant_tls_*')).toContain('shop_tenant_tls_')
      expect(cli('KEYS', 'shop_burst_*').trim()).toBe('')
      await service.stop()
    })
  },
)

describe.skipIf(openssl === null || memcachedServer === null)(
  'memcached on a UNIX socket and behind a private authority (skipped without memcached and openssl)',
  () => {
    it('counts there, a counter on each', async () => {
      const authority = makeAuthority(folder, 'cache-authority')
      const server = authority.sign('cache-server')
      const client = authority.sign('cache-client')
      const socket = join(folder, 'memcached.sock')
      const port = await freePort()
      const tls = ['ssl_chain_cert', 'ssl_key', 'ssl_ca_cert', 'ssl_verify_mode']
      const values = [server.certificate, server.key, authority.certificate, '2']
      const options = tls.map((name, at) => `${name}=${values[at]}`).join(',')
      const user = ['-u', userInfo().username]
      const programs = [
        startProgram(memcachedServer ?? '', ['-s', socket, ...user]),
        startProgram(memcachedServer ?? '', ['-l', '127.0.0.1', '-p', String(port), '-Z', '-o', options, ...user]),
      ]
      await waitForPort(port, programs[1] as RunningProgram)
      const storeTls = {
        prefix: 'MEMCACHE',
        certificate: client.certificate,
        key: client.key,
        authority: authority.certificate,
        acceptsAnyName: false,
      } as const
      const relay = await startStoreRelay(readRelayTls(storeTls))
      const start = (vars: Readonly<Record<string, string>>) =>
        startRatelimit({ vars: { BACKEND_TYPE: 'memcache', ...vars }, storeRelay: relay.socketPath }, rules)
      const onSocket = await start({ MEMCACHE_HOST_PORT: socket })
      const key = `shop_tenant_m_${dayStart()}`
      const hits = async (at: RelayRequest) => {
        const [, value] = / 0 1\r\n(\d)\r\n/.exec(await converse(relay, at, `get ${key}\r\n`)) ?? []
        return Number(value ?? 0)
      }
      // A call that memcached does not answer in its half second is admitted and not counted, as in the reference.
      const expectCounted = async (service: RunningRatelimit, at: RelayRequest) => {
        const counted = async () => {
          if ((await hits(at)) === 0) await remaining(service, 'tenant', 'm')
          return hits(at)
        }
        await expect.poll(counted).toBeGreaterThan(0)
        await expect.poll(() => remaining(service, 'tenant', 'm')).toBeLessThan(4)
      }
      await expectCounted(onSocket, { path: socket, tls: false })
      await onSocket.stop()
      const overTls = await start({
        MEMCACHE_HOST_PORT: `localhost:${port}`,
        MEMCACHE_TLS: 'true',
        MEMCACHE_TLS_CACERT: storeTls.authority,
        MEMCACHE_TLS_CLIENT_CERT: storeTls.certificate,
        MEMCACHE_TLS_CLIENT_KEY: storeTls.key,
      })
      await expectCounted(overTls, { host: 'localhost', port, tls: true })
      await overTls.stop()
      await relay.stop()
      await Promise.all(programs.map((program) => program.stop()))
    })
  },
)

interface TlsServer {
  readonly port: number
  readonly program: RunningProgram
}
