/** A node that scenarios are played against: its public methods, and the development methods that prepare it. */

import { ScenarioError } from './scenario.ts'

/** Answer of a method: its result, or the code and the text of its refusal. */
export type RpcOutcome =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }

/** A node under test. */
export interface NodeConnection {
  /** Calls a method of the public port. */
  call(method: string, params: object): Promise<RpcOutcome>
  /** Calls a `dev.*` method and gives its result. @throws ScenarioError when the node refuses it. */
  operate(method: string, params?: object): Promise<unknown>
}

/** The addresses of a node. */
export interface NodeEndpoints {
  /** Of the public port, without `/rpc/v1`. */
  readonly endpoint: string
  /** Of the operator's port, which has the `dev.*` methods. */
  readonly operator: string
  /** Bearer token of the operator's port; undefined where it asks for none. */
  readonly token: string | undefined
}

/** Connects to a node over HTTP. Nothing is sent before the first call. */
export function connectNode({ endpoint, operator, token }: NodeEndpoints): NodeConnection {
  return {
    call: (method, params) => post(endpoint, method, params, undefined),
    async operate(method, params = {}) {
      const answer = await post(operator, method, params, token)
      if ('result' in answer) return answer.result
      throw new ScenarioError(`Cannot prepare the node: ${method} answered "${answer.error.message}"`)
    },
  }
}

/**
 * Default address of the operator: beside the public port of a deployment by its path, of
 * `npm start` by the next port.
 */
export function operatorEndpoint(endpoint: string): string {
  const url = new URL(endpoint)
  if (/\/streamnet\/node\/?$/.test(url.pathname)) return endpoint.replace(/\/node\/?$/, '/admin')
  url.port = String(Number(url.port || (url.protocol === 'https:' ? 443 : 80)) + 1)
  return url.href.replace(/\/$/, '')
}

async function post(endpoint: string, method: string, params: object, token: string | undefined): Promise<RpcOutcome> {
  const address = `${endpoint.replace(/\/$/, '')}/rpc/v1`
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  let text: string
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    text = await response.text()
  } catch (cause) {
    throw new ScenarioError(`Cannot reach the node: ${address} does not answer`, { cause })
  }
  const answer = parseOutcome(text)
  if (answer !== undefined) return answer
  throw new ScenarioError(`Cannot reach the node: ${address} answered "${text.slice(0, 80)}", expected JSON-RPC`)
}

function parseOutcome(text: string): RpcOutcome | undefined {
  try {
    const json: unknown = JSON.parse(text)
    if (typeof json !== 'object' || json === null) return undefined
    if ('result' in json) return { result: json.result }
    // The two members of a JSON-RPC answer are the two forms of an outcome.
    if ('error' in json && typeof json.error === 'object') return json as RpcOutcome
  } catch {
    // Told by the caller, with the text.
  }
  return undefined
}
