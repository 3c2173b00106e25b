/** Finds the operator of a request, by SLUICE_TOKENS. */

import { encodeHex } from '#base/hex.ts'
import { encodeUtf8 } from '#base/utf8.ts'
import type { OperatorToken } from '#edge/operator-tokens.ts'
import { isSameText, presentedToken } from './bearer.ts'
import type { Operator } from './request-context.ts'

/** The token of a request, and whose it is. */
export interface Presented {
  /** SHA-256 of the token, as hex digits. */
  readonly sha256: string
  /** Undefined for a token that SLUICE_TOKENS does not have. */
  readonly operator: Operator | undefined
}

/**
 * Hashes the token of a request and compares it with those of operators, with all of them and each in constant time.
 *
 * @returns undefined for a request without a token.
 */
export async function identify(request: Request, tokens: readonly OperatorToken[]): Promise<Presented | undefined> {
  const token = presentedToken(request)
  if (token === undefined) return undefined
  const digest = await crypto.subtle.digest('SHA-256', encodeUtf8(token))
  const sha256 = encodeHex(new Uint8Array(digest))
  const [operator] = tokens.filter(({ secret }) =>
    'sha256' in secret ? isSameText(sha256, secret.sha256) : isSameText(token, secret.token),
  )
  return { sha256, operator }
}
