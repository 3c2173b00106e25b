/** Settings that are a JSON list of named tokens: the parts of an entry that all of them have. */

import type { VariableError } from './errors.ts'
import { isRecord, parseJsonList } from './json.ts'

/** An entry of such a list. The token itself is not kept where its hash is given. */
export interface NamedToken {
  readonly name: string
  /** SHA-256 of the token's UTF-8 octets, as 64 lower-case hex digits; or the token, hashed at first use. */
  readonly secret: { readonly sha256: string } | { readonly token: string }
}

/** The most entries of a list: each request with a token is compared with all of them. */
export const maxNamedTokens = 100

/**
 * Reads a JSON list of `{"name", "token" or "sha256"}` with further members; an empty text is an empty list.
 *
 * @param invalid - makes the error of a mistake, which never repeats a token.
 * @param readMore - reads the further members of an entry.
 * @throws VariableError invalid_settings when an entry is wrong; the message names it.
 */
export function parseNamedTokens<More>(
  text: string,
  invalid: (state: string) => VariableError,
  readMore: (entry: Readonly<Record<string, unknown>>, index: number) => More,
): readonly (NamedToken & More)[] {
  if (text === '') return []
  const list = parseJsonList(text, invalid)
  if (list.length > maxNamedTokens) {
    throw invalid(`it has ${list.length} entries, expected at most ${maxNamedTokens}`)
  }
  const tokens = list.map((entry, index) => {
    const members = isRecord(entry) ? entry : {}
    return { ...parseToken(members, index, invalid), ...readMore(members, index) }
  })
  const names = tokens.map(({ name }) => name)
  assertDistinct(names, 'name', invalid)
  const secrets = tokens.map(({ secret }) => JSON.stringify(secret))
  assertDistinct(secrets, 'token', invalid)
  return tokens
}

function parseToken(
  { name, token, sha256 }: Readonly<Record<string, unknown>>,
  index: number,
  invalid: (state: string) => VariableError,
): NamedToken {
  if (typeof name !== 'string' || !/^[\w.@-]{1,64}$/.test(name)) {
    throw invalid(`[${index}].name is missing or unusable, expected 1 to 64 letters, digits or ._@-`)
  }
  if ((token === undefined) === (sha256 === undefined)) {
    throw invalid(`[${index}] needs exactly one of "token" and "sha256"`)
  }
  if (sha256 !== undefined) {
    if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/i.test(sha256)) {
      throw invalid(`[${index}].sha256 is not a hash, expected 64 hex digits`)
    }
    return { name, secret: { sha256: sha256.toLowerCase() } }
  }
  // Shorter ones can be guessed.
  if (typeof token === 'string' && /^\S{16,512}$/.test(token)) return { name, secret: { token } }
  throw invalid(`[${index}].token is short or has spaces, expected 16 to 512 characters without spaces`)
}

function assertDistinct(
  values: readonly string[],
  what: 'name' | 'token',
  invalid: (state: string) => VariableError,
): void {
  const at = values.findIndex((value, index) => values.indexOf(value) !== index)
  if (at >= 0) throw invalid(`[${at}] has the ${what} of another entry`)
}
