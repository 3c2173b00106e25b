/** The network of a session: a built-in one, or the one that its configuration carries. */

import { memo, memoBounded } from '../../base/memo.ts'
import type { Configuration } from '../configuration.ts'
import { toNetwork } from './case-tables.ts'
import { findCase } from './cases/catalogue.ts'
import type { Network } from './network.ts'

/** The same value for the same tables, so that plans made for it are kept. */
const readTables = memo(toNetwork)

/** Numbers of stations for which a network is kept: more than a session may choose. */
const mostCounts = 16

/** The same network with a number of IEC 61850 stations, spread evenly over the buses that have breakers. */
const withStations = memo((network: Network) =>
  memoBounded(mostCounts, (count: number): Network => {
    const buses = network.buses.filter(({ id }) => network.branches.some(({ from }) => from === id))
    const places = Array.from({ length: count }, (_, at) => Math.floor(((at + 1) * buses.length) / (count + 1)))
    return { ...network, iec61850Buses: [...new Set(places)].flatMap((at) => buses[at]?.id ?? []) }
  }),
)

/**
 * Finds the network of a session. An imported one is in the configuration: a later import does not change the session.
 *
 * @throws GridError invalid_case when there is no such case, or a row of the tables has a wrong length.
 */
export function findNetwork({
  case: name,
  network: tables,
  iec61850 = 0,
}: Pick<Configuration, 'case' | 'network'> & Partial<Pick<Configuration, 'iec61850'>>): Network {
  const network = tables === undefined ? findCase(name) : readTables(tables)
  return iec61850 === 0 ? network : withStations(network)(iec61850)
}
