/** The children of a taxonomy, as a list or as a map. */

import { numeric } from './codec/value.ts'
import { parseAddress, parseStreamId } from './ids.ts'
import { assertAtLeast, assertFilled, ownProvider } from './operations/parameters.ts'
import type { Client, SendOptions } from './ports.ts'
import type { ActionArg } from './types.ts'

/** A child with its weight. */
export interface WeightedChild {
  readonly stream: {
    readonly streamId: string
    /** The stream's owner; the caller when left out. */
    readonly dataProvider?: string | undefined
  }
  readonly weight: string | number
}

/** Children as a list, or as a map from the ids of one's own streams to weights. */
export type ChildStreams = readonly WeightedChild[] | Readonly<Record<string, string | number>>

/** Makes a list of children, which may be a map. */
export function listChildren(children: ChildStreams): readonly WeightedChild[] {
  // A list is the only form that is an array.
  if (Array.isArray(children)) return children as readonly WeightedChild[]
  return Object.entries(children).map(([streamId, weight]) => ({ stream: { streamId }, weight }))
}

/** A composed stream of one's own and its children. */
export interface TaxonomyParams extends SendOptions {
  readonly streamId: string
  readonly childStreams: ChildStreams
  /** Unix time in seconds; 0 when left out. */
  readonly startDate?: number | undefined
}

/** The arguments of a taxonomy; invalid_argument without a child, or for a malformed one. */
export function readTaxonomy(client: Client, params: TaxonomyParams): readonly ActionArg[] {
  const own = ownProvider(client)
  const { startDate = 0 } = params
  const children = listChildren(params.childStreams)
  assertFilled(children, 'child_streams')
  assertAtLeast(startDate, 0, 'start_date must be >= 0')
  return [
    own,
    parseStreamId(params.streamId),
    children.map(({ stream }) => (stream.dataProvider ? parseAddress(stream.dataProvider, 'data_provider') : own)),
    children.map(({ stream }) => parseStreamId(stream.streamId)),
    numeric(children.map(({ weight }) => weight)),
    startDate,
  ]
}
