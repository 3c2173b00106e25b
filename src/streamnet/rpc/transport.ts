/** JSON-RPC over a fetch it is given: one POST a request, and every strange answer as an error of ours. */

import { delayAfter, type RetryBudget } from '../../base/retry.ts'
import { invalidArgument, isStreamNetError, StreamNetError, type StreamNetErrorCode } from '../errors.ts'
import { defaultPlatform, type Platform } from '../platform.ts'
import { findCodeInText, fromRpcError } from './errors.ts'
import { type RpcErrorBody, rpcPath } from './methods.ts'

/** The way of requests to a node. */
export interface TransportOptions {
  /** Base address of a node or gateway, http or https; the path of JSON-RPC is added when it is missing. */
  readonly endpoint: string
  readonly platform?: Platform | undefined
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Time for one request, in milliseconds; 30,000 when left out. */
  readonly timeoutMs?: number | undefined
  /** The writer and reader of JSON; the platform's own when left out. */
  readonly json?: Pick<typeof JSON, 'parse' | 'stringify'> | undefined
}

/** Sends JSON-RPC requests to one endpoint. */
export interface Transport {
  /** The endpoint's address, with its path. */
  readonly url: URL
  /**
   * Calls a method and returns its result, unchecked. Repeats what never reached a node or broke in the
   * middle as often as the budget allows: give one to methods that change nothing, and to no others.
   *
   * @throws StreamNetError connection_refused when nothing was sent.
   * @throws StreamNetError connection_lost when the connection broke in the middle.
   * @throws StreamNetError timeout when no answer came in time.
   * @throws StreamNetError aborted when the signal ended it; nothing is sent after that.
   * @throws StreamNetError malformed_response when the answer is not JSON-RPC, or of another request.
   * @throws StreamNetError rpc_error when the node answers an error that has no code here.
   */
  request(method: string, params: object, budget?: Retries, signal?: AbortSignal): Promise<unknown>
}

/** The repetition of a request: its attempts, the wait between them, and the errors after which there is another. */
export interface Retries extends RetryBudget {
  readonly codes: readonly StreamNetErrorCode[]
}

/** For methods that change nothing: three attempts, 250 and 500 milliseconds apart, when no answer came. */
export const readBudget: Retries = {
  maxAttempts: 3,
  delayMs: 250,
  codes: ['connection_refused', 'connection_lost', 'timeout', 'no_backend'],
}

/**
 * Makes a transport. It keeps the cookies of a gateway's session for itself.
 *
 * @throws StreamNetError invalid_argument when the endpoint is not an http address, or the time cannot be timed.
 */
export function createTransport(options: TransportOptions): Transport {
  const { platform = defaultPlatform, headers, timeoutMs = 30_000, json = JSON } = options
  const url = parseEndpoint(options.endpoint)
  // A timer beyond 2^31 - 1 ms ends at once; this is also false for what is not a number.
  if (!(timeoutMs >= 1 && timeoutMs < 2 ** 31)) throw invalidArgument('timeout_ms must be 1 to 2^31 - 1')
  let lastId = 0
  let cookie: string | undefined

  const post = async (method: string, params: object, given: AbortSignal | undefined): Promise<unknown> => {
    assertGoing(given, method)
    const id = ++lastId
    const init: RequestInit = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(cookie && { cookie }), ...headers },
      body: json.stringify({ jsonrpc: '2.0', id, method, params }),
      // A signed transaction or a session is for this endpoint only: redirects are not followed.
      redirect: 'manual',
      signal:
        given === undefined ? platform.deadline(timeoutMs) : AbortSignal.any([given, platform.deadline(timeoutMs)]),
    }
    let response: Response
    let text: string
    try {
      response = await platform.fetch(url.href, init)
      text = await response.text()
    } catch (cause) {
      assertGoing(given, method)
      throw fromFetchError(method, url.host, cause)
    }
    cookie = readCookie(response.headers) ?? cookie
    const answer = readAnswer(response.status, text, id, json)
    if (answer === undefined) throw fromStrangeAnswer(method, url.host, response, text)
    if (answer.error !== undefined) throw fromRpcError(method, answer.error)
    return answer.result
  }

  return {
    url,
    async request(method, params, budget, signal) {
      for (let failures = 1; ; failures++) {
        try {
          return await post(method, params, signal)
        } catch (error) {
          const isPassing = isStreamNetError(error) && budget?.codes.includes(error.code) && !signal?.aborted
          const delay = budget && isPassing ? delayAfter(failures, budget) : undefined
          if (delay === undefined) throw error
          await platform.sleep(delay)
        }
      }
    },
  }
}

/**
 * Refuses to go on with what its caller has ended.
 *
 * @throws StreamNetError timeout when the time of the whole call is over.
 * @throws StreamNetError aborted when the caller's signal ended it.
 */
export function assertGoing(signal: AbortSignal | undefined, method: string): void {
  if (!signal?.aborted) return
  const cause: unknown = signal.reason
  const isTime = cause instanceof Error && cause.name === 'TimeoutError'
  const [code, state] = isTime
    ? (['timeout', 'its time is over'] as const)
    : (['aborted', 'its caller ended it'] as const)
  throw new StreamNetError(code, `Cannot call ${method}: ${state}`, {}, { cause })
}

function parseEndpoint(endpoint: string): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw invalidArgument('Cannot use endpoint: expected an http or https address without user and password')
  }
  if (!url.pathname.endsWith(rpcPath)) url.pathname = url.pathname.replace(/\/*$/, rpcPath)
  return url
}

interface Answer {
  readonly result?: unknown
  readonly error?: RpcErrorBody
}

// Undefined for everything that is not the answer to this very request.
function readAnswer(status: number, text: string, id: number, json: Pick<typeof JSON, 'parse'>): Answer | undefined {
  try {
    const answer = json.parse(text)
    const { error } = answer
    if (answer.jsonrpc !== '2.0') return undefined
    // A node that could not read the request answers with an id of null.
    if (error && (answer.id === id || answer.id === null) && Number.isInteger(error.code)) {
      return { error: { ...error, message: String(error.message) } }
    }
    return status === 200 && answer.id === id && answer.result !== undefined && !error ? answer : undefined
  } catch {
    return undefined
  }
}

function fromStrangeAnswer(method: string, host: string, { status }: Response, text: string): StreamNetError {
  const message = `Cannot call ${method}: ${host} answered ${status} with ${describe(text)}, expected JSON-RPC`
  const code = findCodeInText(text)
  if (code) return new StreamNetError(code, message, undefined)
  if (status === 401) return new StreamNetError('unauthenticated', message, { reason: 'HTTP 401' })
  if (status === 429) return new StreamNetError('rate_limited', message, undefined)
  return new StreamNetError('malformed_response', message, { status })
}

function describe(text: string): string {
  if (text === '') return 'nothing'
  return /^\s*</.test(text) ? 'HTML' : `"${text.slice(0, 80)}"`
}

function fromFetchError(method: string, host: string, cause: unknown): StreamNetError {
  if (cause instanceof Error && cause.name === 'TimeoutError') {
    return new StreamNetError('timeout', `Cannot call ${method}: no answer from ${host} in time`, {}, { cause })
  }
  // Only where the platform says so is it certain that nothing was sent.
  const message = `Cannot call ${method}: the connection to ${host} `
  return findCodeInText(causes(cause)) === 'connection_refused'
    ? new StreamNetError('connection_refused', `${message}was refused`, undefined, { cause })
    : new StreamNetError('connection_lost', `${message}was lost`, {}, { cause })
}

function causes(error: unknown): string {
  if (!(error instanceof Error)) return ''
  // Node says why in the cause's code.
  const { code } = error as { code?: unknown }
  return `${error.message} ${code} ${causes(error.cause)}`
}

function readCookie(headers: Headers): string | undefined {
  // Browsers hide the header and keep the cookie themselves.
  const cookies = headers.getSetCookie?.() ?? []
  return cookies.length === 0 ? undefined : cookies.map((cookie) => cookie.split(';', 1)[0]).join('; ')
}
