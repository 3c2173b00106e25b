/** The way into a stream of quota assignments: WebSockets that the native gRPC front opens for an Envoy's stream. */

import { refuseSocket } from '#objects/base/refuse-socket.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { quotaShardsPath, quotaStreamPath, statusCodes } from '#proto-json/index.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import { quotaObjectName } from '#ratelimit/quota/shard.ts'
import { loadHint } from '#ratelimit/service.ts'
import { quotaStats } from '#ratelimit/statistics/names.ts'
import { openIsolate } from './adapters/isolate.ts'
import { currentRules } from './adapters/rule-book-cache.ts'
import { statSink } from './adapters/stat-sink.ts'
import { identifyCaller } from './caller.ts'
import { rootOf } from './path.ts'
import { plainError } from './plain-answer.ts'
import { problemStatus } from './problems.ts'

/** The service of the stream, as a path. */
export const quotaService = rootOf(quotaStreamPath)

/** Tells whether a path is that of the stream, or of the number of its shards. */
export function isQuotaPath(path: string): boolean {
  return path === quotaStreamPath || path === quotaShardsPath
}

/** Answers a front: into how many shards it is to split reports, or a stream to one of them. */
export async function answerQuota(
  request: Request,
  path: string,
  env: RatelimitEnv,
  ctx: ExecutionContext,
): Promise<Response> {
  return path === quotaShardsPath ? tellShards(request, env, ctx) : openQuotaStream(request, env, ctx)
}

/** Tells the number of shards to a caller that may open a stream; `domain` is in the query. */
async function tellShards(request: Request, env: RatelimitEnv, ctx: ExecutionContext): Promise<Response> {
  if (request.method !== 'GET') return plainError(405, 'Method Not Allowed: expected GET')
  try {
    await admitDomain(request, env, ctx)
  } catch (error) {
    if (!(error instanceof RatelimitError)) throw error
    return plainError(problemStatus[error.code].http, error.message)
  }
  const shards = openIsolate(env).settings.QUOTA_SHARDS
  return Response.json({ shards }, { headers: { 'cache-control': 'no-store' } })
}

/**
 * Opens a stream for a known caller and a domain that has rules. The query has `domain`, the `shards` into which the
 * front splits reports, and which `shard` this stream is for.
 *
 * A refusal is a WebSocket that closes at once with 4000 and the gRPC status, because a client of WebSockets sees
 * nothing of an HTTP answer. Nothing is made for a stranger: no object is asked before the caller and the domain are
 * known.
 *
 * @returns 426 for a request that does not ask for a WebSocket.
 */
async function openQuotaStream(request: Request, env: RatelimitEnv, ctx: ExecutionContext): Promise<Response> {
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') {
    return plainError(426, 'Upgrade Required: gRPC streams come through the gRPC front as WebSockets')
  }
  try {
    const { domain, caller } = await admitDomain(request, env, ctx)
    const { QUOTA_SHARDS } = openIsolate(env).settings
    const query = new URL(request.url).searchParams
    const name = findObjectName(query, domain, QUOTA_SHARDS)
    if (name === null) {
      countRefusal(env, ctx)
      return refuseStream(
        statusCodes.UNAVAILABLE,
        `Cannot open stream: there are ${QUOTA_SHARDS} shards, expected shards=${QUOTA_SHARDS} and a shard below; open it again`,
      )
    }
    const url = `https://quota.invalid/?${new URLSearchParams({ domain, ...identifyClient(query, caller) })}`
    const { webSocket } = await env.QUOTA.getByName(name).fetch(url, { headers: { upgrade: 'websocket' } })
    return new Response(null, { status: 101, webSocket })
  } catch (error) {
    if (!(error instanceof RatelimitError)) throw error
    countRefusal(env, ctx)
    return refuseStream(problemStatus[error.code].grpc, error.message)
  }
}

/** The name of a stream's object; null when the front splits into another number of shards than there are. */
function findObjectName(query: URLSearchParams, domain: string, shards: number): string | null {
  const said = query.get('shards')
  const shard = Number(query.get('shard') ?? '0')
  if (said !== String(shards) || !Number.isInteger(shard) || shard < 0 || shard >= shards) return null
  return quotaObjectName(domain, shard, shards)
}

function countRefusal(env: RatelimitEnv, ctx: ExecutionContext): void {
  statSink(env, ctx, openIsolate(env).settings).record([{ name: quotaStats.streamsRefused, delta: 1 }])
}

/** Characters of a client's name or address; of a longer one nothing is taken up after a restart. */
const longestClient = 256

/** Reads the client of a stream from its front's query; a token takes up nothing of another token. */
function identifyClient(query: URLSearchParams, caller: string | null): Readonly<Record<string, string>> {
  for (const field of ['client_name', 'client_address']) {
    const said = query.get(field) ?? ''
    if (said !== '' && said.length <= longestClient) return { [field]: `${caller ?? ''} ${said}` }
  }
  return {}
}

async function admitDomain(request: Request, env: RatelimitEnv, ctx: ExecutionContext) {
  const { settings } = openIsolate(env)
  const { CALLER_TOKENS, QUOTA_STREAMS } = settings
  if (QUOTA_STREAMS === 'tokens' && CALLER_TOKENS.size === 0) {
    throw new RatelimitError(
      'unauthenticated',
      'Cannot open stream: no caller has a token, set CALLER_TOKENS or QUOTA_STREAMS=open',
    )
  }
  const caller = identifyCaller(request, env, ctx)
  if (settings.BACKEND_TYPE !== 'durable-object') {
    throw new RatelimitError('not_allowed', 'Cannot open stream: BACKEND_TYPE must be durable-object')
  }
  const domain = new URL(request.url).searchParams.get('domain') ?? ''
  if (domain === '') throw new RatelimitError('empty_domain', 'Cannot open stream: the domain is empty')
  const { rules } = await currentRules(env, ctx, settings)
  if (rules === null) throw new RatelimitError('rules_not_loaded', `Cannot open stream: ${loadHint}`)
  if (!rules.domains.has(domain)) {
    const shown = JSON.stringify(domain.slice(0, 40))
    throw new RatelimitError('not_allowed', `Cannot open stream: no rule has domain ${shown}`)
  }
  return { domain, caller }
}

function refuseStream(status: number, reason: string): Response {
  return refuseSocket(4_000 + status, reason)
}
