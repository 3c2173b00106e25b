/** Rate limit services for a file of tests: they start before its tests and end after them. */

import { host } from './host.ts'
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
  const services = host(async () => {
    await buildService()
    return startServices(all, options)
  })
  const find = <T>(parts: readonly T[], place: number): T => {
    const part = parts[place]
    if (part === undefined) throw new Error(`service ${place} did not start`)
    return part
  }
  return {
    client: (place = 0) => find(services.clients, place),
    clients: () => services.clients,
    runtimeUrl: (place) => find(services.runtimeUrls, place),
    objects: (place) => services.objects(place),
  }
}
