/** Callers: bearer tokens, each with the scopes it was given. */

import { isRecord, parseJsonList } from '../base/json.ts'
import { isStreamId, parseAddress } from '../streamnet/index.ts'
import { GatewayError } from './errors.ts'

/** The right that a scope gives. */
export type Verb = 'read' | 'write'

/** The extent of a scope: `*`, a namespace (an address or `system`), or a stream as `<address>/<stream id>`. */
export type Area = string

/** A right of a token: a verb, and the area in which it holds. */
export interface Scope {
  readonly verb: Verb
  readonly area: Area
  /** True when the values of a composed stream may be read with any constituents. */
  readonly isComposed?: true
}

/** A token with its rights. */
export interface Grant {
  /** The name of the token in logs; the token itself is never written anywhere. */
  readonly name: string
  readonly token: string
  readonly scopes: readonly Scope[]
}

/** A token for everything. */
export function fullGrant(token: string): Grant {
  const scopes = [
    { verb: 'read', area: '*' },
    { verb: 'write', area: '*' },
  ] as const
  return { name: fullName, token, scopes }
}

/**
 * The grant of an operator of all surfaces, whose token was recognised before.
 *
 * @param name - of its entry; shown with `operator:` before it, so that it is not taken for a grant of the gateway's
 * own tokens, to whose names idempotency keys belong.
 */
export function makeOperatorGrant(name: string, { isReadOnly }: { readonly isReadOnly: boolean }): Grant {
  const scopes = fullGrant('').scopes.filter(({ verb }) => !isReadOnly || verb === 'read')
  return { name: `${operatorPrefix}${name}`, token: '', scopes }
}

const operatorPrefix = 'operator:'
const fullName = 'full'

/**
 * Reads the further tokens of a deployment: a JSON list of `{"name", "token", "scopes"}`, a scope being
 * `read` or `write`, without or with an area behind a colon. invalid_settings names a malformed entry, never its token.
 */
export function parseGrants(text: string): readonly Grant[] {
  return parseJsonList(text, invalid).map(parseGrant)
}

/**
 * Checks that no two grants share a name or a token: a caller's idempotency keys belong to the name of its token, and
 * of two grants with one token only the first would count. invalid_settings has the name, never the token.
 */
export function assertDistinct(grants: readonly Grant[]): void {
  const [names, tokens] = [new Set<string>(), new Set<string>()]
  for (const { name, token } of grants) {
    if (names.has(name)) {
      const other = name === fullName ? `; "${fullName}" is the name of STREAMNET_TOKEN` : ''
      throw invalid(`the name "${name}" is used twice, expected a different name for each token${other}`)
    }
    if (tokens.has(token)) throw invalid(`"${name}" has the token of another entry`)
    names.add(name)
    tokens.add(token)
  }
}

function parseGrant(entry: unknown, index: number): Grant {
  const { name, token, scopes } = isRecord(entry) ? entry : {}
  if (typeof name !== 'string' || name === '') throw invalid(`[${index}].name is missing`)
  // Idempotency keys belong to a name, and tokens of SLUICE_TOKENS have these.
  if (name.startsWith(operatorPrefix)) {
    throw invalid(`[${index}].name begins with "${operatorPrefix}", which is for the names of SLUICE_TOKENS`)
  }
  // Shorter ones can be guessed.
  if (typeof token !== 'string' || !/^\S{16,}$/.test(token)) {
    throw invalid(`[${index}].token is missing or short, expected at least 16 characters without spaces`)
  }
  if (!Array.isArray(scopes) || scopes.length === 0) throw invalid(`[${index}].scopes is missing`)
  const setting = 'STREAMNET_TOKENS'
  return { name, token, scopes: scopes.map((scope) => parseScope(scope, setting, `[${index}].scopes`)) }
}

/** Reads areas, each as a scope to read it; invalid_settings, with the setting's name, for a malformed one. */
export function parseReadScopes(areas: readonly string[], setting: string): readonly Scope[] {
  return areas.map((area) => parseScope(`read:${area}`, setting, 'it'))
}

function parseScope(text: unknown, setting: string, where: string): Scope {
  const malformed = `${where} holds something else than read or write, on its own or with :<area>, or read:<address>/<stream id>${composed}`
  const [, verb, area = '*'] = /^(read|write)(?::(.+))?$/.exec(typeof text === 'string' ? text : '') ?? []
  if (verb !== 'read' && verb !== 'write') throw unusable(setting, malformed)
  if (verb === 'read' && area.endsWith(composed)) {
    const stream = parseArea(area.slice(0, -composed.length))
    if (stream?.includes('/')) return { verb, area: stream, isComposed: true }
    throw unusable(setting, malformed)
  }
  const parsed = parseArea(area)
  if (parsed !== undefined) return { verb, area: parsed }
  throw unusable(setting, `${where} holds the area "${area}", expected <address>, <address>/<stream id> or system`)
}

/** The end of a scope that covers a composed stream with everything it is computed from. */
const composed = '/composed'

function parseArea(area: string): Area | undefined {
  if (area === '*' || area === 'system') return area
  const [namespace = '', streamId, ...rest] = area.split('/')
  try {
    const address = parseAddress(namespace)
    if (streamId === undefined) return address
    return rest.length === 0 && isStreamId(streamId) ? `${address}/${streamId}` : undefined
  } catch {
    return undefined
  }
}

function invalid(state: string): GatewayError {
  return unusable('STREAMNET_TOKENS', `${state}, expected [{"name":"...","token":"...","scopes":["read"]}]`)
}

function unusable(setting: string, state: string): GatewayError {
  return new GatewayError('invalid_settings', `Cannot use ${setting}: ${state}`)
}
