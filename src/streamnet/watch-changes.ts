/** Changes of a stream as a gateway sends them. */

import type { IncomingEvent } from '../base/event-stream.ts'
import { isRecord, parseJson } from '../base/json.ts'
import { malformedResponse } from './errors.ts'
import { type GatewayParams, watchEvents } from './gateway/events.ts'
import { parseAddress, parseStreamId } from './ids.ts'
import type { StreamRecord } from './operations/records.ts'
import type { Client } from './ports.ts'

/** A stream of a gateway. */
export interface WatchChangesParams extends GatewayParams {
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
  const { from, lastEventId } = params
  const place = `${parseAddress(params.dataProvider, 'data_provider')}/${parseStreamId(params.streamId)}`
  const path = `/streams/${place}/events${from === undefined ? '' : `?from=${from}`}`
  for await (const event of watchEvents(client, params, path, lastEventId)) {
    if (event.event === 'records') yield readChange(event)
  }
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
