/** `/config`: the configuration as JSON, for operators: list, fetch, check, put, remove and roll back. */

import type { Logger } from '#base/logger.ts'
import { nearest } from '#base/nearest.ts'
import type { Outcome } from '#objects/ratelimit/rule-book.ts'
import { type ConfigFile, mistakeText } from '#ratelimit/config/compile.ts'
import type { BoundMistakes } from '#ratelimit/config/mistake-bounds.ts'
import type { Mistake } from '#ratelimit/contract/configuration.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import { serviceStats } from '#ratelimit/statistics/names.ts'
import { openIsolate } from './adapters/isolate.ts'
import { refreshRules, ruleBook, runningRules } from './adapters/rule-book-cache.ts'
import { statSink } from './adapters/stat-sink.ts'
import { fileBytes, parseKey, readBody, readFiles, readRevision } from './bodies.ts'
import type { Call } from './call.ts'

/** `GET /config`: revisions with time, who and what changed; the last refusal; what this isolate runs. */
export async function showStatus({ env }: Call): Promise<Response> {
  const status = await ruleBook(env).status()
  const { revision, ageMs } = runningRules()
  return Response.json({ ...status, isolate: { revision, checkedMsAgo: Number.isFinite(ageMs) ? ageMs : null } })
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

/** `PUT /config/files`: replaces the whole set, with `If-None-Match: *` only a first one (else 412). */
export async function putFiles(call: Call): Promise<Response> {
  const files = await readFiles(call.request)
  if (call.request.headers.get('if-none-match')?.trim() !== '*') {
    return answer(call, await ruleBook(call.env).putAll(files, readAuthor(call)))
  }
  const outcome = await ruleBook(call.env).seed(files, readAuthor(call))
  return outcome === null
    ? Response.json({ error: { code: 'not_empty', message: 'Cannot seed: there is a configuration' } }, { status: 412 })
    : answer(call, outcome)
}

/** `PUT /config/files/{key}`: adds or replaces one file; the body is its text. */
export async function putFile(call: Call, key: string): Promise<Response> {
  const text = await readBody(call.request, fileBytes)
  const file = { key: parseKey(key), text }
  return answer(call, await ruleBook(call.env).putFile(file, readAuthor(call)))
}

/** `DELETE /config/files/{key}`: removes one file. */
export async function removeFile(call: Call, key: string): Promise<Response> {
  const outcome = await ruleBook(call.env).removeFile(key, readAuthor(call))
  if (outcome === null) throw fileNotFound(key, (await ruleBook(call.env).snapshot())?.files ?? [])
  return answer(call, outcome)
}

/** `POST /config/check`: compiles a whole set and compares it with the running one; changes nothing. */
export async function check(call: Call): Promise<Response> {
  return render(await ruleBook(call.env).check(await readFiles(call.request)))
}

/** `POST /config/rollback` with `{"revision": 7}`: a new revision with the files of a kept one. */
export async function rollBack(call: Call): Promise<Response> {
  const revision = await readRevision(call.request)
  const outcome = await ruleBook(call.env).rollBack(revision, readAuthor(call))
  if (outcome === null) throw revisionNotFound(String(revision))
  return answer(call, outcome)
}

async function answer({ env, ctx }: Call, outcome: Outcome): Promise<Response> {
  const isolate = openIsolate(env)
  const name = outcome.isAccepted ? serviceStats.configLoadSuccess : serviceStats.configLoadError
  statSink(env, ctx, isolate.settings).record([{ name, delta: 1 }])
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
  return invalidRules(outcome)
}

/** The answer to files with mistakes. */
export function invalidRules({ mistakes, leftOut }: BoundMistakes): Response {
  const hint = mistakes[0]?.hint
  return Response.json(
    { error: { code: 'invalid_rules', message: firstMistake(mistakes), hint, mistakes, leftOut } },
    { status: 422 },
  )
}

function firstMistake([first]: readonly Mistake[]): string {
  return first === undefined ? 'Cannot compile rules' : mistakeText(first)
}

/** Reads the author of a change from the `From` header (RFC 9110, 10.1.2). */
export function readAuthor({ request }: Call): string {
  return request.headers.get('from')?.slice(0, 200) ?? 'operator'
}

function parseRevision(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new RatelimitError('malformed_request', `Cannot find a revision: "${text}" is not a number`, {
    hint: 'GET /config/files has the newest',
  })
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
