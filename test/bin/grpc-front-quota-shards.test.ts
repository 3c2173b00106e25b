/** Streams of quota assignments through the front to a service with several shards, over a relay that cuts single ones. */

import type { ClientHttp2Stream } from 'node:http2'
import { createServer, connect as dial, type Socket } from 'node:net'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { WebSocket } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { type GrpcFront, startGrpcFront } from '#bin/grpc-front/front.ts'
import { createQuotaLink } from '#bin/grpc-front/quota-link.ts'
import { createQuotaShards } from '#bin/grpc-front/quota-shards.ts'
import { RateLimitQuotaResponseSchema, RateLimitQuotaUsageReportsSchema } from '#proto-json/gen/quota_pb.ts'
import { createFrameDecoder, encodeFrame, quotaStreamPath, type Status } from '#proto-json/index.ts'
import { chooseShard } from '#ratelimit/quota/shard.ts'
import { listen } from '../support/listen.ts'
import { onStreamEnd, openQuotaStream, type StreamEnd } from '../support/quota-stream.ts'
import { type RunningRatelimit, startRatelimit } from '../support/ratelimit-bundle.ts'

const shards = 4
const vars = { QUOTA_STREAMS: 'open', QUOTA_SHARDS: `${shards}` }
const rules = {
  'gate.yaml': 'domain: gate\ndescriptors: [{key: day, rate_limit: {unit: day, requests_per_unit: 8640000}}]\n',
}

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A relay of bytes to the service that knows what each connection asked for last. */
interface Relay {
  readonly url: string
  /** The path of the request, such as `/…?domain=gate&shard=2&shards=4`. */
  readonly asked: readonly string[]
  /** Ends connections that asked for a path with this text, and holds further ones until it is called with null. */
  cut(text: string | null): void
}

/** Starts a relay; `answer` may answer in the place of the service. */
async function startRelay(to: string, answer: (path: string) => string | null = () => null): Promise<Relay> {
  const { hostname, port } = new URL(to)
  const asked: string[] = []
  const open = new Map<Socket, string>()
  const held: (() => void)[] = []
  let isCut = (_path: string) => false
  const server = createServer((socket) => {
    socket.on('error', () => {})
    const upstream = dial(Number(port), hostname)
    upstream.on('error', () => socket.destroy())
    upstream.on('close', () => socket.destroy())
    socket.on('close', () => upstream.destroy())
    // A connection that brought the number of shards may carry a stream next; no frame of a client begins so.
    socket.on('data', (chunk) => {
      const path = /^GET (\S+)/.exec(chunk.toString('latin1'))?.[1]
      if (path !== undefined) {
        asked.push(path)
        open.set(socket, path)
      }
      const own = path === undefined ? null : answer(path)
      if (own !== null) socket.end(own)
      else if (isCut(path ?? '')) held.push(() => upstream.write(chunk))
      else upstream.write(chunk)
    })
    upstream.pipe(socket)
    socket.on('close', () => open.delete(socket))
  })
  const ownPort = await listen(server)
  closing.push(() => {
    for (const socket of open.keys()) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
  return {
    url: `http://127.0.0.1:${ownPort}`,
    asked,
    cut(text) {
      isCut = (path) => text !== null && path.includes(text)
      for (const [socket, path] of open) if (isCut(path)) socket.destroy()
      if (text === null) for (const pass of held.splice(0)) pass()
    },
  }
}

/** A client's stream through the front. */
interface Stream {
  /** Reports one hit that was refused in each of the buckets. */
  report(...values: readonly string[]): void
  /** Assigned tokens of a fill, by the value of the bucket, in the order in which they came. */
  readonly assigned: ReadonlyMap<string, readonly number[]>
  /** Buckets whose every hit is refused. */
  readonly refused: ReadonlySet<string>
  readonly ended: StreamEnd | null
}

function report(stream: ClientHttp2Stream, values: readonly string[]): void {
  const bucketQuotaUsages = values.map((value) => {
    return { bucketId: { bucket: { day: value } }, numRequestsDenied: 1n }
  })
  const message = create(RateLimitQuotaUsageReportsSchema, { domain: 'gate', bucketQuotaUsages })
  stream.write(encodeFrame(0, toBinary(RateLimitQuotaUsageReportsSchema, message)))
}

function openStream(front: GrpcFront): Stream {
  const { stream, close } = openQuotaStream(front.port)
  closing.push(close)
  const assigned = new Map<string, readonly number[]>()
  const refused = new Set<string>()
  let ended: StreamEnd | null = null
  const decoder = createFrameDecoder(1_048_576)
  stream.on('data', (chunk: Buffer) => {
    for (const { payload } of decoder.push(chunk)) {
      for (const { bucketId, bucketAction } of fromBinary(RateLimitQuotaResponseSchema, payload).bucketAction) {
        const value = bucketId?.bucket.day ?? ''
        const strategy =
          bucketAction.case === 'quotaAssignmentAction' ? bucketAction.value.rateLimitStrategy?.strategy : undefined
        if (strategy?.case === 'blanketRule') refused.add(value)
        if (strategy?.case !== 'tokenBucket') continue
        assigned.set(value, [...(assigned.get(value) ?? []), strategy.value.tokensPerFill ?? 0])
      }
    }
  })
  onStreamEnd(stream, (end) => {
    ended = end
  })
  return {
    report: (...values) => report(stream, values),
    assigned,
    refused,
    get ended() {
      return ended
    },
  }
}

async function startService(own: Readonly<Record<string, string>> = {}): Promise<RunningRatelimit> {
  const service = await startRatelimit({ vars: { ...vars, ...own } }, rules)
  closing.push(() => service.stop())
  return service
}

async function startFront(service: RunningRatelimit, relay: Relay): Promise<GrpcFront> {
  // A shard that the relay holds is not given up, however slow the machine is.
  const bounds = { messageWithinMs: 240_000 }
  const front = await startGrpcFront({ upstream: service.url, quota: { url: relay.url }, port: 0, bounds })
  closing.push(() => front.stop(0))
  return front
}

/** So many values whose buckets are in a shard, from a number on. */
function valuesOf(shard: number, count: number, from = 0): readonly string[] {
  const values = Array.from({ length: 1_000 }, (_, at) => `${from + at}`)
  return values.filter((value) => chooseShard([{ key: 'day', value }], shards) === shard).slice(0, count)
}

const every = Array.from({ length: shards }, (_, shard) => valuesOf(shard, 2))
const opened = ({ asked }: Relay, shard: number) =>
  asked.filter((path) => path.includes(`shard=${shard}&shards=${shards}`)).length

describe('createQuotaShards()', () => {
  it('gives each shard the reports of its buckets, and the client the assignments of all', async () => {
    const service = await startService({ QUOTA_MAX_BUCKETS: '2' })
    const relay = await startRelay(service.runtimeUrl)
    const stream = openStream(await startFront(service, relay))
    stream.report(...every.flat())
    await expect.poll(() => [...stream.assigned.keys()].sort()).toEqual(every.flat().sort())
    expect([0, 1, 2, 3].map((shard) => opened(relay, shard))).toEqual([1, 1, 1, 1])
    // The bound on the buckets of a stream is one of each shard: all of them are full now.
    const [further = ''] = valuesOf(3, 1, 1_000)
    stream.report(further)
    await expect.poll(() => [...stream.refused]).toEqual([further])
    expect(stream.ended).toBeNull()
  })

  it('connects only the shards whose buckets are reported', async () => {
    const service = await startService()
    const relay = await startRelay(service.runtimeUrl)
    const stream = openStream(await startFront(service, relay))
    stream.report(...(every[2] ?? []))
    await expect.poll(() => stream.assigned.size).toBe(2)
    expect([0, 1, 2, 3].map((shard) => opened(relay, shard))).toEqual([0, 0, 1, 0])
  })

  it('opens a lost shard again while the others go on', async () => {
    const service = await startService()
    const relay = await startRelay(service.runtimeUrl)
    const stream = openStream(await startFront(service, relay))
    stream.report(...every.flat())
    await expect.poll(() => stream.assigned.size).toBe(2 * shards)
    relay.cut('shard=1&')
    await expect.poll(() => opened(relay, 1)).toBe(2)
    const others = [0, 2, 3].flatMap((shard) => valuesOf(shard, 1, 1_000))
    const [late = ''] = valuesOf(1, 1, 1_000)
    // Reports of its buckets wait until the lost shard is back.
    stream.report(late, ...others)
    for (const value of others) await expect.poll(() => stream.assigned.has(value)).toBe(true)
    expect(stream.assigned.has(late)).toBe(false)
    relay.cut(null)
    await expect.poll(() => stream.assigned.has(late)).toBe(true)
    expect([0, 2, 3].map((shard) => opened(relay, shard))).toEqual([1, 1, 1])
    expect(stream.ended).toBeNull()
  })

  it('ends a stream when the service has another number of shards, and splits the next one by it', async () => {
    const service = await startService()
    const relay = await startRelay(service.runtimeUrl)
    const front = await startFront(service, relay)
    const stream = openStream(front)
    stream.report(...every.flat())
    await expect.poll(() => stream.assigned.size).toBe(2 * shards)
    await service.restart({ ...vars, QUOTA_SHARDS: '2' })
    await expect.poll(() => stream.ended?.code).toBe('14')
    const next = openStream(front)
    next.report(...every.flat())
    await expect.poll(() => next.assigned.size).toBe(2 * shards)
    expect(relay.asked.filter((path) => path.includes('shards=2')).length).toBeGreaterThanOrEqual(2)
  })

  it('carries a stream as one where the service does not tell its shards', async () => {
    const service = await startService({ QUOTA_SHARDS: '1' })
    const notFound = 'HTTP/1.1 404 Not Found\r\ncontent-length: 10\r\nconnection: close\r\n\r\nNot Found\n'
    const relay = await startRelay(service.runtimeUrl, (path) => (path.includes('/shards?') ? notFound : null))
    const stream = openStream(await startFront(service, relay))
    stream.report(...every.flat())
    await expect.poll(() => stream.assigned.size).toBe(2 * shards)
    const streams = relay.asked.filter((path) => !path.includes('/shards?'))
    expect(streams).toEqual([`${quotaStreamPath}?domain=gate&shard=0&shards=1&client_address=127.0.0.1`])
  })
})

describe('createQuotaShards() with links that take nothing', () => {
  it('ends a stream at a mebibyte of reports that wait in all shards together', async () => {
    const outcomes: Status[] = []
    const waiting = new Map<number, number>()
    const split = createQuotaShards({
      askShardCount: async () => shards,
      answerWithinMs: 30_000,
      open: (shard) => ({
        send: ({ length }) => waiting.set(shard, (waiting.get(shard) ?? 0) + length),
        waiting: () => waiting.get(shard) ?? 0,
        close: () => waiting.delete(shard),
      }),
      end(outcome) {
        outcomes.push(outcome)
        split.close()
      },
    })
    const usages = every.flat().map((value) => {
      return { bucket: [{ key: 'day', value }], allowed: 0, denied: 1, elapsed: 0 }
    })
    split.send(usages)
    await expect.poll(() => waiting.size).toBe(shards)
    const { length } = JSON.stringify(usages)
    let sent = 1
    for (; outcomes.length === 0; sent++) split.send(usages)
    expect(outcomes).toEqual([{ code: 8, message: 'Cannot go on: the service does not take reports' }])
    // Each shard's part has brackets around it, so a few messages fewer than whole ones fit.
    expect(sent * length).toBeGreaterThan(0.9 * 1_048_576)
    expect(sent * length).toBeLessThan(1.1 * 1_048_576)
  })
})

describe('createQuotaLink()', () => {
  it('gives up after so many sockets in a row that brought nothing', async () => {
    const service = await startService({ QUOTA_SHARDS: '1' })
    let isDown = false
    const relay = await startRelay(service.runtimeUrl, () => (isDown ? '' : null))
    const address = `${relay.url}${quotaStreamPath}?domain=gate&shard=0&shards=1`
    const outcomes: Status[] = []
    let connections = 0
    const link = createQuotaLink({
      connect() {
        connections += 1
        return new WebSocket(address)
      },
      openWithinMs: 30_000,
      mostReopenings: 2,
      take() {
        isDown = true
        relay.cut('domain=gate')
      },
      end: (outcome) => outcomes.push(outcome),
    })
    link.send(JSON.stringify([{ bucket: [{ key: 'day', value: 'x' }], allowed: 0, denied: 1, elapsed: 0 }]))
    await expect.poll(() => outcomes).toEqual([expect.objectContaining({ code: 14 })])
    expect(connections).toBe(3)
    link.close()
  })
})
