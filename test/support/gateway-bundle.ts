/** The built stream surface on a real socket, with a key that may write, and a short way to call its gateway. */

import { createSigner } from '#streamnet/index.ts'
import { type BundleOptions, operatorToken, type RunningBundle, startBundle } from './bundle.ts'
import { findShapeMistakes } from './gateway-shapes.ts'

/** A throw-away key. */
export const gatewayKey = '3c'.repeat(32)
/** Its address: the data provider of everything the gateway writes. */
export const gatewayAddress = createSigner(gatewayKey).address
/** The token for everything. */
export const fullToken = 'full-token-of-the-tests'

/** The variables of a gateway in front of its development node, on which its key may do everything. */
export const gatewayVars = {
  STREAMNET_PRIVATE_KEY: gatewayKey,
  STREAMNET_TOKEN: fullToken,
  STREAMNET_DEVELOPMENT: 'true',
  STREAMNET_MANAGERS: gatewayAddress,
  STREAMNET_WRITERS: gatewayAddress,
} as const

/** An answer of the gateway. */
export interface GatewayAnswer {
  readonly status: number
  readonly headers: Headers
  /** The whole body as JSON; null when there was none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any
}

/** Further options of a call. */
export interface CallOptions {
  readonly method?: string
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

/** A gateway that runs. */
export interface RunningGateway extends RunningBundle {
  /** Calls a path below `/streamnet/v1`; with a body it is a POST. */
  call(path: string, body?: unknown, options?: CallOptions): Promise<GatewayAnswer>
  /** Posts an operation and gives its result. @throws Error with the whole answer when it is a problem. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
  run(operation: string, params?: unknown): Promise<any>
}

/** Starts only the stream surface. */
export async function startGateway(options: BundleOptions = {}): Promise<RunningGateway> {
  const bundle = await startBundle({ worker: 'streamnet', ...options, vars: { ...gatewayVars, ...options.vars } })
  const call = gatewayCaller(bundle.url)
  return {
    ...bundle,
    call,
    async run(operation, params = {}) {
      const { status, body } = await call(`/${operation}`, params)
      if (status >= 300) throw new Error(`${operation} answered ${status}: ${JSON.stringify(body)}`)
      return body.result
    },
  }
}

/** Starts only the stream surface, without a key: a development node on which a wallet may write. */
export function startNode(writer: string, vars: Readonly<Record<string, string>> = {}): Promise<RunningBundle> {
  const own = { STREAMNET_DEVELOPMENT: 'true', STREAMNET_WRITERS: writer, STREAMNET_ADMIN_TOKEN: operatorToken }
  return startBundle({ worker: 'streamnet', rebuild: true, vars: { ...own, ...vars } })
}

/** Calls a development method of the node at the operator's path, and gives its result. @throws Error with the error. */
export async function operateNode(
  { url }: Pick<RunningGateway, 'url'>,
  token: string,
  method: string,
  params: object,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`${url}/streamnet/admin/rpc/v1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  // Every answer of the path is an object with a result or an error.
  const { result, error } = (await response.json()) as { result?: object; error?: unknown }
  if (result === undefined) throw new Error(JSON.stringify(error))
  return { ...result }
}

/**
 * Calls a gateway at an address.
 *
 * @throws Error when an answer is not of the shape that the gateway's own description has for it.
 */
export function gatewayCaller(url: string): RunningGateway['call'] {
  return async (path, body, { method = body === undefined ? 'GET' : 'POST', token = fullToken, headers = {} } = {}) => {
    const response = await fetch(`${url}/streamnet/v1${path}`, {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const answered = text === '' ? null : JSON.parse(text)
    const mistakes =
      text === '' ? undefined : findShapeMistakes(method, new URL(response.url).pathname, response.status, answered)
    if (mistakes !== undefined) throw new Error(`${method} ${path} is not described: ${JSON.stringify(mistakes)}`)
    return { status: response.status, headers: response.headers, body: answered }
  }
}
