/** Costs of the platform: the least Worker, the least Durable Object call, and routers beside none. */

import { DurableObject } from 'cloudflare:workers'
import { Hono } from 'hono'
import { AutoRouter } from 'itty-router'
import { memo } from '#base/memo.ts'
import { findSigner } from '#devnode/recovery.ts'
import { RedisStore } from '#objects/ratelimit/redis/store.ts'
import { readStoreAddress } from '#ratelimit/redis/address.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { signDigestSync } from '#streamnet/signing/sync-signer.ts'
import type { LedgerFloorObject } from './ledger-floor.ts'

export { LedgerFloorObject } from './ledger-floor.ts'

/** Bindings of the bench. */
interface BareEnv {
  readonly WINDOW: DurableObjectNamespace<WindowObject>
  readonly PIPELINE: DurableObjectNamespace<PipelineObject>
  readonly LEDGER: DurableObjectNamespace<LedgerFloorObject>
  /** `host:port` of the Redis of the bench; empty without one. */
  readonly REDIS_URL: string
}

/** The part of a decision's request that names a counter. */
interface Body {
  readonly descriptors: readonly { readonly entries: readonly { readonly value: string }[] }[]
}

/** Counts hits in minute windows in memory: what any counter in a Durable Object costs at least. */
export class WindowObject extends DurableObject<BareEnv> {
  readonly #windows = new Map<string, { readonly start: number; hits: number }>()

  /** Adds hits to a key's window. @returns the hits of the window. */
  hit(key: string, addend: number): number {
    const now = Math.floor(Date.now() / 1000)
    const start = now - (now % 60)
    let window = this.#windows.get(key)
    if (window?.start !== start) {
      window = { start, hits: 0 }
      this.#windows.set(key, window)
    }
    window.hits += addend
    return window.hits
  }
}

/** Sends `INCRBY` and `EXPIRE` through the product's own pipeline, with nothing of the service around it. */
export class PipelineObject extends DurableObject<BareEnv> {
  readonly #store = new RedisStore(
    readStoreAddress(readSettings({ REDIS_SOCKET_TYPE: 'tcp', REDIS_URL: this.env.REDIS_URL }), 'REDIS'),
    { timeoutMs: 2_000, flushMs: 0, flushLimit: 0, closeOnReadOnly: false, relay: null },
  )

  /** Adds hits to a counter in Redis. @returns what Redis answered. */
  async hit(key: string, addend: number): Promise<number> {
    const commands = [
      ['INCRBY', key, String(addend)],
      ['EXPIRE', key, '60'],
    ]
    const replies = await this.#store.run([{ key, commands }])
    return Number(replies[0]?.[0])
  }
}

const routeCount = 20
const hono = new Hono()
const itty = AutoRouter()
for (let at = 0; at < routeCount; at++) {
  hono.get(`/hono/${at}`, () => decision(at))
  itty.get(`/itty/${at}`, () => decision(at))
}

async function fetch(request: Request, env: BareEnv): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname.startsWith('/hono/')) return hono.fetch(request)
  if (pathname.startsWith('/itty/')) return itty.fetch(request)
  if (pathname.startsWith('/none/')) return decision(1)
  if (pathname.startsWith('/recover/')) return decision(recoverSigners(Number(pathname.split('/')[2])))
  if (pathname === '/worker') {
    await request.text()
    return decision(1)
  }
  if (pathname === '/ledger/rows' || pathname === '/ledger/log') {
    const keeping = pathname === '/ledger/log' ? 'log' : 'rows'
    const text = await env.LEDGER.getByName(keeping).append(await request.text(), keeping)
    return new Response(text, decisionInit)
  }
  const key = keyOf(await request.json<Body>())
  if (pathname === '/redis') return decision(await env.PIPELINE.getByName('pool:0').hit(key, 1))
  const hits = await env.WINDOW.getByName(pathname === '/object-per-key' ? key : 'one').hit(key, 1)
  return pathname === '/object-stream' ? streamed(hits) : decision(hits)
}

const digest = new Uint8Array(32).fill(1)
const signature = memo(() => signDigestSync(digest, new Uint8Array(32).fill(2)))

/** Finds a signer so many times over: the least that as many transactions cost a node. @returns how many were found. */
function recoverSigners(times: number): number {
  let found = 0
  for (let turn = 0; turn < times; turn++) {
    if (findSigner(digest, signature(digest)) !== undefined) found++
  }
  return found
}

/** The same answer without a length: the least that an answer costs which a network may put trailers behind. */
function streamed(hits: number): Response {
  const { readable, writable } = new IdentityTransformStream()
  const writer = writable.getWriter()
  void writer.write(encoder.encode(decisionText(hits)))
  void writer.close()
  return new Response(readable, decisionInit)
}

function keyOf({ descriptors }: Body): string {
  return descriptors[0]?.entries[0]?.value ?? ''
}

const encoder = new TextEncoder()
const decisionInit = { headers: { 'content-type': 'application/json' } }

function decision(hits: number): Response {
  return new Response(decisionText(hits), decisionInit)
}

function decisionText(hits: number): string {
  return JSON.stringify({ overallCode: 'OK', statuses: [{ code: 'OK', limitRemaining: hits }] })
}

export default { fetch } satisfies ExportedHandler<BareEnv>
