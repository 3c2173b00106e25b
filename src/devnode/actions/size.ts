/** Actions that tell how much the node keeps. */

import { type Action, table, view } from './action.ts'

/** The network's actions on the size of its database; all tell what this node's own database takes. */
export const sizeActions: readonly Action[] = [
  ...['get_database_size', 'get_database_size_v2'].map((name) =>
    view(name, {}, table({ database_size: 'BIGINT' }), ({ store }) => [[BigInt(store.size())]]),
  ),
  view('get_database_size_v2_pretty', {}, table({ database_size_pretty: 'TEXT' }), ({ store }) => [
    [prettySize(store.size())],
  ]),
]

/** A number of bytes for people, as PostgreSQL's `pg_size_pretty`: a unit lasts up to ten thousand of it. */
export function prettySize(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  let unit = 0
  let size = bytes
  while (Math.round(size) >= 10_240 && unit < units.length - 1) {
    size /= 1024
    unit += 1
  }
  return `${Math.round(size)} ${units[unit]}`
}
