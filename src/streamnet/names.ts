/** Names of streams, kept in their metadata: an id is only the hash of a name. */

import { nearest } from '../base/nearest.ts'
import { invalidArgument } from './errors.ts'
import { insertMetadata } from './operations/metadata.ts'
import type { HeightRange } from './operations/parameters.ts'
import { listMetadataByHeight } from './operations/stream-metadata.ts'
import type { Client, SendOptions } from './ports.ts'
import type { TxHash } from './types.ts'

// The network takes any key that it does not use itself.
const key = 'name'
const maxCharacters = 200

/** A stream and the name that its owner gave it. */
export interface NamedStream {
  readonly dataProvider: string
  readonly streamId: string
  readonly name: string
}

/**
 * Gives one's own stream a name, or another one; any reader of the network gets it.
 *
 * @param params - `name` has 1 to 200 characters.
 * @throws StreamNetError invalid_argument when the id is malformed, or the name is empty or longer.
 * @throws StreamNetError as `sendTransaction` does.
 *
 * @example
 * await setStreamName(client, { streamId, name: 'price of bread' })
 */
export async function setStreamName(
  client: Client,
  params: { readonly streamId: string; readonly name: string } & SendOptions,
): Promise<TxHash> {
  const { name } = params
  if (name.trim() === '' || name.length > maxCharacters) {
    throw invalidArgument(`name has ${name.trim().length} characters, expected 1 to ${maxCharacters}`)
  }
  return insertMetadata(client, params, [key, name, 'string'])
}

/**
 * Lists the streams that have a name, with the newest name of each, in one read.
 *
 * @param params - a range of block heights; `limit` is 1 to 10,000 names, 10,000 when left out.
 * @throws StreamNetError invalid_argument when a height or the page is out of range.
 * @throws StreamNetError as `callAction` does.
 *
 * @example
 * const named = await listStreamNames(client)
 */
export async function listStreamNames(client: Client, params: HeightRange = {}): Promise<readonly NamedStream[]> {
  const rows = await listMetadataByHeight(client, { limit: 10_000, ...params, key })
  // Oldest first: a later name takes the place of an earlier one.
  const named = new Map<string, NamedStream>()
  for (const { dataProvider, streamId, valueS: name } of rows) {
    if (name !== null) named.set(`${dataProvider}/${streamId}`, { dataProvider, streamId, name })
  }
  return [...named.values()]
}

/**
 * Finds the stream of a name. Owners choose names freely, so that two streams may have one.
 *
 * @param streams - those of `listStreamNames`, or a list that the program keeps.
 * @param name - the whole name.
 * @throws StreamNetError invalid_argument when no stream has the name, or more than one.
 *
 * @example
 * const { dataProvider } = findStreamByName([{ dataProvider: provider, streamId, name: 'bread' }], 'bread')
 */
export function findStreamByName(streams: readonly NamedStream[], name: string): NamedStream {
  const [found, ...others] = streams.filter((stream) => stream.name === name)
  if (found === undefined) {
    const near = nearest(name, new Set(streams.map((stream) => stream.name)))
    throw invalidArgument(`Cannot find a stream: none is named "${name}"${near ? `; did you mean "${near}"?` : ''}`)
  }
  if (others.length === 0) return found
  const places = [found, ...others].slice(0, 5).map(({ dataProvider, streamId }) => `${dataProvider}/${streamId}`)
  throw invalidArgument(
    `Cannot find a stream: ${others.length + 1} are named "${name}" (${places.join(', ')}), expected the provider and id of one`,
  )
}
