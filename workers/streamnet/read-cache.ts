/** Answers of reads, given again for as long as they hold: each is stored with its term. */

import { encodeHex } from '#base/hex.ts'
import type { StreamnetEnv } from '#objects/streamnet/env.ts'
import { readNodeState } from '#objects/streamnet/upstream.ts'
import type { Client } from '#streamnet/index.ts'
import type { StoredAnswer, Term } from './adapters/answer-cache.ts'
import { findGatewayState } from './adapters/gateway-state.ts'
import { reportUpstream } from './adapters/gateway-stats.ts'
import { jsonHeaders } from './answers.ts'
import type { Call } from './call.ts'
import { questionKey, type ReadKey } from './read-key.ts'

/** The place that an answer came from, as `x-cache` says it. */
type Source = 'hit' | 'edge' | 'miss' | 'revalidated'

/** An answer on its way to the caller. */
interface ServedAnswer extends StoredAnswer {
  readonly source: Source
}

/** The seconds for which the isolate stores an answer. */
const storedSeconds: Readonly<Record<Term, number>> = { permanent: 3600, minute: 60, block: 60, state: 3600 }

/** The Cache-Control of each term: a browser may keep the answer as long, or asks again with the ETag. */
const cacheControl: Readonly<Record<Term, string>> = {
  permanent: 'private, max-age=31536000, immutable',
  minute: 'private, max-age=60',
  block: 'private, no-cache',
  state: 'private, no-cache',
}

/** Reads through a client, and collects the states in which the embedded node answered it. */
export interface Reading {
  readonly client: Client
  /** The states in which the embedded node answered a question of the client; empty for another node. */
  readonly states: ReadonlySet<string>
  /** Reads the answer itself. */
  read(): Promise<Uint8Array>
}

/** Answers a GET that holds by itself, before anything is parsed; undefined for every other request. */
export function answerFresh(request: Request, env: StreamnetEnv): Response | undefined {
  if (request.method !== 'GET') return undefined
  const stored = findGatewayState(env)?.answers.get(questionKey(request), Date.now())
  if (stored?.term !== 'minute' && stored?.term !== 'permanent') return undefined
  return answerStored(request, { ...stored, source: 'hit' })
}

/** Finds an answer that holds while the embedded node is in one state, which it is asked; nothing is checked again. */
export async function findUnchanged(
  { env, isolate, after, request }: Call,
  key: string,
): Promise<ServedAnswer | undefined> {
  const stored = isolate.answers.get(key, Date.now())
  if (stored?.state === undefined) return undefined
  const startMs = Date.now()
  const state = await readNodeState(env)
  reportUpstream(env, after, (Date.now() - startMs) / 1000, state !== undefined)
  if (state !== stored.state) return undefined
  return { ...stored, source: hasTag(request, stored.etag) ? 'revalidated' : 'hit' }
}

/**
 * Gives the answer of a GET from the first place where it holds: the platform's cache, the caller's own copy, the
 * isolate, the node. Nothing changes between two blocks, so the newest block's hash is its ETag; a permanent answer has
 * one made from its octets.
 */
export async function readThrough(call: Call, key: ReadKey, reading: Reading): Promise<ServedAnswer> {
  const { request, isolate } = call
  const shared = key.shared === undefined ? undefined : await isolate.edge?.get(key.shared)
  if (shared !== undefined) return { ...store(call, key.text, shared), source: 'edge' }
  const { block_height: height, block_hash: hash } = await reading.client.request('user.chain_info', {})
  const term = await key.term(height, reading.client)
  if (term === 'permanent') return { ...(await readPermanent(call, key, reading)), source: 'miss' }
  const etag = `"${hash.slice(0, 32)}"`
  if (hasTag(request, etag)) return { body: new Uint8Array(), etag, term, source: 'revalidated' }
  const stored = isolate.answers.get(key.text, Date.now())
  if (stored?.term === 'block' && stored.etag === etag) return { ...stored, source: 'hit' }
  const answer = { body: await reading.read(), etag, term }
  return { ...store(call, key.text, term === 'block' ? withState(answer, reading) : answer), source: 'miss' }
}

/** Stores the answer of a POST, which has no ETag, for as long as the embedded node stays as it is. */
export function storeUnchanged(call: Call, key: string, body: Uint8Array, reading: Reading): void {
  const answer = withState({ body, etag: '', term: 'block' }, reading)
  if (answer.state !== undefined) store(call, key, answer)
}

/** A stored answer as a response, or 304 when the caller has it already. */
export function answerStored(request: Request, { body, etag, term, source }: ServedAnswer): Response {
  const headers = { ...jsonHeaders, etag, 'cache-control': cacheControl[term], 'x-cache': source }
  return hasTag(request, etag) ? new Response(null, { status: 304, headers }) : new Response(body, { headers })
}

async function readPermanent(call: Call, { text, shared }: ReadKey, reading: Reading): Promise<StoredAnswer> {
  const body = await reading.read()
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body))
  const answer: StoredAnswer = { body, etag: `"${encodeHex(digest.subarray(0, 16))}"`, term: 'permanent' }
  const { edge } = call.isolate
  if (edge && shared) call.after(edge.put(shared, answer, storedSeconds.permanent))
  return store(call, text, answer)
}

/** Binds an answer to the state of the embedded node in which it was read; read in several states it is not bound. */
function withState(answer: StoredAnswer, { states }: Reading): StoredAnswer {
  const [state] = states
  return states.size === 1 && state ? { ...answer, term: 'state', state } : answer
}

function store({ isolate }: Call, key: string, answer: StoredAnswer): StoredAnswer {
  isolate.answers.put(key, answer, Date.now() + storedSeconds[answer.term] * 1000)
  return answer
}

/** Tells whether a caller has an answer already, because If-None-Match names its tag. */
function hasTag({ headers }: Request, etag: string): boolean {
  const tags = headers.get('if-none-match')?.split(',') ?? []
  return tags.some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
