/** Operations of the gateway by name: every operation of the client's catalogue, and bulk insertion as a job. */

import { type SnakeCase, toCamelCase } from '../base/naming.ts'
import { nearestNames } from '../base/nearest.ts'
import { type BulkOptions, bulkDefaults } from '../streamnet/bulk/options.ts'
import { type CatalogueEntry, optional, type Parameter } from '../streamnet/catalogue/entry.ts'
import { withForce } from '../streamnet/catalogue/slips.ts'
import { catalogue, findOperation } from '../streamnet/catalogue.ts'
import { GatewayError } from './errors.ts'

/** An operation by name; a `job` answers at once and goes on by itself. */
export type GatewayEntry = Pick<CatalogueEntry, 'name' | 'parameters' | 'about' | 'access'> &
  (Pick<CatalogueEntry, 'kind' | 'result'> | { readonly kind: 'job' })

const batches = findOperation('batch_insert_records')?.parameters.slice(0, 1) ?? []

/** An option of the client's inserter that is a number, with its default there. */
function option(name: SnakeCase<keyof BulkOptions>, min: number, max: number, about: string): Parameter {
  const key = toCamelCase(name) as keyof BulkOptions // the type of `name` is made of these
  return optional(name, 'integer', about, { default: bulkDefaults[key], min, max })
}

/** Bulk insertion: the client's `insert_all` with the inserter's own parameters. */
export const insertAll: GatewayEntry = withForce({
  name: 'insert_all',
  kind: 'job',
  parameters: [
    ...batches,
    option('batch_size', 1, 10, 'Records in a transaction.'),
    option('max_inflight', 1, 10_000, 'Transactions broadcast before their confirmations are awaited.'),
    option('max_attempts', 1, 1000, 'Attempts of a chunk when the nonce is taken or the pool is full.'),
    option('catchup_backoff_seconds', 0, 3600, 'By how much the wait grows while the node catches up.'),
    option('catchup_max_attempts', 1, 1000, 'Attempts of a chunk while the node catches up.'),
    option('infra_max_attempts', 1, 1000, 'Attempts of a chunk when no node was reached.'),
    option('confirm_timeout_seconds', 1, 86_400, 'How long to wait for one block.'),
    optional(
      'fail_on_chain_error',
      'boolean',
      'Fail when a transaction fails in its block; false asks only for inclusion.',
      { default: true },
    ),
  ],
  about: 'Inserts any number of records as a job that survives restarts; ask for its progress, cancel or resume it.',
})

/** Everything, in the order of the documents. */
export const entries: readonly GatewayEntry[] = [...catalogue.map((entry) => withForce(entry)), insertAll]

const byName: ReadonlyMap<string, GatewayEntry> = new Map(entries.map((entry) => [entry.name, entry]))

/** Tells whether there is an operation of this name. */
export function isEntry(name: string): boolean {
  return byName.has(name)
}

/** Finds an operation by its exact name; unknown_operation has the nearest names. */
export function requireEntry(name: string): GatewayEntry {
  const entry = byName.get(name)
  if (entry !== undefined) return entry
  const near = nearestNames(name, [...byName.keys()])
  throw new GatewayError(
    'unknown_operation',
    `Cannot find operation: "${name.slice(0, 64)}" does not exist${near.length > 0 ? `, perhaps ${near.join(', ')}` : ''}`,
    {
      hint: /live|event|watch|subscribe/i.test(name)
        ? 'live records are at GET /streamnet/v1/streams/{data_provider}/{stream_id}/events'
        : 'GET /streamnet/v1 lists every operation',
    },
  )
}
