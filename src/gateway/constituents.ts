/** The streams below a composed stream: reading it reveals their values, so a token needs scopes for them as well. */

import { type Client, isStreamNetError, type StreamLocator } from '../streamnet/index.ts'
import { callAction } from '../streamnet/rpc/call.ts'
import { readRows } from '../streamnet/rpc/table.ts'
import { assertAllowed, canReadComposed } from './access.ts'
import { GatewayError } from './errors.ts'
import type { Area, Grant } from './tokens.ts'

/** Converts the place of a stream to an area of scopes. */
export function areaOf({ dataProvider, streamId }: StreamLocator): Area {
  return `${dataProvider.toLowerCase()}/${streamId}`
}

function toLocator(area: Area): StreamLocator {
  const [dataProvider = '', streamId = ''] = area.split('/')
  return { dataProvider, streamId }
}

/** Lists a stream and every stream that was ever below it. Empty for a missing stream; the read that follows reports it. */
export async function readConstituents(client: Client, stream: StreamLocator): Promise<readonly Area[]> {
  const args = [stream.dataProvider, stream.streamId, null, null]
  try {
    const table = await callAction(client, 'get_category_streams', args)
    return readRows(table, { data_provider: 'text', stream_id: 'text' }).map(areaOf)
  } catch (error) {
    if (isStreamNetError(error, 'not_found')) return []
    throw error
  }
}

/**
 * Checks that a token may read every stream that a stream is computed from, by all its taxonomies.
 * A token for everything, or with a scope for the composed stream as a whole, costs no question to the node.
 * Fails as `assertCanReadAreas`, or as `callAction`.
 */
export async function assertCanRead(
  client: Client,
  grant: Pick<Grant, 'scopes'>,
  stream: StreamLocator,
): Promise<void> {
  const area = areaOf(stream)
  if (!canReadComposed(grant, area)) assertCanReadAreas(grant, area, await readConstituents(client, stream))
}

/** Streams checked in parallel. */
const batchSize = 20

/**
 * Checks that a token may read each stream and everything it is computed from. Required of new children: all readers of
 * the composed stream see their values. Fails as `assertCanRead`.
 */
export async function assertCanReadAll(
  client: Client,
  grant: Pick<Grant, 'scopes'>,
  streams: readonly Area[],
): Promise<void> {
  for (let at = 0; at < streams.length; at += batchSize) {
    const batch = streams.slice(at, at + batchSize)
    await Promise.all(batch.map((area) => assertCanRead(client, grant, toLocator(area))))
  }
}

/** Checks that a token may read the constituents of a stream; forbidden names the scopes that would do. */
export function assertCanReadAreas(grant: Pick<Grant, 'scopes'>, stream: Area, constituents: readonly Area[]): void {
  try {
    assertAllowed(grant, 'read', constituents)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    throw new GatewayError('forbidden', error.message, {
      hint: `${stream} is computed from streams that the token may not read; read:${stream}/composed covers it as a whole`,
    })
  }
}
