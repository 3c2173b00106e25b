/** The ports of a start: which they are, whether they differ, and whether they are free. */

import { createServer } from 'node:net'
import { ownAddress } from './listeners.ts'
import { loopback, type StartOptions } from './options.ts'

/** One port that is going to be listened on, and the option that chooses another. */
export interface Place {
  readonly host: string
  readonly port: number
  readonly option: string
}

/** Every TCP port that the options name; a port 0 is none. */
export function listPlaces(options: StartOptions): readonly Place[] {
  const { host, grpcHost, debugHost, vars } = options
  const places: readonly Place[] = [
    { host, port: options.port, option: '--port' },
    { host: grpcHost, port: vars.GRPC_UDS ? 0 : options.grpcPort, option: '--grpc-port' },
    { host: debugHost, port: options.debugPort, option: '--debug-port' },
    { host: options.metricsHost, port: options.metricsPort, option: 'PROMETHEUS_ADDR' },
    { host, port: options.nodePort, option: '--node-port' },
    { host: loopback, port: options.adminPort, option: '--admin-port' },
    { host: loopback, port: options.barePort, option: '--bare-port' },
    { host: loopback, port: options.inspectorPort, option: '--inspector-port' },
  ]
  return places.filter(({ port }) => port > 0)
}

/** `HOST:PORT`, at which this machine reaches the port. */
export function addressOf({ host, port }: Place): string {
  return new URL(ownAddress(host, port)).host
}

/** Binds each port once and frees it again, because the runtime itself says little of a port that is taken. */
export async function assertPortsFree(places: readonly Place[], known: readonly string[] = []): Promise<void> {
  const shared = places.flatMap((place, at) =>
    places
      .slice(0, at)
      .filter((other) => isSame(place, other))
      .map((other) => `${other.option} and ${place.option} are both ${place.port}, expected different ports`),
  )
  const mistakes = [...shared]
  // One after the other: two places of one port would find it taken by each other.
  for (const place of places.filter((one) => !known.includes(addressOf(one)))) {
    const state = await describeTaken(place)
    // A wrong address is one mistake, however many ports are on it.
    if (state !== null && !mistakes.includes(state)) mistakes.push(state)
  }
  if (mistakes.length > 0) throw new Error(mistakes.map((state) => `Cannot start: ${state}`).join('\n'))
}

/** Hosts that mean every address of the machine. */
const wildcards = ['0.0.0.0', '::', '*', '']

function isSame(left: Place, right: Place): boolean {
  if (left.port !== right.port) return false
  return left.host === right.host || wildcards.includes(left.host) || wildcards.includes(right.host)
}

/** Describes a port that is not free; null when it is. */
async function describeTaken({ host, port, option }: Place): Promise<string | null> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL')
        return resolve(`${host} is not an address of this machine (${code}), choose another with --host`)
      const reason = code === 'EADDRINUSE' ? 'is taken' : `cannot be listened on (${code})`
      resolve(`port ${port} of ${host} ${reason}, choose another with ${option}`)
    })
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(null)))
  })
}
