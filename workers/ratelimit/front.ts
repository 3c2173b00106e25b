/** The way into the connection of a front, which decides where the caller is: for who has FRONT_TOKEN. */

import { version } from '#base/version.ts'
import { refuseSocket } from '#objects/base/refuse-socket.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { frontCloseCodes, frontProtocol } from '#ratelimit/front/messages.ts'
import { nearestRegion } from '#ratelimit/placement/regions.ts'
import { hasBearer } from '../edge/bearer.ts'
import { openIsolate } from './adapters/isolate.ts'
import { readLocation } from './adapters/location.ts'
import { plainError } from './plain-answer.ts'

/** The form of a front's name: one for each process. */
const frontName = /^[\w-]{16,64}$/

/**
 * Opens the connection of a front. The query has its `name`, the `protocol` of its messages and its `release`.
 *
 * A refusal is a WebSocket that closes at once with a code of `frontCloseCodes`, because a client of WebSockets sees
 * nothing of an HTTP answer. No object is asked for a stranger, nor where there is no FRONT_TOKEN.
 */
export async function openFront(request: Request, env: RatelimitEnv & TracedEnv): Promise<Response> {
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') {
    return plainError(426, 'Upgrade Required: a front connects with a WebSocket')
  }
  if (!hasBearer(request, env.FRONT_TOKEN)) {
    const state = env.FRONT_TOKEN === undefined || env.FRONT_TOKEN === '' ? 'it is off' : 'the token is another'
    return refuseFront('unauthorized', `Cannot connect: ${state}, expected the FRONT_TOKEN of the service`)
  }
  const query = new URL(request.url).searchParams
  const name = query.get('name') ?? ''
  if (!frontName.test(name)) return refuseFront('malformed', 'Cannot connect: the name is not of the right form')
  const release = `${query.get('protocol')} ${query.get('release')}`
  if (release !== `${frontProtocol} ${version}`) {
    return refuseFront('forwarding', `Cannot decide in the front: the service is release ${version}, expected the same`)
  }
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT) {
    return refuseFront('forwarding', 'Cannot decide in the front: requests are traced, which the service does')
  }
  const region = nearestRegion(openIsolate(env).settings.LEASE_REGIONS, readLocation(request)) ?? ''
  const url = `https://front.invalid/?region=${region}`
  const opened = await env.FRONT.getByName(name).fetch(url, { headers: { upgrade: 'websocket' } })
  return new Response(null, { status: 101, webSocket: opened.webSocket })
}

/** A setting of all surfaces: requests are traced where it is set. */
interface TracedEnv {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string
}

function refuseFront(code: keyof typeof frontCloseCodes, reason: string): Response {
  return refuseSocket(frontCloseCodes[code], reason)
}
