/** Requests to the services, let in by session or token, and with errors that a person can act on. */

import { isRecord, parseJson } from '#base/json.ts'
import { ConsoleError } from './errors.ts'
import { tokenName } from './rooms.ts'
import { fetchAs, hasAccess, isSessionOver, markRefused, type Surface } from './session.ts'

/** Method, body and headers of a request, its token, and the form of its answer. */
interface AskOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** Another token than the service's own, and its name in a deployment. */
  readonly token?: { readonly name: string; readonly value: string }
  /** The form of the answer; JSON when absent. */
  readonly as?: 'json' | 'text' | 'blob'
  /** Asked beside what the page is about: it does not ask for a token when this is refused. */
  readonly isAside?: boolean
}

/** Options of a request that a reader takes from its caller. */
export type ReadOptions = Pick<AskOptions, 'isAside'>

/** Sends one request to a service; a ConsoleError when there is no answer or its status is not 2xx. */
export async function ask<T>(surface: Surface, path: string, options: AskOptions = {}): Promise<T> {
  const response = await send(surface, path, options)
  const { as = 'json', token, isAside = false } = options
  const isRefused = response.status === 401
  if (token === undefined && (response.ok || (isRefused && !isAside))) markRefused(surface, isRefused)
  const what = describeRequest(path, options)
  if (isRefused) {
    // A body that is not read holds its connection until it is collected.
    await response.body?.cancel()
    throw makeRefusal(surface, what, response, token)
  }
  if (!response.ok) throw await readFailure(what, response)
  try {
    // `as` is the method that reads the answer; the caller names the shape that the OpenAPI document promises.
    return (await response[as]()) as T
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw lostConnection(error, options)
    const hint = 'A proxy before the server may ask you to sign in: reload the page.'
    throw new ConsoleError(`Cannot ${what}: the answer is not JSON`, { status: -1, hint })
  }
}

async function send(surface: Surface, path: string, options: AskOptions): Promise<Response> {
  const { method = 'GET', body, headers, signal, token } = options
  const init = {
    method,
    body: body === undefined ? null : JSON.stringify(body),
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    signal: signal ?? null,
  }
  return fetchAs(surface, path, init, token?.value).catch((error) => {
    throw lostConnection(error, options)
  })
}

/** The error of a request without an answer, or without all of it; the caller's own end of the request stays one. */
function lostConnection(error: unknown, { signal }: AskOptions): unknown {
  if (signal?.aborted === true) return error
  return new ConsoleError(`Cannot reach ${location.host}: the connection failed`, { status: 0 })
}

/** The action of a request, for the message of an error. */
function describeRequest(path: string, { method = 'GET' }: AskOptions): string {
  return `${method} ${path.split('?')[0]}`
}

function readRequestId({ headers }: Response): string | undefined {
  return headers.get('x-request-id') ?? headers.get('cf-ray') ?? undefined
}

/** The error of an answer 401: the token of the request, or the service's own, is missing or wrong. */
function makeRefusal(surface: Surface, what: string, response: Response, token: AskOptions['token']): ConsoleError {
  const { status } = response
  const requestId = readRequestId(response)
  if (token !== undefined) {
    return new ConsoleError(`Cannot ${what}: ${token.name} is ${token.value === '' ? 'missing' : 'wrong'}`, {
      status,
      hint: 'Open a link that "npx sluice console" prints, or give the token above.',
      requestId,
    })
  }
  // The banner has the hint, once for all panels.
  if (isSessionOver.peek()) return new ConsoleError('Signed out', { status })
  const name = tokenName(surface)
  return new ConsoleError(`Cannot ${what}: ${name} is ${hasAccess(surface) ? 'wrong' : 'missing'}`, {
    status,
    requestId,
  })
}

/** Makes an error of an answer; services answer with `{error: {message, hint}}`, `{error, hint}` or plain text. */
async function readFailure(what: string, response: Response): Promise<ConsoleError> {
  const { status } = response
  const text = await response.text().catch(() => '')
  const body = parseJson(text)
  const { message, hint } = findWords(body, text)
  return new ConsoleError(message === '' ? `Cannot ${what}: status ${status}` : message, {
    status,
    body,
    hint,
    requestId: readRequestId(response),
  })
}

interface Words {
  readonly message: string
  readonly hint?: string | undefined
}

function findWords(body: unknown, text: string): Words {
  // A proxy answers with a page.
  if (!isRecord(body)) return { message: /^\s*</.test(text) ? '' : text.slice(0, 500).trim() }
  const { error } = body
  const inner = isRecord(error) ? error : body
  const message = [inner.message, error, inner.detail].find((one) => typeof one === 'string')
  const hint = [inner.hint, body.hint].find((one) => typeof one === 'string')
  return { message: String(message ?? ''), hint: typeof hint === 'string' ? hint : undefined }
}
