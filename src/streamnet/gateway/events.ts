/** Events of a gateway (Server-Sent Events) over one connection after another, and what else its watches ask for. */

import { type IncomingEvent, readEvents } from '../../base/event-stream.ts'
import { isRecord, parseJson } from '../../base/json.ts'
import { assertGoing } from '../call-options.ts'
import { invalidArgument, isStreamNetError, malformedResponse, StreamNetError } from '../errors.ts'
import type { Client } from '../ports.ts'
import { pause, type WatchOptions } from '../watch.ts'

/** A gateway with event streams. */
export interface GatewayParams extends WatchOptions {
  /** The address of the gateway's operations, such as `https://gateway.example/streamnet/v1`. */
  readonly gateway: string
  /** The token of the gateway; a gateway with public reading needs none. */
  readonly token?: string | undefined
}

// A connection that was lost without a word lasts no longer; the next one goes on behind the last event.
const longestConnectionMs = 300_000

/**
 * Gives the events of a path, and goes on behind the last one where a connection broke.
 *
 * @param lastEventId - the id behind which it begins; empty for none.
 * @throws StreamNetError as `watchChanges` does, but for what an event holds.
 */
export async function* watchEvents(
  client: Client,
  params: GatewayParams,
  path: string,
  lastEventId = '',
): AsyncGenerator<IncomingEvent, void> {
  for (let last = lastEventId; ; await pause(client, params)) {
    try {
      const headers = { accept: 'text/event-stream', ...(last && { 'last-event-id': last }) }
      const response = await askGateway(client, params, path, headers)
      for await (const event of readEvents(response?.body ?? null, last)) {
        if (event.event === 'problem') throw fromProblem(parseJson(event.data))
        last = event.lastEventId
        yield event
      }
    } catch (error) {
      throwLasting(client, error)
    }
  }
}

/**
 * Reads the JSON of a path, and asks again while the gateway does not answer.
 *
 * @throws StreamNetError as `watchEvents` does.
 */
export async function readFromGateway(client: Client, params: GatewayParams, path: string): Promise<unknown> {
  for (; ; await pause(client, params)) {
    try {
      const response = await askGateway(client, params, path, { accept: 'application/json' })
      if (response !== null) return parseJson(await response.text())
    } catch (error) {
      throwLasting(client, error)
    }
  }
}

/** The error for an event, or a page, of another shape. */
export function malformedEvent(expected: string): StreamNetError {
  return malformedResponse(`Cannot read the gateway's event: expected ${expected}`)
}

/** Asks the gateway; null where it is overloaded or its node is away. */
async function askGateway(
  { platform, signal }: Client,
  { gateway, token }: GatewayParams,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response | null> {
  assertGoing(signal, 'events')
  if (!/^https?:\/\//.test(gateway)) throw invalidArgument(`gateway is "${gateway}", expected an http or https address`)
  const response = await platform.fetch(gateway.replace(/\/+$/, '') + path, {
    headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) },
    // The token is for this gateway only.
    redirect: 'manual',
    signal: AbortSignal.any([platform.deadline(longestConnectionMs), ...(signal ? [signal] : [])]),
  })
  if (response.ok) return response
  const problem = await response.text()
  if (response.status === 429 || response.status >= 500) return null
  throw fromProblem(parseJson(problem))
}

/** Throws what ends a watch; a connection that broke, or could not be made, does not. */
function throwLasting({ signal }: Client, error: unknown): void {
  assertGoing(signal, 'events')
  if (isStreamNetError(error)) throw error
}

// An event has its message, an answer its detail.
function fromProblem(problem: unknown): StreamNetError {
  const { code, message, detail } = isRecord(problem) ? problem : {}
  const reason = String(message ?? detail ?? 'the gateway refuses it')
  const text = `Cannot watch: ${reason}`
  if (code === 'unauthorized' || code === 'unauthenticated')
    return new StreamNetError('unauthenticated', text, { reason })
  if (code === 'forbidden' || code === 'permission_denied')
    return new StreamNetError('permission_denied', text, { reason })
  if (code === 'not_found') return new StreamNetError('not_found', text, { reason })
  if (code === 'invalid_params') return invalidArgument(text)
  return new StreamNetError('action_failed', text, { action: 'events', reason })
}
