/** The network of a session: a built-in one, or the one that its configuration carries. */

import { memo } from '../../base/memo.ts'
import type { Configuration } from '../configuration.ts'
import { toNetwork } from './case-tables.ts'
import { findCase } from './cases/catalogue.ts'

/** The same value for the same tables, so that plans made for it are kept. */
const readTables = memo(toNetwork)

/**
 * Finds the network of a session; it is in the configuration, so that no change of a stored network reaches it.
 *
 * @throws GridError invalid_case when there is no such case, or a row of the tables has a wrong length.
 */
export function findNetwork({ case: name, network }: Pick<Configuration, 'case' | 'network'>) {
  return network === undefined ? findCase(name) : readTables(network)
}
