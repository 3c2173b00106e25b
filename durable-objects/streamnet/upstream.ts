/** The node behind the gateway: the embedded development node without a network, or a real endpoint. */

import { areDirect, type DirectOutcome, type DirectView } from '#devnode/rpc/direct-view.ts'
import { type Client, type ClientOptions, createClient, defaultPlatform, type Signer } from '#streamnet/index.ts'
import type { CallResult } from '#streamnet/ports.ts'
import { readResult } from '#streamnet/rpc/call.ts'
import { proveCall } from '#streamnet/rpc/prove-call.ts'
import type { ActionArg } from '#streamnet/types.ts'
import { isObjectFailure, objectFailureText } from '../base/object-failure.ts'
import type { StreamnetEnv } from './env.ts'
import type { NodeAnswer, NodeObject } from './node.ts'

/** The object of the embedded node: a deployment runs one network. */
export function nodeObject(env: StreamnetEnv): DurableObjectStub<NodeObject> {
  return env.NODE.getByName('default')
}

/** The milliseconds that one request to the node may take. */
const requestTimeoutMs = 10_000

/** Tells whether the deployment speaks to the development node that it carries. */
export function isEmbedded(env: StreamnetEnv): boolean {
  return !env.STREAMNET_ENDPOINT
}

interface UpstreamOptions {
  readonly signer?: Signer | undefined
  readonly nonces?: ClientOptions['nonces']
  /** Time for everything the client does, in milliseconds; every request has its own bound besides. */
  readonly budgetMs?: number
  /** Called with how long each request to the node took, in seconds, and whether an answer came. */
  readonly onAnswer?: (seconds: number, isAnswered: boolean) => void
  /** Called with the state in which the embedded node answered a request; never by another node. */
  readonly onState?: (state: string) => void
}

/** Makes a client of the node that the deployment names; invalid_argument where that is not an http address. */
export function createUpstreamClient(env: StreamnetEnv, options: UpstreamOptions): Client {
  const { signer, nonces, budgetMs, onAnswer, onState } = options
  const end = budgetMs === undefined ? Number.POSITIVE_INFINITY : defaultPlatform.now() + budgetMs
  const within = (ms: number) => Math.max(1, Math.min(ms, end - defaultPlatform.now()))
  const client = createClient({
    endpoint: env.STREAMNET_ENDPOINT || 'http://development-node.invalid',
    // The embedded node has the chain of its settings; a real node must have the chain that was asked for.
    chainId: isEmbedded(env) ? undefined : env.STREAMNET_CHAIN_ID || undefined,
    timeoutMs: requestTimeoutMs,
    signer,
    proveCall,
    nonces,
    platform: {
      ...defaultPlatform,
      fetch: timed(isEmbedded(env) ? (_, init) => fetchFromNode(env, init, onState) : defaultPlatform.fetch, onAnswer),
      deadline: (ms) => defaultPlatform.deadline(within(ms)),
    },
  })
  if (!isEmbedded(env)) return client
  return {
    ...client,
    view: (action, args) =>
      viewNode(env, { action, args, sender: signer?.address }, { ...options, mostMs: within(requestTimeoutMs) }),
  }
}

/** Reads a view of the node's object; undefined after any failure, whose error the client gets over the wire. */
async function viewNode(
  env: StreamnetEnv,
  { action, args, sender }: Pick<DirectView, 'action' | 'sender'> & { readonly args: readonly ActionArg[] },
  { onAnswer, onState, mostMs }: Pick<UpstreamOptions, 'onAnswer' | 'onState'> & { readonly mostMs: number },
): Promise<CallResult | undefined> {
  if (!areDirect(args)) return undefined
  const startMs = defaultPlatform.now()
  const tell = (isAnswered: boolean) => onAnswer?.((defaultPlatform.now() - startMs) / 1000, isAnswered)
  const answer = await inTime(() => nodeObject(env).view({ action, args, sender }), mostMs)
  if (answer === 'late') tell(false)
  if (answer === 'late' || answer === undefined) return undefined
  tell(true)
  onState?.(answer.state)
  // Only NodeObject.view() writes this text.
  return readResult(JSON.parse(answer.text) as DirectOutcome)
}

/** An answer of the node's object; undefined when it fails. The timer is cleared with the answer: a signal would be held. */
async function inTime<T>(ask: () => Promise<T>, mostMs: number): Promise<T | 'late' | undefined> {
  let timer: ReturnType<typeof setTimeout> | null = null
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, mostMs, 'late')
  })
  try {
    return await Promise.race([ask(), late])
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

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

/** Asks the embedded node for the name of its state; undefined when it does not answer in time, or fails. */
export async function readNodeState(env: StreamnetEnv): Promise<string | undefined> {
  const state = await inTime(() => nodeObject(env).state(), requestTimeoutMs)
  // The read that follows asks the same object, and says what is wrong with it.
  return state === 'late' ? undefined : state
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
  return new Response(answer.text, { status: answer.status, headers: { 'content-type': 'application/json' } })
}

/** Asks the node's object; where it fails, the answer is that of a network's gateway that reaches no node. */
async function askNode(env: StreamnetEnv, body: string): Promise<NodeAnswer> {
  try {
    return await nodeObject(env).rpc(body, 'gateway')
  } catch (error) {
    if (!isObjectFailure(error)) throw error
    console.error('Cannot reach the development node', error)
    return { status: 503, text: `no available backend: ${objectFailureText}`, isCut: false, state: '' }
  }
}

function aborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
}
