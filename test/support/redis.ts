/** Starts real Redis servers: single, with a password, behind sentinels, as a cluster. */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { findProgram, freePort, type RunningProgram, startProgram, waitFor, waitForPort } from './process.ts'

/** The server's program, or null when this machine has none. */
export const redisServer = findProgram('redis-server')

/** A Redis that runs. */
export interface RunningRedis {
  readonly port: number
  readonly program: RunningProgram
  /** A client of another make, to look at what is stored. */
  client(): Redis
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** Starts one server in memory only; `options` are lines of its configuration as command-line flags. */
export async function startRedis(options: readonly string[] = [], givenPort?: number): Promise<RunningRedis> {
  if (redisServer === null) throw new Error('There is no redis-server on this machine')
  const port = givenPort ?? (await freePort())
  const folder = mkdtempSync(join(tmpdir(), 'sluice-redis-'))
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder, ...options]
  const program = startProgram(redisServer, flags)
  await waitForPort(port, program)
  const password = options[options.indexOf('--requirepass') + 1]
  const clients: Redis[] = []
  return {
    port,
    program,
    client() {
      const client = new Redis({
        host: '127.0.0.1',
        port,
        ...(options.includes('--requirepass') && password !== undefined && { password }),
        retryStrategy: () => 100,
      })
      // A test that ends the server does so on purpose.
      client.on('error', () => {})
      clients.push(client)
      return client
    },
    async stop(signal) {
      for (const client of clients) client.disconnect()
      await program.stop(signal)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A master, a replica and three sentinels that watch them. */
export interface RunningSentinels {
  /** `mymaster,127.0.0.1:PORT,...` as `REDIS_URL` takes it. */
  readonly url: string
  readonly master: RunningRedis
  readonly replica: RunningRedis
  /** The port of the server that the sentinels call master now. */
  masterPort(): Promise<number>
  stop(): Promise<void>
}

/** Starts a master with a replica, and three sentinels that take half a second to call it dead. */
export async function startSentinels(): Promise<RunningSentinels> {
  const master = await startRedis()
  const replica = await startRedis(['--replicaof', `127.0.0.1 ${master.port}`])
  const folder = mkdtempSync(join(tmpdir(), 'sluice-sentinel-'))
  const sentinels = await Promise.all([0, 1, 2].map((index) => startSentinel(folder, index, master.port)))
  const [first] = sentinels
  const asker = new Redis({ host: '127.0.0.1', port: first?.port ?? 0, retryStrategy: () => 100 })
  const masterPort = async () =>
    Number(((await asker.call('SENTINEL', 'get-master-addr-by-name', 'mymaster')) as string[])[1])
  if (first !== undefined) await waitFor('the sentinels', () => knowsAll(asker), first.program)
  return {
    url: `mymaster,${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    master,
    replica,
    masterPort,
    async stop() {
      asker.disconnect()
      await Promise.all([...sentinels.map(({ program }) => program.stop('SIGKILL')), master.stop(), replica.stop()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Checks that a sentinel has found the replica and the two other sentinels. */
async function knowsAll(asker: Redis): Promise<boolean> {
  // The reply is a flat list of names and values.
  const fields = (await asker.call('SENTINEL', 'master', 'mymaster')) as string[]
  const value = (name: string) => Number(fields[fields.indexOf(name) + 1])
  return value('num-other-sentinels') === 2 && value('num-slaves') === 1
}

async function startSentinel(folder: string, index: number, masterPort: number) {
  const port = await freePort()
  const file = join(folder, `sentinel-${index}.conf`)
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor mymaster 127.0.0.1 ${masterPort} 2`,
    'sentinel down-after-milliseconds mymaster 500',
    'sentinel failover-timeout mymaster 2000',
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  const program = startProgram(redisServer ?? 'redis-server', [file, '--sentinel'])
  await waitForPort(port, program)
  return { port, program }
}

/** Three masters that share the slots. */
export interface RunningCluster {
  readonly nodes: readonly RunningRedis[]
  /** `127.0.0.1:PORT,...` as `REDIS_URL` takes it. */
  readonly url: string
  stop(): Promise<void>
}

/** Distance of a node's port to the one over which it speaks to the other nodes of its cluster. */
export const busDistance = 10_000

/** Starts three masters and waits until every slot is served. */
export async function startCluster(): Promise<RunningCluster> {
  const options = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000']
  const start = async () => startRedis(options, await freePort(busDistance))
  const nodes = [await start(), await start(), await start()]
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`)
  const cli = findProgram('redis-cli') ?? 'redis-cli'
  execFileSync(cli, ['--cluster', 'create', ...addresses, '--cluster-replicas', '0', '--cluster-yes'])
  for (const node of nodes) {
    const client = node.client()
    await waitFor('the cluster', async () => (await client.cluster('INFO')).includes('cluster_state:ok'), node.program)
  }
  return {
    nodes,
    url: addresses.join(','),
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()))
    },
  }
}
