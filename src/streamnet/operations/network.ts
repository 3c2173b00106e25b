/** The network as a whole: the caller as it sees one, and the size of its database. */

import type { Client } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { readRows } from '../rpc/table.ts'
import { requireFirst } from './parameters.ts'

/**
 * The caller as the network sees it; empty without a signer.
 *
 * @returns an address in the mixed case of EIP-55.
 * @throws StreamNetError as `callAction` does.
 *
 * @example
 * const caller = await whoami(client)
 */
export async function whoami(client: Client): Promise<string> {
  return requireFirst(readRows(await callAction(client, 'whoami', []), { caller: 'text' }), 'no caller').caller
}

/**
 * The size of the network's database in bytes, which its nodes may estimate.
 *
 * @throws StreamNetError as `callAction` does.
 *
 * @example
 * const bytes = await getDatabaseSize(client)
 */
export async function getDatabaseSize(client: Client): Promise<bigint> {
  const rows = readRows(await callAction(client, 'get_database_size_v2', []), { database_size: 'int8' })
  return requireFirst(rows, 'no size').databaseSize
}

/**
 * The size of the network's database in words, such as `22 GB`.
 *
 * @throws StreamNetError as `callAction` does.
 *
 * @example
 * const size = await getDatabaseSizePretty(client)
 */
export async function getDatabaseSizePretty(client: Client): Promise<string> {
  const table = await callAction(client, 'get_database_size_v2_pretty', [])
  return requireFirst(readRows(table, { database_size_pretty: 'text' }), 'no size').databaseSizePretty
}
