/** Finds the token of a request among the named tokens of a setting. */

import { encodeHex } from '#base/hex.ts'
import type { NamedToken } from '#base/named-tokens.ts'
import { encodeUtf8 } from '#base/utf8.ts'
import { isSameText, presentedToken } from './bearer.ts'

/** The token of a request, and the entry of the setting that it belongs to. */
export interface Presented<Owner extends NamedToken> {
  /** SHA-256 of the token, as hex digits. */
  readonly sha256: string
  /** Undefined for a token that the setting does not have. */
  readonly owner: Owner | undefined
}

/** Compares the hash of a request's token with all of a setting in constant time; undefined without a token. */
export async function identify<Owner extends NamedToken>(
  request: Request,
  tokens: readonly Owner[],
): Promise<Presented<Owner> | undefined> {
  const token = presentedToken(request)
  if (token === undefined) return undefined
  const digest = await crypto.subtle.digest('SHA-256', encodeUtf8(token))
  const sha256 = encodeHex(new Uint8Array(digest))
  const [owner] = tokens.filter(({ secret }) =>
    'sha256' in secret ? isSameText(sha256, secret.sha256) : isSameText(token, secret.token),
  )
  return { sha256, owner }
}
