/** The front of the field: a listener for each outstation and phasor unit, on loopback, for masters of any make. */

import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { cutMessages } from '#grid/field/framing.ts'
import type { FieldOrder, FieldStation } from '#grid/field/messages.ts'
import { createFieldLink, type FieldUpstream } from './link.ts'

interface FieldBounds {
  /** Sockets of one station at once; further ones are closed. */
  readonly maxPerStation: number
  /** Milliseconds within which the rest of a message comes, and that a socket may be silent. */
  readonly messageWithinMs: number
  readonly idleMs: number
  /** Octets that wait for a master that does not read. */
  readonly maxUnread: number
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

/** A front that runs. */
export interface FieldFront {
  stop(): Promise<void>
}

interface Master {
  readonly socket: Socket
  readonly station: FieldStation
  /** The beginning of a message that is not complete. */
  rest: Uint8Array
  /** True once the simulation knows of it: with the first whole message, so that a scan of ports changes nothing. */
  isOpen: boolean
  /** Ends a socket whose message stays incomplete. */
  deadline: NodeJS.Timeout | undefined
}

/** Starts a front, which listens as soon as the simulation has named its stations. */
export function startFieldFront({ upstream, host, port, onOpen, warn, ...options }: FieldOptions): FieldFront {
  const bounds = { ...fieldBounds, ...options.bounds }
  const masters = new Map<number, Master>()
  let servers: Server[] = []
  /** Sockets that were ever accepted; the last one's number. */
  let numbers = 0
  /** Goes up with each session and at the stop, so that an older `listen` ends. */
  let generation = 0
  const link = createFieldLink(upstream, {
    onStations: (stations) => void listen(stations),
    onOrder: carryOut,
    onLost: () => void closeAll(),
    onDrain: () => {
      for (const { socket } of masters.values()) socket.resume()
    },
    warn,
  })

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
    const server = createServer((socket) => accept(socket, station))
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

  function accept(socket: Socket, station: FieldStation): void {
    numbers += 1
    const number = numbers
    const master: Master = { socket, station, rest: new Uint8Array(0), isOpen: false, deadline: undefined }
    masters.set(number, master)
    socket.setNoDelay(true)
    socket.setTimeout(bounds.idleMs, () => socket.destroy())
    socket.on('data', (chunk: Buffer) => take(number, master, chunk))
    // 'close' follows a reset.
    socket.on('error', () => undefined)
    socket.once('close', () => {
      clearTimeout(master.deadline)
      if (masters.delete(number) && master.isOpen) link.send(['close', number])
    })
  }

  function take(number: number, master: Master, chunk: Uint8Array): void {
    const { socket, station } = master
    const cut = cutMessages(station.protocol, Buffer.concat([master.rest, chunk]))
    if (cut === undefined) {
      socket.destroy()
      return
    }
    // A copy: the chunk is a view of a buffer that Node uses again.
    master.rest = Uint8Array.from(cut.rest)
    if (cut.messages.length > 0 || master.rest.length === 0) {
      clearTimeout(master.deadline)
      master.deadline = undefined
    }
    if (master.rest.length > 0) master.deadline ??= setTimeout(() => socket.destroy(), bounds.messageWithinMs).unref()
    for (const message of cut.messages) {
      if (!master.isOpen) link.send(['open', number, station.node])
      master.isOpen = true
      link.send(['octets', number, encodeHex(message)])
    }
    if (link.isFull()) for (const other of masters.values()) other.socket.pause()
  }

  function carryOut([kind, number, text]: FieldOrder): void {
    const master = masters.get(number)
    if (master === undefined) return
    if (kind === 'close') {
      master.isOpen = false
      master.socket.end()
    } else if (master.socket.writableLength > bounds.maxUnread) master.socket.destroy()
    else master.socket.write(decodeHex(text))
  }

  async function closeAll(): Promise<void> {
    const [closing, open] = [servers, [...masters.values()]]
    servers = []
    masters.clear()
    for (const { socket, deadline } of open) {
      clearTimeout(deadline)
      socket.destroy()
    }
    await Promise.all(closing.map((server) => new Promise((resolve) => server.close(resolve))))
  }

  return {
    async stop() {
      generation += 1
      await link.close()
      await closeAll()
    },
  }
}
