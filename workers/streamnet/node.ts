/** The development node over HTTP: JSON-RPC, health, and the list of its methods. */

import { metricsType } from '#base/prometheus.ts'
import { listParameters } from '#devnode/rpc/parameters.ts'
import { adminMethods, type MethodTable, publicMethods } from '#devnode/rpc.ts'
import { maxRequestBytes } from '#devnode/settings.ts'
import { objectFailureText } from '#objects/base/object-failure.ts'
import type { StreamnetEnv } from '#objects/streamnet/env.ts'
import { nodeObject } from '#objects/streamnet/upstream.ts'
import { rpcErrorCodes } from '#streamnet/rpc/codes.ts'
import { readText } from '../edge/body.ts'
import { type NodePort, refuseVisitor } from './node-access.ts'

/** Passes JSON-RPC to the node; it has to say that it is JSON, which no foreign page sends without asking. */
export async function answerRpc(request: Request, env: StreamnetEnv, port: NodePort): Promise<Response> {
  const closed = refuseVisitor(request, env, port)
  if (closed !== undefined) return closed
  if (request.method !== 'POST') return refuseMethod('POST')
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '')) {
    return rpcError(415, 'invalid request: expected content-type application/json')
  }
  const body = await readText(request, maxRequestBytes)
  if ('fault' in body && body.fault === 'too_large') {
    return rpcError(413, `invalid request: the body is too large, expected at most ${maxRequestBytes} bytes`)
  }
  if ('fault' in body) return rpcError(400, 'invalid request: the body is not UTF-8')
  const node = nodeObject(env)
  const answer = port === 'admin' ? await node.adminRpc(body.text) : await node.rpc(body.text, 'visitor')
  if (answer.isCut) return brokenAnswer()
  return new Response(answer.text, { status: answer.status, headers: { 'content-type': 'application/json' } })
}

/** The answer to a path that is asked with another method than it takes: 405 in plain text, as a node gives it. */
export function refuseMethod(allow: string): Response {
  return new Response('Method Not Allowed\n', { status: 405, headers: { allow } })
}

/** The health of the node, whole or of its one service: 200, or 503 when it cannot answer. */
export async function answerHealth(
  request: Request,
  env: StreamnetEnv,
  port: NodePort,
  service?: string,
): Promise<Response> {
  const closed = refuseVisitor(request, env, port)
  if (closed !== undefined) return closed
  if (service !== undefined && service !== 'user' && service !== 'chain') {
    return Response.json({ error: `unknown service "${service.slice(0, 64)}"` }, { status: 404 })
  }
  const user: object = await nodeObject(env).health()
  const isHealthy = 'healthy' in user && user.healthy === true
  const body = service === undefined ? { healthy: isHealthy, services: { user, chain: user } } : user
  return Response.json(body, { status: isHealthy ? 200 : 503 })
}

/** The reason why the node takes no transaction; null when it does. */
export function readNodeFault(env: StreamnetEnv): Promise<string | null> {
  return nodeObject(env).fault()
}

/** The metrics of the node as text. */
export function readNodeMetrics(env: StreamnetEnv): Promise<string> {
  return nodeObject(env).metrics()
}

/** The answer 429 to a caller that the gate refuses, as JSON-RPC. */
export function refuseFlood(message: string, headers: Readonly<Record<string, string>>): Response {
  return rpcError(429, message, headers)
}

/** The metrics of the node, on the operator's port. */
export async function answerMetrics(request: Request, env: StreamnetEnv): Promise<Response> {
  const closed = refuseVisitor(request, env, 'admin')
  if (closed !== undefined) return closed
  const headers = { 'content-type': metricsType, 'cache-control': 'no-store' }
  return new Response(await readNodeMetrics(env), { headers })
}

/** The answer while the node's object or its storage fails: 503, as JSON-RPC for those who asked by it. */
export function answerFailure(): Response {
  const error = { code: rpcErrorCodes.nodeInternal, message: `Cannot answer: ${objectFailureText}` }
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 503, headers: { 'retry-after': '2' } })
}

/** The methods of a port as an OpenRPC document. */
export function answerSpec(request: Request, env: StreamnetEnv, port: NodePort): Response {
  const closed = refuseVisitor(request, env, port)
  if (closed !== undefined) return closed
  const methods: MethodTable = port === 'admin' ? adminMethods : publicMethods
  return Response.json({
    openrpc: '1.2.6',
    info: { title: 'Development node of the stream network', version: '0.2.0' },
    methods: [...methods.keys()].map((name) => ({
      name,
      params: listParameters(name),
      paramStructure: 'by-name',
      result: { name: 'result', schema: {} },
    })),
  })
}

function rpcError(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  const error = { code: rpcErrorCodes.invalidRequest, message }
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status, headers })
}

/** An answer that breaks off, for tests of clients that lose their connection. */
function brokenAnswer(): Response {
  const { readable, writable } = new FixedLengthStream(2)
  // Not waited for: the octet is taken once the answer has begun.
  void breakOff(writable.getWriter())
  return new Response(readable, { headers: { 'content-type': 'application/json' } })
}

/** Sends an octet and breaks off once it has left: without the octet a proxy would send an answer in its place. */
async function breakOff(writer: WritableStreamDefaultWriter<Uint8Array>): Promise<void> {
  await writer.write(Uint8Array.of(0x20))
  await scheduler.wait(leavesMs)
  await writer.abort(new Error('the connection breaks off because a test asked for it'))
}

/** Milliseconds in which the beginning of an answer leaves the Worker. */
const leavesMs = 20
