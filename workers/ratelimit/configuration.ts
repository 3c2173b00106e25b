/** `/config`: the configuration as JSON, for operators: list, fetch, check, put, remove and roll back. */

import type { RatelimitEnv } from '../../durable-objects/env.ts'
import type { Outcome } from '../../durable-objects/rule-book.ts'
import { nearest } from '../../src/base/nearest.ts'
import { type Mistake, mistakeText } from '../../src/ratelimit/config/compile.ts'
import type { ConfigFile } from '../../src/ratelimit/config/document.ts'
import { RatelimitError } from '../../src/ratelimit/errors.ts'
import type { Logger } from '../../src/ratelimit/logger.ts'
import { serviceStats } from '../../src/ratelimit/stat-names.ts'
import { isolateOf } from '../adapters/isolate.ts'
import { refreshRules, ruleBook, runningRules } from '../adapters/rule-book-cache.ts'
import { statSink } from '../adapters/stat-sink.ts'
import { readText } from '../http/body.ts'
import { statOptions } from './stat-options.ts'

/** Bytes of one configuration file; a row of the platform's database holds no more than twice that. */
const maxFileBytes = 1_000_000
/** Bytes of a whole set in one request; what the platform lets travel to an object in one call is 32 MiB. */
const maxSetBytes = 24_000_000
/** Characters of a file's key, which error texts repeat. */
const maxKeyLength = 512

/** What a handler is given. */
export interface Call {
  readonly request: Request
  readonly url: URL
  readonly env: RatelimitEnv
  readonly ctx: ExecutionContext
}

/** `GET /config`: revisions with time, who and what changed; the last refusal; what this isolate runs. */
export async function showStatus({ env }: Call): Promise<Response> {
  const status = await ruleBook(env).status()
  const { revision, ageMs } = runningRules()
  return Response.json({
    ...status,
    isolate: { revision, checkedMsAgo: Number.isFinite(ageMs) ? ageMs : null },
  })
}

/** `GET /config/revisions/{revision}`, and `GET /config/files` for the newest: every file with its text. */
export async function showFiles({ env }: Call, revision?: string): Promise<Response> {
  const snapshot = await ruleBook(env).snapshot(revision === undefined ? undefined : parseRevision(revision))
  if (snapshot === null) throw revisionNotFound(revision)
  return Response.json(snapshot)
}

/** `GET /config/files/{key}`: the text of one file of the newest revision. */
export async function showFile({ env }: Call, key: string): Promise<Response> {
  const snapshot = await ruleBook(env).snapshot()
  const file = snapshot?.files.find((candidate) => candidate.key === key)
  if (file === undefined) throw fileNotFound(key, snapshot?.files ?? [])
  return new Response(file.text, { headers: { 'content-type': 'application/yaml; charset=utf-8' } })
}

/**
 * `PUT /config/files`: replaces the whole set at once. With `If-None-Match: *` only when nothing was ever accepted;
 * otherwise the answer is 412 and nothing changes.
 */
export async function putFiles(call: Call): Promise<Response> {
  const files = await readFiles(call.request)
  if (call.request.headers.get('if-none-match')?.trim() !== '*') {
    return answer(call, await ruleBook(call.env).putAll(files, whoOf(call)))
  }
  const outcome = await ruleBook(call.env).seed(files, whoOf(call))
  return outcome === null
    ? Response.json(
        { error: { code: 'not_empty', message: 'Cannot seed: there is a configuration' } },
        { status: 412 },
      )
    : answer(call, outcome)
}

/** `PUT /config/files/{key}`: adds or replaces one file; the body is its text. */
export async function putFile(call: Call, key: string): Promise<Response> {
  const text = await textOf(call.request, maxFileBytes)
  const file = { key: parseKey(key), text }
  return answer(call, await ruleBook(call.env).putFile(file, whoOf(call)))
}

/** `DELETE /config/files/{key}`: removes one file. */
export async function removeFile(call: Call, key: string): Promise<Response> {
  const outcome = await ruleBook(call.env).removeFile(key, whoOf(call))
  if (outcome === null) throw fileNotFound(key, (await ruleBook(call.env).snapshot())?.files ?? [])
  return answer(call, outcome)
}

/** `POST /config/check`: compiles a whole set and compares it with the running one; changes nothing. */
export async function check(call: Call): Promise<Response> {
  return render(await ruleBook(call.env).check(await readFiles(call.request)))
}

/** `POST /config/rollback` with `{"revision": 7}`: a new revision with the files of a kept one. */
export async function rollBack(call: Call): Promise<Response> {
  const right = '{"revision": NUMBER}'
  const revision = memberOf(
    parseJson(await textOf(call.request, 1_000), right),
    'revision',
    'Cannot roll back',
    right,
  )
  if (typeof revision !== 'number' || !Number.isSafeInteger(revision)) {
    throw malformed(
      `Cannot roll back: revision is ${JSON.stringify(revision)?.slice(0, 40)}, expected ${right}`,
    )
  }
  const outcome = await ruleBook(call.env).rollBack(revision, whoOf(call))
  if (outcome === null) throw revisionNotFound(String(revision))
  return answer(call, outcome)
}

/** Counts what became of a change, brings this isolate to it, and renders it. */
async function answer({ env, ctx }: Call, outcome: Outcome): Promise<Response> {
  const isolate = isolateOf(env)
  const name = outcome.isAccepted ? serviceStats.configLoadSuccess : serviceStats.configLoadError
  statSink(env, ctx, statOptions(isolate)).record([{ name, delta: 1 }])
  logOutcome(isolate.logger, outcome)
  if (outcome.isAccepted) await refreshRules(env, isolate.settings)
  return render(outcome)
}

/** The reference's words, so that what watches its logs goes on working. */
function logOutcome(logger: Logger, outcome: Outcome): void {
  if (outcome.isAccepted) logger.info('Successfully loaded new configuration', { revision: outcome.revision })
  else logger.error(`Error loading new configuration: ${firstMistake(outcome.mistakes)}`)
}

function render(outcome: Outcome): Response {
  if (outcome.isAccepted) return Response.json({ revision: outcome.revision, changes: outcome.changes })
  const { mistakes } = outcome
  return Response.json(
    { error: { code: 'invalid_rules', message: firstMistake(mistakes), hint: mistakes[0]?.hint, mistakes } },
    { status: 422 },
  )
}

function firstMistake([first]: readonly Mistake[]): string {
  return first === undefined ? 'Cannot compile rules' : mistakeText(first)
}

/** Who asks for a change, as they say of themselves: the `From` header (RFC 9110, 10.1.2). */
export function whoOf({ request }: Call): string {
  return request.headers.get('from')?.slice(0, 200) ?? 'operator'
}

async function readFiles(request: Request): Promise<readonly ConfigFile[]> {
  const right = '{"files": {KEY: TEXT}}'
  const body = parseJson(
    await textOf(request, maxSetBytes),
    `${right}; one file as it is goes to PUT /config/files/KEY`,
  )
  const files = memberOf(body, 'files', 'Cannot read files', right)
  if (!isRecord(files)) throw malformed(`Cannot read files: files is not an object, expected ${right}`)
  return Object.entries(files).map(([key, text]) => {
    if (typeof text !== 'string')
      throw malformed(`Cannot read files: ${JSON.stringify(key)} is not text, expected ${right}`)
    if (text.length > maxFileBytes) throw tooLarge(maxFileBytes)
    return { key: parseKey(key), text }
  })
}

/** Reads a body of an operator, or throws what is wrong with it. */
export async function textOf(request: Request, maxBytes: number): Promise<string> {
  const body = await readText(request, maxBytes)
  if ('text' in body) return body.text
  throw body.fault === 'too_large' ? tooLarge(maxBytes) : malformed('Cannot read the body: it is not UTF-8')
}

function parseJson(text: string, right: string): unknown {
  if (text.trim() === '') throw malformed(`Cannot read the body: it is empty, expected ${right}`)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw malformed(`Cannot read the body: it is not JSON, expected ${right}`, error)
  }
}

/** The one member of a body; any other is a mistake. */
function memberOf(body: unknown, name: string, action: string, right: string): unknown {
  if (!isRecord(body)) throw malformed(`${action}: the body is not an object, expected ${right}`)
  const other = Object.keys(body).find((key) => key !== name)
  const shown = JSON.stringify(other?.slice(0, 40))
  if (other !== undefined)
    throw malformed(`${action}: the body has an unknown member ${shown}, expected ${right}`)
  if (!Object.hasOwn(body, name)) throw malformed(`${action}: the body has no ${name}, expected ${right}`)
  return body[name]
}

function parseKey(key: string): string {
  if (
    key !== '' &&
    key.length <= maxKeyLength &&
    [...key].every((character) => character >= ' ' && character !== '/')
  )
    return key
  throw malformed(
    `Cannot read files: the key ${JSON.stringify(key.slice(0, 80))} is not a runtime key, expected 1 to ${maxKeyLength} characters without "/", such as "config.shop.yaml"`,
  )
}

function parseRevision(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new RatelimitError('malformed_request', `Cannot find a revision: "${text}" is not a number`, {
    hint: 'GET /config/files has the newest',
  })
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function malformed(message: string, cause?: unknown): RatelimitError {
  return new RatelimitError('malformed_request', message, { cause })
}

function tooLarge(maxBytes: number): RatelimitError {
  return new RatelimitError('request_too_large', `Cannot read the body: it is longer than ${maxBytes} bytes`)
}

function revisionNotFound(revision = 'newest'): RatelimitError {
  return new RatelimitError('revision_not_found', `Cannot find revision ${revision}: it is not kept`, {
    hint: 'GET /config lists the revisions that are',
  })
}

function fileNotFound(key: string, files: readonly ConfigFile[]): RatelimitError {
  const keys = files.map((file) => file.key)
  const near = nearest(key, keys)
  const some = `it has ${keys.slice(0, 5).join(', ')}${keys.length > 5 ? ` and ${keys.length - 5} more` : ''}`
  const hint = near !== undefined ? `did you mean "${near}"?` : keys.length === 0 ? 'it has no files' : some
  return new RatelimitError(
    'revision_not_found',
    `Cannot find ${JSON.stringify(key.slice(0, 80))}: the newest revision has no such file`,
    { hint },
  )
}
