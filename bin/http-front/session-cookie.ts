/** The cookie of a session: its name for each port, and how it is kept from everything behind the front. */

/** Browsers send a cookie to every port of a host, so the port is in the name. */
const names = /^(?:__Host-)?sluice-session-\d{1,5}$/

/** The console's address, as a browser sees it. */
export interface Site {
  /** Host and port as the browser names them. */
  readonly authority: string
  readonly isHttps: boolean
}

/**
 * The field that sets the cookie, or removes it (0). `__Host-` of HTTPS keeps it to this host (RFC 6265bis, 4.1.3.2).
 */
export function sessionCookie({ authority, isHttps }: Site, id: string, forSeconds: number): string {
  const name = `${isHttps ? '__Host-' : ''}${nameFor(authority, isHttps)}`
  const field = `${name}=${id}; Path=/; Max-Age=${forSeconds}; HttpOnly; SameSite=Strict`
  return isHttps ? `${field}; Secure` : field
}

/** Every id that a Cookie header brings for a site: another port may set the name with a longer path. */
export function sessionIds(header: string, authority: string): readonly string[] {
  const wanted = new Set([nameFor(authority, false), `__Host-${nameFor(authority, true)}`])
  return parsePairs(header).flatMap(({ name, value }) => (wanted.has(name) ? [value] : []))
}

/** A Cookie header without the sessions of any port; empty when nothing is left. */
export function withoutSessionCookies(header: string): string {
  return parsePairs(header)
    .filter(({ name }) => !names.test(name))
    .map(({ pair }) => pair)
    .join('; ')
}

function nameFor(authority: string, isHttps: boolean): string {
  return `sluice-session-${/:(\d{1,5})$/.exec(authority)?.[1] ?? (isHttps ? 443 : 80)}`
}

function parsePairs(
  header: string,
): readonly { readonly name: string; readonly value: string; readonly pair: string }[] {
  return header.split(';').flatMap((text) => {
    const pair = text.trim()
    const [name = '', ...rest] = pair.split('=')
    return pair === '' ? [] : [{ name: name.trim(), value: rest.join('=').trim(), pair }]
  })
}
