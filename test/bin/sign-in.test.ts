/** Sessions of the console at a front, attacked: fixation, replay, other sites, other ports, cookies set by others. */

import { createServer, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type HttpFront, startHttpFront } from '#bin/http-front/front.ts'
import { createSessions, type SessionBounds } from '#bin/http-front/sessions.ts'
import { createSignIn, type SignIn } from '#bin/http-front/sign-in.ts'
import { createUpstream, type Upstream } from '#bin/http-front/upstream.ts'
import { listen } from '../support/listen.ts'

const tokens = { ADMIN_TOKEN: 'a', GRID_TOKEN: 'g', STREAMNET_TOKEN: 's', STREAMNET_ADMIN_TOKEN: 'o' }
const fronts: HttpFront[] = []
/** The requests that reached the service behind the fronts. */
const seen: IncomingMessage[] = []
const service = createServer((asked, response) => {
  seen.push(asked)
  response.setHeader('x-sluice-session', 'ended')
  if (asked.url === '/api/v1/events') response.write('event')
  else response.end()
})
let upstream: Upstream

beforeAll(async () => {
  upstream = createUpstream({ host: '127.0.0.1', port: await listen(service) })
})
afterEach(async () => {
  await Promise.all(fronts.splice(0).map((front) => front.stop(0)))
  seen.length = 0
})
afterAll(async () => {
  await upstream.close()
  service.closeAllConnections()
  service.close()
})

type Fields = Readonly<Record<string, string>>

/** A front with sessions, and a browser on it. */
async function start(bounds: Partial<SessionBounds> = {}, readClock?: () => number) {
  const signIn: SignIn = createSignIn(tokens, createSessions(bounds, readClock))
  const front = await startHttpFront({ upstream, signIn })
  fronts.push(front)
  const origin = `http://127.0.0.1:${front.port}`
  const page: Fields = { origin, 'sec-fetch-site': 'same-origin' }
  const json: Fields = { ...page, 'content-type': 'application/json' }
  const exchange = (code: string, headers: Fields = json) =>
    fetch(`${origin}/console/session`, { method: 'POST', headers, body: JSON.stringify({ code }) })
  const open = async () => {
    const response = await exchange(signIn.issueCode())
    expect(response.status).toBe(200)
    const { key }: { key: string } = JSON.parse(await response.text())
    const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';')
    return { cookie, 'x-sluice-session': key }
  }
  const ask = (headers: Fields, method = 'GET', path = '/ratelimit/config') =>
    fetch(`${origin}${path}`, { method, headers })
  return { front, signIn, origin, page, json, exchange, open, ask }
}

describe('the exchange of a code', () => {
  it('opens a session once, whose cookie scripts and other sites cannot use', async () => {
    const { signIn, exchange, front } = await start()
    const code = signIn.issueCode()
    expect((await exchange('wrong')).status).toBe(403)
    const first = await exchange(code)
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(first.headers.get('set-cookie')).toMatch(
      new RegExp(`^sluice-session-${front.port}=[\\w-]{22}; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict$`),
    )
    expect(await first.json()).toEqual({ key: expect.stringMatching(/^[\w-]{22}$/) })
    const replayed = await exchange(code)
    expect([replayed.status, replayed.headers.get('set-cookie')]).toEqual([403, null])
  })

  it('behind a proxy with HTTPS sets a cookie with Secure and the prefix that other hosts cannot set', async () => {
    const { signIn, front } = await start()
    const fields = { host: 'localhost', origin: 'https://localhost', 'content-type': 'application/json' }
    const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
    const body = JSON.stringify({ code: signIn.issueCode() })
    const answer = await raw(front.port, ['POST /console/session HTTP/1.1', ...head], body)
    expect(answer).toMatch(/set-cookie: __Host-sluice-session-443=[^\n]*; SameSite=Strict; Secure\r\n/i)
  })

  it('takes eight codes at once and each for ten minutes, and keeps no attempt from the others', async () => {
    let nowMs = 0
    const { signIn, exchange } = await start({}, () => nowMs)
    const codes = Array.from({ length: 9 }, () => signIn.issueCode())
    expect(new Set(codes).size).toBe(9)
    for (const code of codes) expect(code).toMatch(/^[\w-]{22}$/)
    for (let at = 0; at < 20; at++) await exchange(`wrong ${at}`)
    expect((await exchange(codes[0] ?? '')).status).toBe(403)
    expect((await exchange(codes[1] ?? '')).status).toBe(200)
    nowMs = 600_000
    expect((await exchange(codes[8] ?? '')).status).toBe(403)
  })

  it.each<readonly [string, Fields]>([
    ['a page of another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a page of another port', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
    ['a page of an opaque origin', { origin: 'null' }],
    ['a request without an origin', {}],
    ['a form', { 'content-type': 'text/plain' }],
  ])('refuses %s, and the code stays good', async (_, headers) => {
    const { signIn, exchange, page } = await start()
    const code = signIn.issueCode()
    const type = { 'content-type': 'application/json' }
    const given = headers['content-type'] === undefined ? { ...type, ...headers } : { ...page, ...headers }
    const refused = await exchange(code, given)
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([403, null])
    expect((await exchange(code)).status).toBe(200)
  })

  it('checks the host first', async () => {
    const { signIn, front } = await start()
    const body = JSON.stringify({ code: signIn.issueCode() })
    const head = ['Host: evil.example', 'Origin: http://evil.example', 'Content-Type: application/json']
    expect(await raw(front.port, ['POST /console/session HTTP/1.1', ...head], body)).toMatch(/^HTTP\/1.1 421 /)
  })

  it('answers other methods and a body that is too long, and the code stays good', async () => {
    const { signIn, exchange, ask, page } = await start()
    const code = signIn.issueCode()
    expect((await ask(page, 'GET', '/console/session')).status).toBe(405)
    const refused = await exchange('x'.repeat(100_000))
    expect([refused.status, await refused.text()]).toEqual([413, 'Cannot sign in: expected at most 1000 octets\n'])
    expect((await exchange(code)).status).toBe(200)
  })

  it('ends for a client that leaves in the middle of its body, and the code stays good', async () => {
    const { signIn, exchange, front, origin } = await start()
    const code = signIn.issueCode()
    const client = connect({ host: '127.0.0.1', port: front.port })
    const head = `Host: 127.0.0.1:${front.port}\r\nOrigin: ${origin}\r\nContent-Type: application/json`
    client.write(`POST /console/session HTTP/1.1\r\n${head}\r\nContent-Length: 100\r\n\r\n{"code":`)
    await new Promise<void>((resolve) => client.end(resolve))
    expect((await exchange(code)).status).toBe(200)
  })

  it('draws a new session for any cookie of the browser, and ends the one that the page had', async () => {
    const { signIn, exchange, open, ask, json, page, front } = await start()
    const planted = `sluice-session-${front.port}=${'x'.repeat(22)}`
    const fixed = await exchange(signIn.issueCode(), { ...json, cookie: planted })
    const { key }: { key: string } = JSON.parse(await fixed.text())
    expect(fixed.headers.get('set-cookie')).not.toContain(planted)
    expect((await ask({ ...page, cookie: planted, 'x-sluice-session': key })).status).toBe(401)
    const before = await open()
    expect((await exchange(signIn.issueCode(), { ...json, ...before })).status).toBe(200)
    expect((await ask({ ...page, ...before })).status).toBe(401)
  })
})

describe('a request of a session', () => {
  it.each([
    ['/ratelimit/config', 'a'],
    ['/config', 'a'],
    ['/api/v1/status', 'g'],
    ['/simulations/x/api/v1/status', 'g'],
    ['/ratelimit/../api/v1/status', 'g'],
    ['/streamnet/v1/list_streams?x=/api', 's'],
    ['/streamnet/admin/rpc/v1', 'o'],
  ])('gets the token of %s, and neither half of its secret goes on', async (path, token) => {
    const { open, front, page } = await start()
    const session = await open()
    const fields = { ...page, ...session, cookie: `theme=dark; ${session.cookie}; sluice-session-1=x` }
    const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
    const answer = await raw(front.port, [`POST ${path} HTTP/1.1`, `Host: 127.0.0.1:${front.port}`, ...head])
    expect(answer).toMatch(/^HTTP\/1.1 200 /)
    // Only the front says that a session has ended.
    expect(answer).not.toMatch(/x-sluice-session/i)
    expect(seen[0]?.headers).toMatchObject({ authorization: `Bearer ${token}`, cookie: 'theme=dark' })
    const [, id = ''] = session.cookie.split('=')
    const sent = JSON.stringify(seen[0]?.rawHeaders)
    for (const secret of [id, session['x-sluice-session']]) expect(sent).not.toContain(secret)
  })

  it('with its own token goes on with that token', async () => {
    const { open, ask, page } = await start()
    const session = await open()
    await ask({ ...page, ...session, authorization: 'Bearer pasted' })
    expect(seen[0]?.headers.authorization).toBe('Bearer pasted')
  })

  it.each<readonly [string, string, Fields]>([
    ['a form of another site', 'POST', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['another port of this host', 'POST', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
    ['another port that reads', 'GET', { 'sec-fetch-site': 'same-site' }],
    ['another site that follows events', 'GET', { 'sec-fetch-site': 'cross-site' }],
    ['an old browser on another site', 'GET', { origin: 'https://evil.example' }],
    ['a frame of an opaque origin', 'POST', { origin: 'null' }],
    ['a client without an origin', 'DELETE', {}],
    ['an address that was opened', 'GET', { 'sec-fetch-site': 'none' }],
  ])('is refused to %s, with the whole secret', async (_, method, headers) => {
    const { open, ask } = await start()
    const session = await open()
    expect((await ask({ ...session, ...headers }, method)).status).toBe(403)
    expect((await ask({ ...session, ...headers }, method, '/console/session')).status).not.toBe(204)
    expect(seen).toEqual([])
  })

  it('with the cookie only has no rights: what other ports and forms can send', async () => {
    const { open, ask, page } = await start()
    const { cookie } = await open()
    await ask({ ...page, cookie }, 'POST')
    await ask({ cookie, origin: 'https://evil.example' }, 'POST')
    expect(seen.map(({ headers }) => [headers.authorization, headers.cookie])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ])
    const other = await startHttpFront({ upstream })
    fronts.push(other)
    await fetch(`http://127.0.0.1:${other.port}/`, { headers: { cookie } })
    expect(seen[2]?.headers.cookie).toBeUndefined()
  })

  it('with the key only, or with halves of two sessions, has no session', async () => {
    const { open, ask, page } = await start()
    const [one, other] = [await open(), await open()]
    for (const headers of [
      { 'x-sluice-session': one['x-sluice-session'] },
      { ...one, cookie: other.cookie },
      { ...one, 'x-sluice-session': '' },
    ]) {
      const refused = await ask({ ...page, ...headers })
      expect([refused.status, refused.headers.get('x-sluice-session')]).toEqual([401, 'ended'])
    }
    expect(seen).toEqual([])
  })

  it('survives cookies of its name that another port has set', async () => {
    const { open, ask, page, front } = await start()
    const session = await open()
    const tossed = Array.from({ length: 100 }, (_, at) => `sluice-session-${front.port}=tossed${at}`)
    const cookie = [...tossed, session.cookie].join('; ')
    expect((await ask({ ...page, ...session, cookie }, 'POST')).status).toBe(200)
  })
})

describe('the end of a session', () => {
  it('by signing out comes for all tabs, and cuts what is open', async () => {
    const { open, ask, page } = await start()
    const [session, other] = [await open(), await open()]
    const events = await ask({ ...page, ...session }, 'GET', '/api/v1/events')
    const ending = endOf(events)
    const out = await ask({ ...page, ...session }, 'DELETE', '/console/session')
    expect([out.status, out.headers.get('set-cookie')]).toEqual([204, expect.stringMatching(/=; .*Max-Age=0;/)])
    expect(await ending).toBe('cut')
    expect((await ask({ ...page, ...session })).status).toBe(401)
    expect((await ask({ ...page, ...other })).status).toBe(200)
  })

  it('comes after twelve hours without use; a stream that is open is a use', async () => {
    let nowMs = 0
    const { open, ask, page } = await start({}, () => nowMs)
    const [idle, used] = [await open(), await open()]
    const events = await ask({ ...page, ...used }, 'GET', '/api/v1/events')
    nowMs = 12 * 3_600_000
    expect((await ask({ ...page, ...idle })).status).toBe(401)
    expect((await ask({ ...page, ...used })).status).toBe(200)
    await events.body?.cancel()
  })

  it('comes after seven days of use, and cuts what is open', async () => {
    const { open, ask, page } = await start({ atMostMs: 200 })
    const session = await open()
    const events = await ask({ ...page, ...session }, 'GET', '/api/v1/events')
    expect(await endOf(events)).toBe('cut')
    expect((await ask({ ...page, ...session })).status).toBe(401)
  })

  it('comes when more are opened than the bound, for the one used least recently', async () => {
    const { open, ask, page } = await start({ maxSessions: 2 })
    const [one, other] = [await open(), await open()]
    await ask({ ...page, ...one })
    const third = await open()
    const statuses = await Promise.all([one, other, third].map((each) => ask({ ...page, ...each })))
    expect(statuses.map(({ status }) => status)).toEqual([200, 401, 200])
  })
})

/** Waits for the end of a stream that runs; `fetch` itself gives up after five minutes of silence. */
function endOf(stream: Response): Promise<'cut' | 'whole' | 'open'> {
  const ended = stream.text().then(
    () => 'whole' as const,
    () => 'cut' as const,
  )
  return Promise.race([ended, setTimeout(60_000, 'open' as const, { ref: false })])
}

/** Sends a request as it is and reads the answer to its end; `fetch` sets Host itself. */
function raw(port: number, head: readonly string[], body = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port })
    const lines = [...head, `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close', '', body]
    const pieces: string[] = []
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => pieces.push(text))
    socket.on('end', () => resolve(pieces.join('')))
    socket.on('error', reject)
    socket.write(lines.join('\r\n'))
  })
}
