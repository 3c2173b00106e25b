/** Rate limit services for a file of tests: they start before its tests and end after them. */

import { afterAll, beforeAll } from 'vitest'
import {
  buildService,
  type ServiceClient,
  type Services,
  type ServicesOptions,
  startServices,
} from './ratelimit-servers.ts'

/** Services of a file, to be asked for in its hooks and tests. */
export interface HostedServices extends Pick<Services, 'objects'> {
  /** The client of one service, by default of the first. */
  client(place?: number): ServiceClient
  clients(): readonly ServiceClient[]
  /** The address of a runtime's own socket. */
  runtimeUrl(place: number): string
}

/** Hosts one service for every set of variables; hooks that are declared later may ask them. */
export function hostServices(
  all: readonly Readonly<Record<string, string>>[],
  options: ServicesOptions = {},
): HostedServices {
  let services: Services | undefined
  const find = <T>(part: (started: Services) => T | undefined): T => {
    const found = services && part(services)
    if (found === undefined) throw new Error('the service did not start')
    return found
  }
  beforeAll(async () => {
    await buildService()
    services = await startServices(all, options)
  })
  afterAll(() => services?.stop())
  return {
    client: (place = 0) => find(({ clients }) => clients[place]),
    clients: () => find(({ clients }) => clients),
    runtimeUrl: (place) => find(({ runtimeUrls }) => runtimeUrls[place]),
    objects: (place) => find((started) => started.objects(place)),
  }
}
