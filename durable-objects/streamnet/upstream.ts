/** The node behind the gateway: the embedded development node without a network, or a real endpoint. */

import {
  type Client,
  type ClientOptions,
  createClient,
  defaultPlatform,
  type Signer,
} from '../../src/streamnet/index.ts'
import { isObjectFailure, objectFailureText } from '../base/object-failure.ts'
import type { StreamnetEnv } from './env.ts'
import type { NodeAnswer } from './node.ts'

/** The one network that a deployment runs. */
const networkName = 'default'

/** How long one request to the node may take, in milliseconds. */
const requestTimeoutMs = 10_000

/** Tells whether the deployment speaks to the development node that it carries. */
export function isEmbedded(env: StreamnetEnv): boolean {
  return !env.STREAMNET_ENDPOINT
}

/**
 * Makes a client of the node that the deployment names.
 *
 * @param budgetMs - time for everything the client does, in milliseconds; every request has its own bound
 * besides.
 * @throws StreamNetError invalid_argument when `STREAMNET_ENDPOINT` is not an http address.
 */
export function createUpstreamClient(
  env: StreamnetEnv,
  options: {
    readonly signer?: Signer | undefined
    readonly nonces?: ClientOptions['nonces']
    readonly budgetMs?: number
    /** Called with how long each request to the node took, in seconds, and whether an answer came. */
    readonly onAnswer?: (seconds: number, isAnswered: boolean) => void
    /** Called with the state in which the embedded node answered a request; never by another node. */
    readonly onState?: (state: string) => void
  },
): Client {
  const { signer, nonces, budgetMs, onAnswer, onState } = options
  const end = budgetMs === undefined ? Number.POSITIVE_INFINITY : defaultPlatform.now() + budgetMs
  return createClient({
    endpoint: env.STREAMNET_ENDPOINT || 'http://development-node.invalid',
    // The embedded node has the chain of its settings; a real node must have the chain that was asked for.
    chainId: isEmbedded(env) ? undefined : env.STREAMNET_CHAIN_ID || undefined,
    timeoutMs: requestTimeoutMs,
    signer,
    nonces,
    platform: {
      ...defaultPlatform,
      fetch: timed(
        isEmbedded(env) ? (_, init) => fetchFromNode(env, init, onState) : defaultPlatform.fetch,
        onAnswer,
      ),
      deadline: (ms) => defaultPlatform.deadline(Math.max(1, Math.min(ms, end - defaultPlatform.now()))),
    },
  })
}

/** A fetch that tells how long it took. */
function timed(
  fetch: typeof defaultPlatform.fetch,
  onAnswer: ((seconds: number, isAnswered: boolean) => void) | undefined,
): typeof defaultPlatform.fetch {
  if (onAnswer === undefined) return fetch
  return async (address, init) => {
    const startMs = defaultPlatform.now()
    const tell = (isAnswered: boolean) => onAnswer((defaultPlatform.now() - startMs) / 1000, isAnswered)
    try {
      const response = await fetch(address, init)
      tell(true)
      return response
    } catch (error) {
      tell(false)
      throw error
    }
  }
}

/**
 * Asks the embedded node for the name of its state.
 *
 * @returns undefined when it does not answer in time, or fails.
 */
export async function readNodeState(env: StreamnetEnv): Promise<string | undefined> {
  const late = aborted(defaultPlatform.deadline(requestTimeoutMs))
  try {
    return await Promise.race([env.NODE.getByName(networkName).state(), late])
  } catch {
    // The read that follows asks the same object, and says what is wrong with it.
    return undefined
  }
}

/** Calls the node's object as a fetch would: the same answers, the same bound on time, no socket. */
async function fetchFromNode(
  env: StreamnetEnv,
  { body, signal }: RequestInit,
  onState: ((state: string) => void) | undefined,
): Promise<Response> {
  const answer = await Promise.race([askNode(env, String(body)), aborted(signal)])
  onState?.(answer.state)
  if (answer.isCut) throw new TypeError('the connection to the development node broke off')
  return new Response(answer.text, {
    status: answer.status,
    headers: { 'content-type': 'application/json' },
  })
}

/** A node whose object fails answers as a gateway of the network does that has no node to reach. */
async function askNode(env: StreamnetEnv, body: string): Promise<NodeAnswer> {
  try {
    return await env.NODE.getByName(networkName).rpc(body, 'gateway')
  } catch (error) {
    if (!isObjectFailure(error)) throw error
    console.error('Cannot reach the development node', error)
    return { status: 503, text: `no available backend: ${objectFailureText}`, isCut: false, state: '' }
  }
}

function aborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
}
