/** Tokens of operators: one for all surfaces, or for a few of them, or for reading only. */

import { VariableError } from '../base/errors.ts'
import { type NamedToken, parseNamedTokens } from '../base/named-tokens.ts'
import { nearest } from '../base/nearest.ts'

/** Areas of scopes: the surfaces, and the metrics of all of them in one scrape. */
export const operatorAreas = ['grid', 'ratelimit', 'gateway', 'node', 'metrics'] as const

/** The area of a scope. */
export type OperatorArea = (typeof operatorAreas)[number]

/** Area of a scope; `*` is every area. */
export interface OperatorScope {
  readonly area: OperatorArea | '*'
  /** True when it covers requests that only read. */
  readonly isReadOnly: boolean
}

/** One entry of SLUICE_TOKENS. */
export interface OperatorToken extends NamedToken {
  readonly scopes: readonly OperatorScope[]
}

const form = '[{"name":"...","sha256":"...","scopes":["*"]}]'

/**
 * Reads SLUICE_TOKENS: a JSON list of `{"name", "token" or "sha256", "scopes"}`. A scope is `*` or an area, with
 * `:read` behind it for requests that only read.
 *
 * @throws VariableError invalid_settings; the message names the entry and never repeats a token.
 */
export function parseOperatorTokens(text: string): readonly OperatorToken[] {
  return parseNamedTokens(text, invalid, ({ scopes }, index) => {
    if (!Array.isArray(scopes) || scopes.length === 0) throw invalid(`[${index}].scopes is missing`)
    return { scopes: scopes.map((scope) => parseScope(scope, index)) }
  })
}

/** Tells whether scopes allow a request. */
export function isOperatorAllowed(
  scopes: readonly OperatorScope[],
  area: OperatorArea,
  { isReading }: { readonly isReading: boolean },
): boolean {
  return scopes.some((scope) => (scope.area === '*' || scope.area === area) && (isReading || !scope.isReadOnly))
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

function invalid(state: string): VariableError {
  return new VariableError(`Cannot use SLUICE_TOKENS: ${state}, expected ${form}`)
}
