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
  if (!response.ok)
    throw await readFailure(surface, response, `${options.method ?? 'GET'} ${path.split('?')[0]}`, options)
  const { as = 'json', token } = options
  if (token === undefined) markRefused(surface, false)
  // The caller names the shape that the service's OpenAPI document promises.
  return (as === 'json' ? await response.json() : as === 'text' ? await response.text() : await response.blob()) as T
}

async function send(surface: Surface, path: string, options: AskOptions): Promise<Response> {
  const { method = 'GET', body, headers, signal, token } = options
  try {
    return await fetchAs(surface, path, {
      method,
      body: body === undefined ? null : JSON.stringify(body),
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token.value}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      signal: signal ?? null,
    })
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw new ConsoleError(`Cannot reach ${location.host}: the connection failed`, {
      status: 0,
      hint: 'The console tries again by itself until the server is back.',
    })
  }
}

/** Makes an error of an answer; services answer with `{error: {message, hint}}`, `{error, hint}` or plain text. */
async function readFailure(
  surface: Surface,
  response: Response,
  what: string,
  { token, isAside }: AskOptions,
): Promise<ConsoleError> {
  const { status } = response
  const requestId = response.headers.get('x-request-id') ?? response.headers.get('cf-ray') ?? undefined
  const text = await response.text().catch(() => '')
  const body = parseJson(text)
  if (status === 401) {
    const name = token?.name ?? tokenName(surface)
    const isMissing = token === undefined ? !hasAccess(surface) : token.value === ''
    if (token === undefined && isAside !== true) markRefused(surface, true)
    if (token === undefined && isSessionOver.peek()) return new ConsoleError('Signed out', { status })
    return new ConsoleError(`Cannot ${what}: ${name} is ${isMissing ? 'missing' : 'wrong'}`, {
      status,
      // The banner says it for a service's own token, once for all panels.
      ...(token !== undefined && { hint: 'Open a link that "npx sluice console" prints, or give the token above.' }),
      requestId,
    })
  }
  const { message, hint } = findWords(body, text)
  return new ConsoleError(message === '' ? `Cannot ${what}: status ${status}` : message, {
    status,
    body,
    hint,
    requestId,
  })
}

interface Words {
  readonly message: string
  readonly hint?: string | undefined
}

function findWords(body: unknown, text: string): Words {
  if (!isRecord(body)) return { message: text.slice(0, 500).trim() }
  const { error } = body
  const inner = isRecord(error) ? error : body
  const message = [inner.message, error, inner.detail].find((one) => typeof one === 'string')
  const hint = [inner.hint, body.hint].find((one) => typeof one === 'string')
  return { message: String(message ?? ''), hint: typeof hint === 'string' ? hint : undefined }
}
