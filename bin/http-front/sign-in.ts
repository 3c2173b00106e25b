/**
 * Signs browsers of this machine in: a code is exchanged for a session, and requests of the session are let in.
 *
 * The browser never has a token. Its requests name the session, and the front writes the token of the service that
 * the path belongs to. No other site and no other port can use a session: they have its cookie without its key, and every
 * request with a key has to come from a page of this address.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { isRecord, parseJson } from '#base/json.ts'
import { readBody } from './body.ts'
import { refuse } from './refuse.ts'
import { sessionCookie, sessionIds } from './session-cookie.ts'
import type { Session, SessionSecret, Sessions } from './sessions.ts'
import type { Refusal, Target } from './target.ts'
import { type SessionTokens, tokenFor } from './tokens.ts'

/** The path at which the console exchanges its code (POST) and signs out (DELETE). */
export const signInPath = '/console/session'

/** The header of a session's key; an answer with the value `ended` says that the session is over. */
export const sessionHeader = 'x-sluice-session'

/** The longest body of an exchange, in octets. */
const maxBody = 1_000

/** Signs in to the services with these tokens. */
export function createSignIn(tokens: SessionTokens, sessions: Sessions) {
  return {
    /** A code for a link: good once, and for ten minutes. */
    issueCode: sessions.issueCode,
    /** Answers a request for `signInPath`. */
    answer: (request: IncomingMessage, response: ServerResponse, authority: string): Promise<void> =>
      answerSignIn(request, response, authority, sessions),
    /**
     * The fields that the runtime gets in the name of the request's session; none when it brings no session or a token,
     * null when it was refused: 403 to other origins, 401 when the session has ended.
     */
    admit(
      request: IncomingMessage,
      response: ServerResponse,
      { authority, path }: Target,
    ): Readonly<Record<string, string>> | null {
      const { headers } = request
      if (headers[sessionHeader] === undefined || headers.authorization !== undefined) return {}
      if (!isFromConsole(request, authority)) {
        refuse(response, 403, foreign)
        return null
      }
      const session = findSession(request, authority, sessions)
      if (session === null) {
        response.setHeader(sessionHeader, 'ended')
        refuse(response, 401, 'Cannot use the session: it has ended, expected a new link of "sluice console"')
        return null
      }
      response.once(
        'close',
        session.onEnd(() => response.destroy()),
      )
      return { authorization: `Bearer ${tokens[tokenFor(path)]}` }
    },
  }
}

/** The sign-in of one front. */
export type SignIn = ReturnType<typeof createSignIn>

async function answerSignIn(
  request: IncomingMessage,
  response: ServerResponse,
  authority: string,
  sessions: Sessions,
): Promise<void> {
  const { method, headers } = request
  if (method !== 'POST' && method !== 'DELETE') {
    return refuse(response, 405, 'Cannot sign in: expected POST, or DELETE to sign out')
  }
  if (!isFromConsole(request, authority)) return refuse(response, 403, foreign)
  const isHttps = headers.origin?.startsWith('https:') === true
  const setCookie = (id: string, forSeconds: number) => sessionCookie({ authority, isHttps }, id, forSeconds)
  const before = findSession(request, authority, sessions)
  if (method === 'DELETE') {
    before?.end()
    response.writeHead(204, { 'set-cookie': setCookie('', 0) }).end()
    return
  }
  const secret = await exchange(request, sessions)
  if ('status' in secret) return refuse(response, secret.status, secret.message)
  before?.end()
  const answer = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'set-cookie': setCookie(secret.id, Math.floor(sessions.bounds.atMostMs / 1000)),
  }
  response.writeHead(200, answer).end(JSON.stringify({ key: secret.key }))
}

function findSession({ headers }: IncomingMessage, authority: string, sessions: Sessions): Session | null {
  return sessions.find(sessionIds(headers.cookie ?? '', authority), String(headers[sessionHeader] ?? ''))
}

/** Exchanges the code in the body of a request for a session. */
async function exchange(request: IncomingMessage, sessions: Sessions): Promise<SessionSecret | Refusal> {
  // A form cannot send this type, and a page of another origin only after it has asked.
  const isJson = request.headers['content-type']?.startsWith('application/json') === true
  if (!isJson) return { status: 403, message: foreign }
  const body = await readBody(request, maxBody)
  if (body === null) return { status: 413, message: `Cannot sign in: expected at most ${maxBody} octets` }
  const secret = sessions.open(readCode(body))
  return secret ?? { status: 403, message: 'Cannot sign in: the code is wrong, used or older than ten minutes' }
}

const foreign =
  'Cannot use a session: expected a page of this address, on this machine (a proxy has to forward Host and Origin)'

function isFromConsole(request: IncomingMessage, authority: string): boolean {
  return isLocal(request) && isOwnPage(request, authority)
}

function isLocal({ socket: { remoteAddress = '' } }: IncomingMessage): boolean {
  return remoteAddress === '::1' || /^(::ffff:)?127\./.test(remoteAddress)
}

/** Tells if a page of this address sent the request. Browsers send Origin with every method but GET and HEAD. */
function isOwnPage({ method, headers }: IncomingMessage, authority: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (site !== undefined && site !== 'same-origin') return false
  if (origin === undefined) return method === 'GET' || method === 'HEAD'
  return origin === `http://${authority}` || origin === `https://${authority}`
}

function readCode(text: string): string {
  const body = parseJson(text)
  return isRecord(body) && typeof body.code === 'string' ? body.code : ''
}
