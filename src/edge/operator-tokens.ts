/** Tokens of operators: one for all surfaces, or for a few of them, or for reading only. */

import { VariableError } from '../base/errors.ts'
import { isRecord, parseJsonList } from '../base/json.ts'
import { nearest } from '../base/nearest.ts'

/** Areas of scopes: the surfaces, and the metrics of all of them in one scrape. */
export const operatorAreas = ['grid', 'ratelimit', 'gateway', 'node', 'metrics'] as const

/** One of them. */
export type OperatorArea = (typeof operatorAreas)[number]

/** Area of a scope; `*` is every area. */
export interface OperatorScope {
  readonly area: OperatorArea | '*'
  /** True when it covers requests that only read. */
  readonly isReadOnly: boolean
}

/** One entry of SLUICE_TOKENS. The token itself is not kept. */
export interface OperatorToken {
  /** Name of the token in logs. */
  readonly name: string
  /** SHA-256 of the token's UTF-8 octets, as 64 lower-case hex digits; or the token, hashed at first use. */
  readonly secret: { readonly sha256: string } | { readonly token: string }
  readonly scopes: readonly OperatorScope[]
}

/** The most entries of SLUICE_TOKENS: each request with a token is compared with all of them. */
export const maxOperatorTokens = 100

const form = '[{"name":"...","sha256":"...","scopes":["*"]}]'

/**
 * Reads SLUICE_TOKENS: a JSON list of `{"name", "token" or "sha256", "scopes"}`. A scope is `*` or an area, with
 * `:read` behind it for requests that only read.
 *
 * @throws VariableError invalid_settings; the message names the entry and never repeats a token.
 */
export function parseOperatorTokens(text: string): readonly OperatorToken[] {
  if (text === '') return []
  const list = parseJsonList(text, invalid)
  if (list.length > maxOperatorTokens)
    throw invalid(`it has ${list.length} entries, expected at most ${maxOperatorTokens}`)
  const tokens = list.map(parseToken)
  assertDistinct(
    tokens.map(({ name }) => name),
    'name',
  )
  assertDistinct(
    tokens.map(({ secret }) => JSON.stringify(secret)),
    'token',
  )
  return tokens
}

/** Tells whether scopes allow a request. */
export function isOperatorAllowed(
  scopes: readonly OperatorScope[],
  area: OperatorArea,
  { isReading }: { readonly isReading: boolean },
): boolean {
  return scopes.some((scope) => (scope.area === '*' || scope.area === area) && (isReading || !scope.isReadOnly))
}

function parseToken(entry: unknown, index: number): OperatorToken {
  const { name, token, sha256, scopes } = isRecord(entry) ? entry : {}
  if (typeof name !== 'string' || !/^[\w.@-]{1,64}$/.test(name)) {
    throw invalid(`[${index}].name is missing or unusable, expected 1 to 64 letters, digits or ._@-`)
  }
  if (!Array.isArray(scopes) || scopes.length === 0) throw invalid(`[${index}].scopes is missing`)
  return {
    name,
    secret: parseSecret(token, sha256, index),
    scopes: scopes.map((scope) => parseScope(scope, index)),
  }
}

function parseSecret(token: unknown, sha256: unknown, index: number): OperatorToken['secret'] {
  if ((token === undefined) === (sha256 === undefined)) {
    throw invalid(`[${index}] needs exactly one of "token" and "sha256"`)
  }
  if (sha256 !== undefined) {
    if (typeof sha256 === 'string' && /^[0-9a-f]{64}$/i.test(sha256)) return { sha256: sha256.toLowerCase() }
    throw invalid(`[${index}].sha256 is not a hash, expected 64 hex digits`)
  }
  // Shorter ones can be guessed.
  if (typeof token === 'string' && /^\S{16,512}$/.test(token)) return { token }
  throw invalid(`[${index}].token is short or has spaces, expected 16 to 512 characters without spaces`)
}

function parseScope(scope: unknown, index: number): OperatorScope {
  const [area = '', ...rest] = typeof scope === 'string' ? scope.split(':') : []
  const isReadOnly = rest.length === 1 && rest[0] === 'read'
  const known = ['*', ...operatorAreas] as const
  const found = known.find((one) => one === area)
  if (found !== undefined && (isReadOnly || rest.length === 0)) return { area: found, isReadOnly }
  const near = nearest(area, known)
  const perhaps = near === undefined || near === area ? '' : `, perhaps ${near}`
  throw invalid(
    `[${index}].scopes holds ${JSON.stringify(String(scope).slice(0, 40))}, expected ${known.join(', ')}, perhaps with :read${perhaps}`,
  )
}

function assertDistinct(values: readonly string[], what: 'name' | 'token'): void {
  const at = values.findIndex((value, index) => values.indexOf(value) !== index)
  if (at >= 0) throw invalid(`[${at}] has the ${what} of another entry`)
}

function invalid(state: string): VariableError {
  return new VariableError(`Cannot use SLUICE_TOKENS: ${state}, expected ${form}`)
}
