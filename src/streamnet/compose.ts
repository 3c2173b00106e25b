/** A composed stream together with its children. */

import { setTaxonomy } from './operations/composition.ts'
import { deployStream } from './operations/streams.ts'
import type { Client } from './ports.ts'
import { readTaxonomy, type TaxonomyParams } from './taxonomy-children.ts'
import type { TxHash } from './types.ts'

/**
 * Creates a composed stream and gives it its children: two transactions, because the network takes one action each. The
 * children are checked before the first is sent. After a failure of the second the stream exists.
 *
 * @param params - as of `setTaxonomy`.
 * @returns the hash of the second, which is sent when the first has succeeded.
 * @throws StreamNetError as `deployStream` does.
 * @throws StreamNetError as `setTaxonomy` does.
 *
 * @example
 * const basket = generateStreamId('basket')
 * await deployComposedStream(client, { streamId: basket, childStreams: { [streamId]: '1' } })
 */
export async function deployComposedStream(client: Client, params: TaxonomyParams): Promise<TxHash> {
  readTaxonomy(client, params)
  await deployStream(client, { ...params, streamType: 'composed', wait: true })
  return setTaxonomy(client, params)
}
