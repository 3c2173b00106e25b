/** JSON-RPC over a given fetch: one POST for each request, repeated within a budget. */

import { delayAfter, type RetryBudget } from '../../base/retry.ts'
import { assertGoing, assertTimer } from '../call-options.ts'
import { invalidArgument, isStreamNetError, type StreamNetErrorCode } from '../errors.ts'
import { defaultPlatform, type Platform } from '../platform.ts'
import { fromFetchError, fromStrangeAnswer, parseAnswer } from './answer.ts'
import { fromRpcError } from './errors.ts'
import { rpcPath } from './methods.ts'

/** The node that requests go to, and how they go. */
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
   * Calls a method and returns its result, unchecked. A request that fails is repeated within the budget; give one only
   * for methods that change nothing.
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

/** Retries of a request: the attempts, the wait between them, and the codes of errors that are retried. */
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
 * Makes a transport. It sends the cookies of a gateway with every later request.
 *
 * @throws StreamNetError invalid_argument when the endpoint is not an http address, or `timeoutMs` is out of range.
 */
export function createTransport(options: TransportOptions): Transport {
  const { platform = defaultPlatform, headers, timeoutMs = 30_000, json = JSON } = options
  const url = parseEndpoint(options.endpoint)
  assertTimer(timeoutMs, 'timeout_ms')
  let lastId = 0
  /** By name. */
  const cookies: Record<string, string> = {}

  const exchange = async (method: string, body: string, signal: AbortSignal | undefined) => {
    const deadline = platform.deadline(timeoutMs)
    const cookie = Object.values(cookies).join('; ')
    try {
      const response = await platform.fetch(url.href, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(cookie && { cookie }), ...headers },
        body,
        // A signed transaction or a session is for this endpoint only: redirects are not followed.
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      })
      const text = await response.text()
      // None in browsers, which hide the header and keep cookies themselves.
      for (const line of response.headers.getSetCookie?.() ?? []) {
        cookies[line.replace(/[=;].*/, '')] = line.replace(/;.*/, '')
      }
      return { status: response.status, text }
    } catch (cause) {
      assertGoing(signal, method)
      throw fromFetchError(method, url.host, cause)
    }
  }

  const post = async (method: string, params: object, signal: AbortSignal | undefined): Promise<unknown> => {
    assertGoing(signal, method)
    const id = ++lastId
    const { status, text } = await exchange(method, json.stringify({ jsonrpc: '2.0', id, method, params }), signal)
    const answer = parseAnswer(status, text, id, json)
    if (answer === undefined) throw fromStrangeAnswer(method, url.host, status, text)
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
          const isRetried = budget && isStreamNetError(error) && budget.codes.includes(error.code) && !signal?.aborted
          const delay = isRetried ? delayAfter(failures, budget) : undefined
          if (delay === undefined) throw error
          await platform.sleep(delay)
        }
      }
    },
  }
}

function parseEndpoint(endpoint: string): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw invalidArgument('Cannot use endpoint: expected an http or https address without user and password')
  }
  if (!url.pathname.endsWith(rpcPath)) url.pathname = url.pathname.replace(/\/*$/, rpcPath)
  return url
}
