/** Servers of Node on loopback. */

import type { AddressInfo, Server } from 'node:net'
import { once } from './wait.ts'

/** Waits until a server listens, on a port that the system chooses, and gives the port. */
export async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // A server on a port has an address with a number.
  return (server.address() as AddressInfo).port
}
