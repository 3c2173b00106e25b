/** Access of requests: by a token of this tab, or else the session of the browser; neither is part of an address. */

import { computed, signal } from '@preact/signals'

/** A service that has a token. */
export type Surface = 'ratelimit' | 'grid' | 'streamnet'

/** The tokens that are known. */
export type Tokens = Partial<Readonly<Record<Surface, string>>>

/** Keys of this tab's storage, and of the browser's for the session. */
const tokensKey = 'sluice-tokens'
const operatorKey = 'sluice-operator-token'
const sessionStorageKey = 'sluice-session'
const sessionPath = '/console/session'

/** The header of the session's key, and of an answer that says "ended". */
const sessionHeader = 'x-sluice-session'

/** The tokens of this tab; components that read the value follow it. */
export const tokens = signal<Tokens>(readTokens())

/** The key of the session; empty without one. Its other half is in a cookie that scripts cannot read. */
export const sessionKey = signal(localStorage.getItem(sessionStorageKey) ?? '')

/** True when there was a session in this tab and it is over. */
export const isSessionOver = signal(false)

/** Another object whenever a token or the session changes, so that refused requests are sent again. */
export const credentials = computed(() => ({ tokens: tokens.value, key: sessionKey.value }))

/** The token of the development node's operator; empty when it was not given. */
export const operatorToken = signal(sessionStorage.getItem(operatorKey) ?? '')

/** Services that refused their token last, so that the token box can say so. */
export const refused = signal<ReadonlySet<Surface>>(new Set())

/** Services that have answered since the credentials changed last. */
export const admitted = signal<ReadonlySet<Surface>>(new Set())

/** Signs this tab in and out with the other tabs. */
export function followOtherTabs(): void {
  addEventListener('storage', ({ key }) => {
    if (key === sessionStorageKey || key === null) adoptSession(localStorage.getItem(sessionStorageKey) ?? '')
  })
}

/** Tells if requests to a service bring a token or a session. */
export function hasAccess(surface: Surface): boolean {
  return tokens.value[surface] !== undefined || sessionKey.value !== ''
}

/** Keeps the operator's token, or forgets it when it is empty. */
export function setOperatorToken(token: string): void {
  operatorToken.value = token.trim()
  sessionStorage.setItem(operatorKey, operatorToken.value)
}

/** Keeps a token, or forgets it when it is empty. */
export function setToken(surface: Surface, token: string): void {
  keepTokens({ ...tokens.peek(), [surface]: token.trim() })
}

/** Remembers whether a service refused its token. */
export function markRefused(surface: Surface, isRefused: boolean): void {
  if (!isRefused && !admitted.peek().has(surface)) admitted.value = new Set([...admitted.peek(), surface])
  if (refused.peek().has(surface) === isRefused) return
  const others = [...refused.peek()].filter((one) => one !== surface)
  refused.value = new Set(isRefused ? [...others, surface] : others)
}

/** Sends a request with what lets it in, and notes when the session is over. @param token - The service's when absent. */
export async function fetchAs(
  surface: Surface,
  path: string,
  init: RequestInit,
  token = tokens.peek()[surface],
): Promise<Response> {
  const headers = new Headers(init.headers)
  const key = sessionKey.peek()
  // Other characters, such as an invisible space that was copied along, are of no token, and no header carries them.
  if (token !== undefined && !/^[ -~]*$/.test(token)) return new Response(null, { status: 401 })
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
  else if (key !== '') headers.set(sessionHeader, key)
  const response = await fetch(path, { ...init, headers })
  if (response.headers.get(sessionHeader) === 'ended') forgetSession(key)
  return response
}

/**
 * Exchanges the one-time code of the link that `sluice console` prints for a session, if the address has one.
 *
 * The code is in the fragment, which browsers send to no server; it leaves the address before anything else happens.
 *
 * @returns a sentence for the person when the exchange failed and there is no earlier session; null otherwise.
 */
export async function signInByLink(): Promise<string | null> {
  const code = /^#signin=([\w-]+)$/.exec(location.hash)?.[1]
  if (code === undefined) return null
  history.replaceState(null, '', location.pathname + location.search)
  // The key lets the server end the session that the new one replaces.
  const headers = { 'content-type': 'application/json', [sessionHeader]: sessionKey.peek() }
  const body = JSON.stringify({ code })
  const response = await fetch(sessionPath, { method: 'POST', headers, body }).catch(() => null)
  if (response === null || !response.ok) {
    if (sessionKey.peek() !== '') return null
    if (response === null) return `Cannot sign in: ${location.host} did not answer, expected it to run`
    return 'Cannot sign in: the link was used already or is older than ten minutes; "npx sluice console" prints a new one'
  }
  const { key }: { readonly key: string } = await response.json()
  keepTokens({})
  keepSession(key)
  return null
}

/** Ends the session for all tabs; gives a sentence for the person when the server did not end it. */
export async function signOut(): Promise<string | null> {
  const headers = { [sessionHeader]: sessionKey.peek() }
  const response = await fetch(sessionPath, { method: 'DELETE', headers }).catch(() => null)
  if (response?.ok !== true) return `Cannot sign out: ${location.host} did not answer, expected it to run`
  keepSession('')
  return null
}

/** Forgets a session that has ended, unless another tab has signed in since. */
function forgetSession(key: string): void {
  const kept = localStorage.getItem(sessionStorageKey) ?? ''
  if (kept === key) keepSession('')
  else adoptSession(kept)
}

function keepSession(key: string): void {
  if (key === '') localStorage.removeItem(sessionStorageKey)
  else localStorage.setItem(sessionStorageKey, key)
  adoptSession(key)
}

function adoptSession(key: string): void {
  isSessionOver.value = key === '' && (sessionKey.peek() !== '' || isSessionOver.peek())
  sessionKey.value = key
  forgetAnswers()
}

function keepTokens(all: Tokens): void {
  const known = Object.fromEntries(Object.entries(all).filter(([, token]) => token !== ''))
  sessionStorage.setItem(tokensKey, JSON.stringify(known))
  tokens.value = known
  isSessionOver.value = false
  forgetAnswers()
}

function forgetAnswers(): void {
  refused.value = new Set()
  admitted.value = new Set()
}

function readTokens(): Tokens {
  try {
    // Written by `keepTokens` only; a foreign value does no harm beyond a refused request.
    return JSON.parse(sessionStorage.getItem(tokensKey) ?? '{}') as Tokens
  } catch {
    return {}
  }
}
