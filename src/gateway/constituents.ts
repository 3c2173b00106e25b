/** The streams that a composed stream is computed from, as areas of scopes: reading it gives their values away. */

import { type Client, isStreamNetError } from '../streamnet/index.ts'
import { callAction } from '../streamnet/rpc/call.ts'
import { readRows } from '../streamnet/rpc/table.ts'
import { assertAllowed, canReadComposed } from './access.ts'
import { GatewayError } from './errors.ts'
import type { Area, Grant } from './tokens.ts'

/** A stream with its owner. */
export interface StreamPlace {
  /** `0x` and 40 lower-case hex digits. */
  readonly dataProvider: string
  readonly streamId: string
}

/** A stream as an area of scopes. */
export function areaOf({ dataProvider, streamId }: StreamPlace): Area {
  return `${dataProvider.toLowerCase()}/${streamId}`
}

/** Asks the node for a stream and all streams ever below it; none for a missing one, as the read will say. */
export async function readConstituents(client: Client, stream: StreamPlace): Promise<readonly Area[]> {
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
 *
 * @throws GatewayError forbidden when a scope is missing; the message names it.
 * @throws StreamNetError as `callAction` does.
 */
export async function assertReadsConstituents(
  client: Client,
  grant: Pick<Grant, 'scopes'>,
  stream: StreamPlace,
): Promise<void> {
  const place = areaOf(stream)
  if (!canReadComposed(grant, place)) assertCovers(grant, place, await readConstituents(client, stream))
}

/** Streams about which the node is asked at once. */
const askedAtOnce = 20

/**
 * Checks of each stream that a token may read everything that it is computed from: a composed stream shows what its
 * children are computed from to all readers of it.
 *
 * @param areas - one stream each.
 * @throws GatewayError as `assertReadsConstituents` does.
 * @throws StreamNetError as `callAction` does.
 */
export async function assertReadsEachWhole(
  client: Client,
  grant: Pick<Grant, 'scopes'>,
  areas: readonly Area[],
): Promise<void> {
  for (let at = 0; at < areas.length; at += askedAtOnce) {
    const some = areas.slice(at, at + askedAtOnce)
    await Promise.all(some.map((area) => assertReadsConstituents(client, grant, parseArea(area))))
  }
}

function parseArea(area: Area): StreamPlace {
  const [dataProvider = '', streamId = ''] = area.split('/')
  return { dataProvider, streamId }
}

/** Checks that a token covers every stream that a stream is computed from; forbidden names the scopes that would. */
export function assertCovers(grant: Pick<Grant, 'scopes'>, place: Area, areas: readonly Area[]): void {
  try {
    assertAllowed(grant, 'read', areas)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    throw new GatewayError('forbidden', error.message, {
      hint: `${place} is computed from streams that the token may not read; read:${place}/composed covers it as a whole`,
    })
  }
}
