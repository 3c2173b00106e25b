/** Signs a browser of this machine in once: a code that `npm start` prints is exchanged for the tokens of this start. */

import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { linger, refuse } from './forward.ts'

/** The path at which the console exchanges its code. */
export const signInPath = '/console/session'

/** How long the code is good, how many wrong ones are taken, and the longest body in octets. */
const goodForMs = 600_000
const maxWrong = 10
const maxBody = 1_000

/** One code, and what answers those who bring it. */
export interface SignIn {
  /** 128 bits, good once. */
  readonly code: string
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>
}

/**
 * Draws a code.
 *
 * Answers 200 with the tokens as JSON to the first request that brings the code from this machine, from no other
 * origin and within ten minutes; 413 to one with a longer body than codes have; 403 to every other one, and to all after
 * ten wrong codes.
 *
 * @param tokens - By the names under which a deployment keeps them.
 */
export function createSignIn(
  tokens: Readonly<Record<string, string>>,
  readClock: () => number = Date.now,
): SignIn {
  const code = randomBytes(16).toString('base64url')
  const endsMs = readClock() + goodForMs
  let wrong = 0
  let isUsed = false
  return {
    code,
    async answer(request, response) {
      if (request.method !== 'POST') return refuse(response, 405, 'Cannot sign in: expected POST')
      if (!isLocal(request) || !isSameOrigin(request)) {
        return refuse(response, 403, 'Cannot sign in: only a page of this service, on this machine, can')
      }
      const body = await readBody(request)
      if (body === null) return refuse(response, 413, `Cannot sign in: expected at most ${maxBody} octets`)
      const given = codeOf(body)
      const isRight = !isUsed && wrong < maxWrong && readClock() < endsMs && isEqual(given, code)
      if (!isRight) {
        wrong += 1
        return refuse(response, 403, 'Cannot sign in: the code is wrong, used or older than ten minutes')
      }
      isUsed = true
      const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
      response.writeHead(200, headers).end(JSON.stringify(tokens))
    },
  }
}

function isLocal({ socket: { remoteAddress = '' } }: IncomingMessage): boolean {
  return remoteAddress === '::1' || /^(::ffff:)?127\./.test(remoteAddress)
}

/** Browsers say where a request comes from; JSON keeps those that do not from sending one across origins. */
function isSameOrigin({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'] ?? 'same-origin'
  return site === 'same-origin' && (headers['content-type'] ?? '').startsWith('application/json')
}

/** Reads the body; null when it is too long, or its client has left. */
function readBody(request: IncomingMessage): Promise<string | null> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = []
    let length = 0
    const take = (piece: Buffer) => {
      length += piece.length
      pieces.push(piece)
      if (length <= maxBody) return
      request.off('data', take)
      // A client sees its refusal only once it has sent its body.
      linger(request)
      resolve(null)
    }
    request.on('data', take)
    request.once('end', () => resolve(Buffer.concat(pieces).toString()))
    request.once('close', () => resolve(null))
  })
}

function codeOf(text: string): string {
  try {
    const body: unknown = JSON.parse(text)
    const code = typeof body === 'object' && body !== null && 'code' in body ? body.code : ''
    return typeof code === 'string' ? code : ''
  } catch {
    return ''
  }
}

function isEqual(given: string, code: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(code)]
  return one.length === other.length && timingSafeEqual(one, other)
}
