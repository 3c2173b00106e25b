/** Operations by name: reads answered here and kept while they are good, writes passed on. */

import { encodeHex } from '#base/hex.ts'
import { areasOf, areasReadBy, assertAllowed, isComputed, verbOf } from '#gateway/access.ts'
import { assertReadsConstituents, assertReadsEachWhole } from '#gateway/constituents.ts'
import { type GatewayEntry, requireEntry } from '#gateway/entries.ts'
import { GatewayError } from '#gateway/errors.ts'
import { maxWaitMs, type Params, runOperation } from '#gateway/handle.ts'
import { isReadable } from '#gateway/openapi.ts'
import { writeResult } from '#gateway/outcome.ts'
import { readParams } from '#gateway/params.ts'
import { readQuery } from '#gateway/query.ts'
import { createUpstreamClient } from '#objects/streamnet/upstream.ts'
import { type Client, parseAddress } from '#streamnet/index.ts'
import type { KeptAnswer } from './adapters/gateway-isolate.ts'
import { reportUpstream } from './adapters/gateway-stats.ts'
import { answerKept, cachedReadKey, matches } from './cached-read.ts'
import {
  answerBody,
  answerResult,
  bodyOf,
  type Call,
  maxBodyBytes,
  maxBulkBodyBytes,
  parseBody,
  readBody,
} from './call.ts'
import { immutableReadKey, isImmutableStream } from './immutable-reads.ts'
import { findUnchanged, keepUnchanged, unchangedReadKey } from './unchanged-read.ts'
import { startJob, write } from './writes.ts'

/** How long a read may take in all, in milliseconds. */
const readBudgetMs = 20_000
/** How long an answer frozen at a height is given again without a question to the node. */
const frozenFreshSeconds = 60
/** As long where it can never change: for so long a stream that was closed or removed is still answered. */
const cachedReadSeconds = 3600

/** `POST /streamnet/v1/{operation}`. */
export async function postOperation(call: Call, name: string): Promise<Response> {
  const entry = requireEntry(name)
  const text = await readBody(call.request, entry.kind === 'job' ? maxBulkBodyBytes : maxBodyBytes)
  if (entry.kind === 'view') return postView(call, entry, text)
  const params = readParams(entry, parseBody(text))
  const areas = allow(call, entry, params)
  if (entry.kind === 'job') return startJob(call, params, areas)
  if (entry.kind === 'execute') {
    await assertMayGiveAway(call, entry, params)
    return write(call, entry, params)
  }
  return answerResult(await runOperation(openReading(call, entry).client, entry.name, params))
}

async function postView(call: Call, entry: GatewayEntry, text: string): Promise<Response> {
  const key = unchangedReadKey(call, `${entry.name}\n${text}`)
  const kept = await findUnchanged(call, key)
  if (kept !== undefined) return answerBody(kept.body)
  const params = readParams(entry, parseBody(text))
  allow(call, entry, params)
  const { client, states } = openReading(call, entry)
  const body = await readBytes(call, entry, params, client)
  keepUnchanged(call, key, { body, etag: '', caching: 'no-store' }, states)
  return answerBody(body)
}

/** `GET /streamnet/v1/{operation}?...`. */
export async function getOperation(call: Call, name: string): Promise<Response> {
  const entry = requireEntry(name)
  if (!isReadable(entry)) {
    throw new GatewayError(
      'method_not_allowed',
      `Cannot run ${entry.name} with GET: it changes something, expected POST`,
    )
  }
  const unchanged = await findUnchanged(call, unchangedReadKey(call, call.request.url))
  if (unchanged !== undefined) return answerUnchanged(call, unchanged)
  const params = readParams(entry, readQuery(entry, call.url.searchParams))
  allow(call, entry, params)
  const reading = openReading(call, entry)
  if (entry.kind === 'local' || entry.name === 'wait_for_tx') {
    return answerResult(await runOperation(reading.client, entry.name, params))
  }
  return readKept(call, entry, params, reading)
}

function answerUnchanged({ request }: Call, kept: KeptAnswer): Response {
  const isKnown = matches(request.headers.get('if-none-match') ?? '', kept.etag)
  return answerKept(request, kept, isKnown ? 'revalidated' : 'hit')
}

/** Answers from what is kept where the answer can never change; otherwise in the light of the newest block. */
async function readKept(
  call: Call,
  entry: GatewayEntry,
  params: Params,
  reading: Reading,
): Promise<Response> {
  const { request, isolate } = call
  const place = immutableReadKey(call, entry, params)
  const kept = place === undefined ? undefined : await isolate.edge?.get(place)
  if (kept === undefined) return readAtBlock(call, entry, params, reading, place)
  isolate.answers.put(cachedReadKey(request), kept, Date.now() + cachedReadSeconds * 1000)
  return answerKept(request, kept, 'edge')
}

/**
 * Reads in the light of the newest block, whose hash is the ETag: nothing changes between two blocks. Of records
 * frozen at a height that is past, the answer is kept for a while besides, or for good when it can never change.
 *
 * @param place - the key of an immutable answer; undefined for one that may change.
 */
async function readAtBlock(
  call: Call,
  entry: GatewayEntry,
  params: Params,
  { client, states }: Reading,
  place: string | undefined,
): Promise<Response> {
  const { request, isolate } = call
  const chain = await client.request('user.chain_info', {})
  const isFrozen = typeof params.frozenAt === 'number' && params.frozenAt <= chain.block_height
  if (isFrozen && place !== undefined && (await isImmutableStream(client, params))) {
    return readForGood(call, entry, params, client, place)
  }
  const etag = `"${chain.block_hash.slice(0, 32)}"`
  const caching = isFrozen ? `private, max-age=${frozenFreshSeconds}` : 'private, no-cache'
  const key = cachedReadKey(request)
  const blockKey = `${etag}\n${key}`
  if (matches(request.headers.get('if-none-match') ?? '', etag)) {
    return answerKept(request, { body: new Uint8Array(), etag, caching }, 'revalidated')
  }
  const kept = isolate.answers.get(blockKey, Date.now())
  if (kept !== undefined) return answerKept(request, kept, 'hit')
  const body = await readBytes(call, entry, params, client)
  const answer = { body, etag, caching }
  // A browser may keep a frozen answer as long as the gateway does; any other is asked for again with its ETag.
  if (isFrozen || !keepUnchanged(call, unchangedReadKey(call, request.url), answer, states)) {
    isolate.answers.put(isFrozen ? key : blockKey, answer, Date.now() + frozenFreshSeconds * 1000)
  }
  return answerKept(request, answer, 'miss')
}

/** Reads what stays as it is; the ETag is made from the answer itself. */
async function readForGood(
  call: Call,
  entry: GatewayEntry,
  params: Params,
  client: Client,
  place: string,
): Promise<Response> {
  const { request, isolate, after } = call
  const body = await readBytes(call, entry, params, client)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body))
  const caching = 'private, max-age=31536000, immutable'
  const answer = { body, etag: `"${encodeHex(digest.subarray(0, 16))}"`, caching }
  isolate.answers.put(cachedReadKey(request), answer, Date.now() + cachedReadSeconds * 1000)
  if (isolate.edge !== undefined) after(isolate.edge.put(place, answer, cachedReadSeconds))
  return answerKept(request, answer, 'miss')
}

async function readBytes(
  call: Call,
  entry: GatewayEntry,
  params: Params,
  client: Client,
): Promise<Uint8Array> {
  return new TextEncoder().encode(bodyOf(writeResult(await read(call, entry, params, client))))
}

/** Reads, once it is known that the token may read every stream from which the answer is computed. */
async function read(call: Call, entry: GatewayEntry, params: Params, client: Client): Promise<unknown> {
  const { streamId, dataProvider = call.isolate.signer?.address } = params
  if (isComputed(entry) && typeof streamId === 'string' && typeof dataProvider === 'string') {
    const stream = { streamId, dataProvider: parseAddress(dataProvider, 'data_provider') }
    await assertReadsConstituents(client, call.grant, stream)
  }
  return runOperation(client, entry.name, params)
}

function allow({ grant, isolate }: Call, entry: GatewayEntry, params: Params): readonly string[] {
  const areas = areasOf(entry, params, isolate.signer?.address)
  assertAllowed(grant, verbOf(entry), areas)
  const readBesides = areasReadBy(entry, params, isolate.signer?.address)
  if (readBesides.length > 0) assertAllowed(grant, 'read', readBesides)
  return areas
}

/** Checks that a token may read what a write lets others read, and everything that it is computed from. */
async function assertMayGiveAway(call: Call, entry: GatewayEntry, params: Params): Promise<void> {
  const areas = areasReadBy(entry, params, call.isolate.signer?.address)
  if (areas.length === 0) return
  await assertReadsEachWhole(openReading(call, entry).client, call.grant, areas)
}

/** A client for one request, and the states in which the embedded node has answered it. */
interface Reading {
  readonly client: Client
  readonly states: ReadonlySet<string>
}

/** Reads as the gateway's own address; the node does not learn who the caller claims to be. */
function openReading({ env, isolate, after }: Call, { name }: GatewayEntry): Reading {
  const budgetMs = name === 'wait_for_tx' ? maxWaitMs + readBudgetMs : readBudgetMs
  const states = new Set<string>()
  const client = createUpstreamClient(env, {
    signer: isolate.signer,
    budgetMs,
    onAnswer: (seconds, isAnswered) => reportUpstream(env, after, seconds, isAnswered),
    onState: (state) => void states.add(state),
  })
  return { client, states }
}
