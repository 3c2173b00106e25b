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

/** Makes the entry of an operation that changes something. */
function execute(name: SnakeCase<keyof LocalClient>, parameters: LocalEntry['parameters'], about: string): LocalEntry {
  return { ...nameEntry(name), kind: 'execute', parameters, result: 'void', about }
}

/** Makes the entry of an operation that reads. */
function view(
  name: SnakeCase<keyof LocalClient>,
  parameters: LocalEntry['parameters'],
  result: LocalEntry['result'],
  about: string,
): LocalEntry {
  return { ...nameEntry(name), kind: 'view', parameters, result, about }
}

function nameEntry(name: SnakeCase<keyof LocalClient>): Pick<LocalEntry, 'name' | 'operation' | 'action'> {
  // The type of `name` is made of these.
  return { name, operation: toCamelCase(name) as keyof LocalClient, action: `local.${name}` }
}

const rows = table({ event_time: 'integer', value: 'decimal' })
const records = required('records', rows, 'The records, by Unix time in seconds.')
const range = [
  shared.streamId,
  optional('from_time', 'integer', 'From this Unix time in seconds on; the latest record without bounds.'),
  optional('to_time', 'integer', 'Up to this Unix time in seconds.'),
]

/** Every operation of the local client. */
export const localCatalogue: readonly LocalEntry[] = [
  execute(
    'create_stream',
    [shared.streamId, required('stream_type', oneOf('primitive', 'composed'), 'The kind of stream.')],
    'Creates a stream on one node.',
  ),
  execute('delete_stream', [shared.streamId], 'Removes a stream with records and taxonomies.'),
  execute('insert_records', [shared.streamId, records], 'Inserts records into a primitive stream.'),
  {
    ...execute(
      'batch_insert_records',
      [required('batches', list({ record: [shared.streamId, records] }), 'Records by stream.')],
      'Inserts records into many streams in one request.',
    ),
    // Records of one stream and of many travel by the same method.
    action: 'local.insert_records',
  },
  execute(
    'insert_taxonomy',
    [
      shared.streamId,
      required('child_stream_ids', list('stream_id'), 'The children.'),
      required('weights', list('decimal'), 'Their weights, in the same order.'),
      optional('start_date', 'integer', 'Unix time in seconds from which it counts.', { default: 0, min: 0 }),
    ],
    'Gives a composed stream a new version of its children.',
  ),
  execute(
    'disable_taxonomy',
    [shared.streamId, required('group_sequence', 'integer', 'The version.', { min: 0 })],
    "Takes a version of a stream's children out of use.",
  ),
  view(
    'get_record',
    range,
    table({ event_time: 'integer', value: 'decimal', created_at: 'integer' }),
    'Reads records.',
  ),
  view(
    'get_index',
    [...range, optional('base_time', 'integer', 'The time whose index is 100.')],
    rows,
    'Reads the index.',
  ),
  view(
    'list_streams',
    [],
    table({ data_provider: 'address', stream_id: 'stream_id', stream_type: 'string', created_at: 'integer' }),
    'Lists every stream of the node.',
  ),
]
