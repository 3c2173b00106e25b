/** The front of the field: a listener for each outstation and phasor unit, on loopback, for masters of any make. */

import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import type { FieldStation } from '#grid/field/messages.ts'
import { createFieldLink, type FieldUpstream } from './link.ts'
import { createMasters, type MasterBounds } from './masters.ts'

interface FieldBounds extends MasterBounds {
  /** Sockets of one station at once; further ones are closed. */
  readonly maxPerStation: number
}

const fieldBounds: FieldBounds = { maxPerStation: 8, messageWithinMs: 10_000, idleMs: 600_000, maxUnread: 262_144 }

interface FieldOptions {
  readonly upstream: FieldUpstream
  /** Address to listen on. */
  readonly host: string
  /** The port before that of the first bus; 0 for any ports. */
  readonly port: number
  readonly bounds?: Partial<FieldBounds>
  /** Takes the stations and their ports each time that a session begins. */
  readonly onOpen?: (ports: readonly FieldPort[]) => void
  readonly warn: (message: string) => void
}

/** A station and the port of its listener. */
export interface FieldPort extends FieldStation {
  readonly port: number
}

/** Starts a front, which listens as soon as the simulation has named its stations. */
export function startFieldFront({ upstream, host, port, onOpen, warn, ...options }: FieldOptions) {
  const bounds = { ...fieldBounds, ...options.bounds }
  let servers: Server[] = []
  /** Goes up with each session and at the stop, so that an older `listen` ends. */
  let generation = 0
  const link = createFieldLink(upstream, {
    onStations: (stations) => void listen(stations),
    onOrder: (order) => masters.carryOut(order),
    onLost: () => void closeAll(),
    onDrain: () => masters.resume(),
    warn,
  })
  const masters = createMasters(link, bounds)

  async function listen(stations: readonly FieldStation[]): Promise<void> {
    generation += 1
    const current = generation
    await closeAll()
    const ports: FieldPort[] = []
    for (const station of stations) {
      if (current !== generation) return
      const opened = await openListener(station)
      if (opened !== undefined) ports.push({ ...station, port: opened })
    }
    if (current === generation) onOpen?.(ports)
  }

  async function openListener(station: FieldStation): Promise<number | undefined> {
    const server = createServer((socket) => masters.accept(socket, station))
    server.maxConnections = bounds.maxPerStation
    servers.push(server)
    try {
      server.listen({ host, port: port === 0 ? 0 : port + station.offset, exclusive: true })
      await once(server, 'listening')
    } catch (error) {
      warn(`Field: ${station.node} cannot listen on port ${port + station.offset}: ${String(error)}`)
      return undefined
    }
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : undefined
  }

  async function closeAll(): Promise<void> {
    const closing = servers
    servers = []
    masters.closeAll()
    await Promise.all(closing.map((server) => new Promise((resolve) => server.close(resolve))))
  }

  return {
    async stop(): Promise<void> {
      generation += 1
      await Promise.all([closeAll(), link.close()])
    },
  }
}

/** A front that runs. */
export type FieldFront = ReturnType<typeof startFieldFront>
