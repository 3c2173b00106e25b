/** The sockets of masters: whole messages go to the simulation, and its orders come back. */

import type { Socket } from 'node:net'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { cutMessages } from '#grid/field/framing.ts'
import type { FieldOrder, FieldStation } from '#grid/field/messages.ts'
import type { FieldLink } from './link.ts'

/** Bounds on the socket of a master. */
export interface MasterBounds {
  /** Milliseconds within which the rest of a message comes. */
  readonly messageWithinMs: number
  /** Milliseconds that a socket may be silent. */
  readonly idleMs: number
  /** Octets that wait for a master that does not read. */
  readonly maxUnread: number
}

interface Master {
  /** Its number at the simulation. */
  readonly number: number
  readonly socket: Socket
  readonly station: FieldStation
  /** The beginning of a message that is not complete. */
  rest: Uint8Array
  /** True once the simulation knows of it: with the first whole message, so that a scan of ports changes nothing. */
  isOpen: boolean
  /** Ends a socket whose message stays incomplete. */
  deadline: NodeJS.Timeout | undefined
}

/** Starts without sockets. */
export function createMasters(link: Pick<FieldLink, 'send' | 'isFull'>, bounds: MasterBounds) {
  const masters = new Map<number, Master>()
  /** Sockets that were ever accepted; the last one's number. */
  let lastNumber = 0

  function take(master: Master, chunk: Uint8Array): void {
    const { number, socket, station } = master
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

  return {
    /** Takes the socket of a new master of a station. */
    accept(socket: Socket, station: FieldStation): void {
      lastNumber += 1
      const number = lastNumber
      const master: Master = { number, socket, station, rest: new Uint8Array(0), isOpen: false, deadline: undefined }
      masters.set(number, master)
      socket.setNoDelay(true)
      socket.setTimeout(bounds.idleMs, () => socket.destroy())
      socket.on('data', (chunk: Buffer) => take(master, chunk))
      // 'close' follows a reset.
      socket.on('error', () => undefined)
      socket.once('close', () => {
        clearTimeout(master.deadline)
        if (masters.delete(number) && master.isOpen) link.send(['close', number])
      })
    },
    /** Carries out an order of the simulation. */
    carryOut([kind, number, text]: FieldOrder): void {
      const master = masters.get(number)
      if (master === undefined) return
      if (kind === 'close') {
        // What the master still sends is dropped.
        masters.delete(number)
        master.socket.removeAllListeners('data').destroySoon()
      } else if (master.socket.writableLength > bounds.maxUnread) master.socket.destroy()
      else master.socket.write(decodeHex(text))
    },
    /** Reads all sockets again, which are paused while the link is full. */
    resume(): void {
      for (const { socket } of masters.values()) socket.resume()
    },
    /** Closes all sockets without an event for the simulation. */
    closeAll(): void {
      const closing = [...masters.values()]
      masters.clear()
      for (const { socket, deadline } of closing) {
        clearTimeout(deadline)
        socket.destroy()
      }
    },
  }
}
