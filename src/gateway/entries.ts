/** Operations of the gateway by name: every operation of the client's catalogue, and bulk insertion as a job. */

import { nearestNames } from '../base/nearest.ts'
import type { CatalogueEntry, Parameter } from '../streamnet/catalogue/entry.ts'
import { withForce } from '../streamnet/catalogue/slips.ts'
import { catalogue } from '../streamnet/catalogue.ts'
import { GatewayError } from './errors.ts'

/** An operation by name; a `job` answers at once and goes on by itself. */
export type GatewayEntry = Pick<CatalogueEntry, 'name' | 'parameters' | 'about' | 'access'> &
  (Pick<CatalogueEntry, 'kind' | 'result'> | { readonly kind: 'job' })

function option(name: string, about: string, rules: Pick<Parameter, 'default' | 'min' | 'max'>): Parameter {
  return { name, type: 'integer', required: false, about, ...rules }
}

const batches = catalogue.find(({ name }) => name === 'batch_insert_records')?.parameters.slice(0, 1) ?? []

/** Bulk insertion: the client's `insert_all` with the inserter's own parameters. */
export const insertAll: GatewayEntry = withForce({
  name: 'insert_all',
  kind: 'job',
  parameters: [
    ...batches,
    option('batch_size', 'Records in a transaction.', { default: 10, min: 1, max: 10 }),
    option('max_inflight', 'Transactions broadcast before their confirmations are awaited.', {
      default: 200,
      min: 1,
      max: 10_000,
    }),
    option('max_attempts', 'Attempts of a chunk when the nonce is taken or the pool is full.', {
      default: 15,
      min: 1,
      max: 1000,
    }),
    option('catchup_backoff_seconds', 'By how much the wait grows while the node catches up.', {
      default: 15,
      min: 0,
      max: 3600,
    }),
    option('catchup_max_attempts', 'Attempts of a chunk while the node catches up.', {
      default: 20,
      min: 1,
      max: 1000,
    }),
    option('infra_max_attempts', 'Attempts of a chunk when no node was reached.', {
      default: 10,
      min: 1,
      max: 1000,
    }),
    option('confirm_timeout_seconds', 'How long to wait for one block.', {
      default: 600,
      min: 1,
      max: 86_400,
    }),
    {
      name: 'fail_on_chain_error',
      type: 'boolean',
      required: false,
      default: true,
      about: 'Fail when a transaction fails in its block; false asks only for inclusion.',
    },
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

/**
 * Finds an operation by its exact name.
 *
 * @throws GatewayError unknown_operation when there is none of this name; the message has the nearest names.
 */
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
