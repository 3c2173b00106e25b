/** The tokens of this tab: kept until it closes, sent by header, never part of an address. */

import { signal } from '@preact/signals'

/** A service that has a token. */
export type Surface = 'ratelimit' | 'grid' | 'streamnet'

/** The tokens that are known. */
export type Tokens = Partial<Readonly<Record<Surface, string>>>

/** Under which name a deployment keeps the token of each service. */
export const tokenNames: Readonly<Record<Surface, string>> = {
  ratelimit: 'ADMIN_TOKEN',
  grid: 'GRID_TOKEN',
  streamnet: 'STREAMNET_TOKEN',
}

const storageKey = 'sluice-tokens'
const operatorKey = 'sluice-operator-token'

/** The tokens of this tab; components that read the value follow it. */
export const tokens = signal<Tokens>(readStored())

/** The token of the development node's operator; empty when it was not given. */
export const operatorToken = signal(sessionStorage.getItem(operatorKey) ?? '')

/** Keeps the operator's token, or forgets it when it is empty. */
export function setOperatorToken(token: string): void {
  operatorToken.value = token.trim()
  sessionStorage.setItem(operatorKey, operatorToken.value)
}

/** Which services refused their token last, so that the token box can say so. */
export const refused = signal<ReadonlySet<Surface>>(new Set())

/** Keeps a token, or forgets it when it is empty. */
export function setToken(surface: Surface, token: string): void {
  keep({ ...tokens.peek(), [surface]: token.trim() })
}

/** Remembers whether a service refused its token. */
export function markRefused(surface: Surface, isRefused: boolean): void {
  if (refused.peek().has(surface) === isRefused) return
  const others = [...refused.peek()].filter((one) => one !== surface)
  refused.value = new Set(isRefused ? [...others, surface] : others)
}

/**
 * Exchanges the one-time code of the link that `npm start` prints, if the address has one.
 *
 * The code is in the fragment, which browsers send to no server; it leaves the address before anything else happens.
 *
 * @returns a sentence for the person when the exchange failed; null otherwise.
 */
export async function signInByLink(): Promise<string | null> {
  const code = /^#signin=([\w-]+)$/.exec(location.hash)?.[1]
  if (code === undefined) return null
  history.replaceState(null, '', location.pathname + location.search)
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ code })
  const response = await fetch('/console/session', { method: 'POST', headers, body }).catch(() => null)
  if (response === null || !response.ok) {
    return 'Cannot sign in: the link was used already or is older than ten minutes; "npm start" prints a new one, or give the tokens with the button "Tokens"'
  }
  const given: Readonly<Record<string, string>> = await response.json()
  const { ADMIN_TOKEN, GRID_TOKEN, STREAMNET_TOKEN, STREAMNET_ADMIN_TOKEN } = given
  keep({ ratelimit: ADMIN_TOKEN ?? '', grid: GRID_TOKEN ?? '', streamnet: STREAMNET_TOKEN ?? '' })
  setOperatorToken(STREAMNET_ADMIN_TOKEN ?? '')
  return null
}

function keep(all: Tokens): void {
  const known = Object.fromEntries(Object.entries(all).filter(([, token]) => token !== ''))
  sessionStorage.setItem(storageKey, JSON.stringify(known))
  tokens.value = known
  refused.value = new Set()
}

function readStored(): Tokens {
  try {
    // Written by `keep` only; a foreign value does no harm beyond a refused request.
    return JSON.parse(sessionStorage.getItem(storageKey) ?? '{}') as Tokens
  } catch {
    return {}
  }
}
