/** Changes of a stream as a gateway sends them (Server-Sent Events), over one connection after another. */

import { type IncomingEvent, readEvents } from '../base/event-stream.ts'
import { isRecord } from '../base/json.ts'
import { invalidArgument, isStreamNetError, malformedResponse, StreamNetError } from './errors.ts'
import { parseAddress, parseStreamId } from './ids.ts'
import type { StreamRecord } from './operations/records.ts'
import type { Client } from './ports.ts'
import { assertGoing } from './rpc/transport.ts'
import { pause, type WatchOptions } from './watch.ts'

/** A stream of a gateway. */
export interface WatchChangesParams extends WatchOptions {
  /** The address of the gateway's operations, such as `https://gateway.example/streamnet/v1`. */
  readonly gateway: string
  /** The token of the gateway; a gateway with public reading needs none. */
  readonly token?: string | undefined
  readonly dataProvider: string
  readonly streamId: string
  /** Unix time in seconds of the first record that is watched; that of the newest one when left out. */
  readonly from?: number | undefined
  /** The `id` of the last change that was seen, to go on behind it. */
  readonly lastEventId?: string | undefined
}

/** Records that are new, or have another value, since the change before. */
export interface StreamChange {
  /** Goes on behind this change as `lastEventId`. */
  readonly id: string
  readonly height: number
  readonly records: readonly StreamRecord[]
}

// A connection that was lost without a word lasts no longer; the next one goes on behind the last change.
const longestConnectionMs = 300_000

/**
 * Gives the changes of a stream as a gateway sends them, those of records that have another value too. The first has
 * the height and may have no records. It goes on where a connection broke, until the signal of `withOptions` ends it
 * or its loop is left: a record may come twice and is never left out.
 *
 * @param params - `intervalMs` between two connections, 1000 when left out.
 * @throws StreamNetError unauthenticated when the gateway does not know the token.
 * @throws StreamNetError permission_denied when the token or the stream does not allow it.
 * @throws StreamNetError not_found when the stream does not exist.
 * @throws StreamNetError invalid_argument when the gateway takes a parameter for malformed.
 * @throws StreamNetError malformed_response when an event is not a change.
 *
 * @example
 * const gateway = 'https://gateway.example/streamnet/v1'
 * const changes = watchChanges(client, { gateway, token: 'read', dataProvider: provider, streamId })
 * await changes.return()
 */
export async function* watchChanges(client: Client, params: WatchChangesParams): AsyncGenerator<StreamChange, void> {
  let lastEventId = params.lastEventId ?? ''
  for (;;) {
    try {
      for await (const event of readEvents(await connect(client, params, lastEventId), lastEventId)) {
        if (event.event === 'problem') throw fromProblem(parseJson(event.data))
        if (event.event !== 'records') continue
        lastEventId = event.lastEventId
        yield readChange(event)
      }
    } catch (error) {
      assertGoing(client.signal, 'events')
      if (isStreamNetError(error)) throw error
      // The connection broke, or could not be made.
    }
    await pause(client, params)
  }
}

/** Opens the event stream; null where the gateway is overloaded or its node is away. */
async function connect(
  { platform, signal }: Client,
  params: WatchChangesParams,
  lastEventId: string,
): Promise<ReadableStream<Uint8Array> | null> {
  assertGoing(signal, 'events')
  const { gateway, token, from } = params
  const place = `${parseAddress(params.dataProvider, 'data_provider')}/${parseStreamId(params.streamId)}`
  if (!/^https?:\/\//.test(gateway)) throw invalidArgument(`gateway is "${gateway}", expected an http or https address`)
  const response = await platform.fetch(
    `${gateway.replace(/\/+$/, '')}/streams/${place}/events${from === undefined ? '' : `?from=${from}`}`,
    {
      headers: {
        accept: 'text/event-stream',
        ...(token && { authorization: `Bearer ${token}` }),
        ...(lastEventId && { 'last-event-id': lastEventId }),
      },
      // The token is for this gateway only.
      redirect: 'manual',
      signal: AbortSignal.any([platform.deadline(longestConnectionMs), ...(signal ? [signal] : [])]),
    },
  )
  if (response.ok) return response.body
  const problem = await response.text()
  if (response.status === 429 || response.status >= 500) return null
  throw fromProblem(parseJson(problem))
}

function readChange({ data, lastEventId }: IncomingEvent): StreamChange {
  const change = parseJson(data)
  const { height, records } = isRecord(change) ? change : {}
  const isRecords = Array.isArray(records) && records.every(isStreamRecord)
  if (isRecords && typeof height === 'number') return { id: lastEventId, height, records }
  throw malformedResponse("Cannot read the gateway's event: it is not a change, expected a height and records")
}

function isStreamRecord(value: unknown): value is StreamRecord {
  return isRecord(value) && Number.isSafeInteger(value.date) && typeof value.value === 'string'
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
