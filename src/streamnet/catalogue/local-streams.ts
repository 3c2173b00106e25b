/** The catalogue's entries about a node's own streams, operations of `LocalClient`. */

import { type SnakeCase, toCamelCase } from '../../base/naming.ts'
import type { LocalClient } from '../local-client.ts'
import { type CatalogueEntry, list, oneOf, optional, required, shared, table } from './entry.ts'

/** One operation of `LocalClient`; its action is the method of the node's admin server. */
export interface LocalEntry extends Omit<CatalogueEntry, 'operation' | 'kind' | 'action'> {
  readonly operation: keyof LocalClient
  readonly kind: 'view' | 'execute'
  readonly action: `local.${string}`
}

const entry = (
  name: SnakeCase<keyof LocalClient>,
  kind: LocalEntry['kind'],
  parameters: LocalEntry['parameters'],
  result: LocalEntry['result'],
  about: string,
  // Many records and few travel by the same method.
  method: string = name,
): LocalEntry => ({
  name,
  operation: toCamelCase(name) as keyof LocalClient, // the type of `name` is made of these
  kind,
  action: `local.${method}`,
  parameters,
  result,
  about,
})

const rows = table({ event_time: 'integer', value: 'decimal' })
const records = required('records', rows, 'The records, by Unix time in seconds.')
const range = [
  shared.streamId,
  optional('from_time', 'integer', 'From this Unix time in seconds on; the latest record without bounds.'),
  optional('to_time', 'integer', 'Up to this Unix time in seconds.'),
]

/** Every operation of the local client. */
export const localCatalogue: readonly LocalEntry[] = [
  entry(
    'create_stream',
    'execute',
    [shared.streamId, required('stream_type', oneOf('primitive', 'composed'), 'The kind of stream.')],
    'void',
    'Creates a stream on one node.',
  ),
  entry('delete_stream', 'execute', [shared.streamId], 'void', 'Removes a stream with records and taxonomies.'),
  entry('insert_records', 'execute', [shared.streamId, records], 'void', 'Inserts records into a primitive stream.'),
  entry(
    'batch_insert_records',
    'execute',
    [required('batches', list({ record: [shared.streamId, records] }), 'Records by stream.')],
    'void',
    'Inserts records into many streams in one request.',
    'insert_records',
  ),
  entry(
    'insert_taxonomy',
    'execute',
    [
      shared.streamId,
      required('child_stream_ids', list('stream_id'), 'The children.'),
      required('weights', list('decimal'), 'Their weights, in the same order.'),
      optional('start_date', 'integer', 'Unix time in seconds from which it counts.', { default: 0, min: 0 }),
    ],
    'void',
    'Gives a composed stream a new version of its children.',
  ),
  entry(
    'disable_taxonomy',
    'execute',
    [shared.streamId, required('group_sequence', 'integer', 'The version.', { min: 0 })],
    'void',
    "Takes a version of a stream's children out of use.",
  ),
  entry(
    'get_record',
    'view',
    range,
    table({ event_time: 'integer', value: 'decimal', created_at: 'integer' }),
    'Reads records.',
  ),
  entry(
    'get_index',
    'view',
    [...range, optional('base_time', 'integer', 'The time whose index is 100.')],
    rows,
    'Reads the index.',
  ),
  entry(
    'list_streams',
    'view',
    [],
    table({ data_provider: 'address', stream_id: 'stream_id', stream_type: 'string', created_at: 'integer' }),
    'Lists every stream of the node.',
  ),
]
