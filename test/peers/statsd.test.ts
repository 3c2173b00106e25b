import { createServer, type Server } from 'node:net'
import { describe, expect, it } from 'vitest'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import { freePort } from '../support/process.ts'
import { startRatelimit } from '../support/ratelimit-bundle.ts'

const rules = {
  'config.shop.yaml': 'domain: shop\ndescriptors: [{ key: k, rate_limit: { unit: day, requests_per_unit: 5 } }]',
}

describe('a statsd receiver', () => {
  it('receives each addition to a statistic once, those made while it was unreachable too', async () => {
    await bundleWorkers(['ratelimit'])
    const port = await freePort()
    const received: string[] = []
    let receiver = await startReceiver(port, received)
    const vars = {
      USE_STATSD: 'true',
      STATSD_HOST: '127.0.0.1',
      STATSD_PORT: String(port),
      STATS_FLUSH_INTERVAL: '200ms',
      EXTRA_TAGS: 'zone:test',
    }
    const service = await startRatelimit({ vars }, rules)
    const hits = () => total(received, 'ratelimit.service.rate_limit.shop.k.total_hits.__zone=test')
    for (let hit = 0; hit < 3; hit++) await service.decide('shop', [[['k', 'v']]])
    await expect.poll(hits).toBe(3)
    await stopReceiver(receiver)
    for (let hit = 0; hit < 2; hit++) await service.decide('shop', [[['k', 'v']]])
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    receiver = await startReceiver(port, received)
    await expect.poll(hits).toBe(5)
    expect(
      received
        .join('')
        .split('\n')
        .every((line) => line === '' || /^[^\s:]+:\d+\|c$/.test(line)),
    ).toBe(true)
    await service.stop()
    await stopReceiver(receiver)
  })
})

describe('a receiver of DogStatsD lines', () => {
  it('is sent names and tags as the mogrifiers make them, only with USE_DOG_STATSD', async () => {
    await bundleWorkers(['ratelimit'])
    const port = await freePort()
    const received: string[] = []
    const receiver = await startReceiver(port, received)
    const vars = {
      USE_DOG_STATSD: 'true',
      STATSD_HOST: '127.0.0.1',
      STATSD_PORT: String(port),
      STATS_FLUSH_INTERVAL: '200ms',
      EXTRA_TAGS: 'zone:test',
      USE_DOG_STATSD_MOGRIFIERS: 'LIMIT,CONFIG',
      DOG_STATSD_MOGRIFIER_LIMIT_PATTERN: String.raw`^ratelimit\.service\.rate_limit\.([^.]+)\.(.*)\.([^.]+)$`,
      DOG_STATSD_MOGRIFIER_LIMIT_NAME: 'ratelimit.$3',
      DOG_STATSD_MOGRIFIER_LIMIT_TAGS: 'domain:$1,descriptor:$2',
      DOG_STATSD_MOGRIFIER_CONFIG_PATTERN: 'config_load_(.*)$',
      DOG_STATSD_MOGRIFIER_CONFIG_NAME: 'config.$1',
    }
    const service = await startRatelimit({ vars }, rules)
    for (let hit = 0; hit < 3; hit++) await service.decide('shop', [[['k', 'v']]])
    const hits = () =>
      received
        .join('')
        .split('\n')
        .flatMap(
          (line) => /^ratelimit\.total_hits:(\d+)\|c\|#zone:test,domain:shop,descriptor:k$/.exec(line)?.[1] ?? [],
        )
        .reduce((sum, text) => sum + Number(text), 0)
    await expect.poll(hits).toBe(3)
    await expect.poll(() => received.join('')).toContain('config.success:1|c|#zone:test\n')
    await service.stop()
    await stopReceiver(receiver)
  })
})

function total(received: readonly string[], name: string): number {
  const lines = received
    .join('')
    .split('\n')
    .filter((line) => line.startsWith(`${name}:`))
  return lines.reduce((sum, line) => sum + Number.parseInt(line.slice(name.length + 1), 10), 0)
}

async function startReceiver(port: number, received: string[]): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('data', (chunk) => received.push(chunk.toString()))
    socket.on('error', () => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return server
}

function stopReceiver(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}
