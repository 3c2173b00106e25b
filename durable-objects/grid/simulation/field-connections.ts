/** The connections of masters from outside: the socket of the front that each has, and what comes and goes on it. */

import { messageOf } from '#base/errors.ts'
import { encodeHex } from '#base/hex.ts'
import { type FieldEvent, type FieldOrder, fieldConnectionId } from '#grid/field/messages.ts'
import type { FieldOctets } from '#grid/step/step-context.ts'
import type { SimulationSession } from './session.ts'

/** Opens an empty set of connections. */
export function openFieldConnections(session: SimulationSession) {
  /** Numbers of connections by the sockets of the front. */
  const connections = new Map<number, number>()
  /** Sockets of the front by the identifiers of connections. */
  const sockets = new Map<string, number>()

  function forget(socket: number): void {
    const connection = connections.get(socket)
    connections.delete(socket)
    if (connection !== undefined) sockets.delete(fieldConnectionId(connection))
  }

  function clear(): void {
    connections.clear()
    sockets.clear()
  }

  function toOrders(octets: readonly FieldOctets[]): readonly FieldOrder[] {
    return octets.flatMap(({ connection, octets: bytes }): readonly FieldOrder[] => {
      const socket = sockets.get(connection)
      return socket === undefined ? [] : [['octets', socket, encodeHex(bytes)]]
    })
  }

  function log(event: FieldEvent, sinceUs: number): readonly FieldOrder[] {
    if (event[0] === 'open') {
      const [, socket, node] = event
      const { connection } = session.field({ event: { open: node }, sinceUs }).entry
      connections.set(socket, connection)
      sockets.set(fieldConnectionId(connection), socket)
      return []
    }
    const [, socket] = event
    const connection = connections.get(socket)
    if (connection === undefined) return []
    if (event[0] === 'octets') {
      const [, , octets] = event
      return toOrders(session.field({ event: { octets }, connection, sinceUs }).octets)
    }
    forget(socket)
    session.field({ event: 'close', connection, sinceUs })
    return []
  }

  return {
    count: () => sockets.size,
    /** Takes one event of a socket; it is closed when the log is full or the session is over. */
    take(event: FieldEvent, sinceUs: number): readonly FieldOrder[] {
      try {
        return log(event, sinceUs)
      } catch (error) {
        const [, socket] = event
        forget(socket)
        return [['close', socket, messageOf(error)]]
      }
    },
    /** Addresses octets to the sockets of their connections; those of connections without one are dropped. */
    toOrders,
    /** Closes the sockets of connections that the outstations have closed. */
    closeLost(): readonly FieldOrder[] {
      const { connections: open } = session.world()
      const lost = [...sockets].filter(([id]) => open[id] === undefined)
      for (const [, socket] of lost) forget(socket)
      return lost.map(([, socket]) => ['close', socket, 'the outstation closed the connection'])
    },
    /** Closes every connection from outside that the world has, also those of a front before. */
    closeAll(): void {
      clear()
      for (const connection of session.fieldConnections()) session.field({ event: 'close', connection, sinceUs: 0 })
    },
    /** Forgets the connections of a session that is over. */
    clear,
  }
}
