/** The connection of the front that holds the sockets of masters from outside: it brings octets and takes answers. */

import { messageOf } from '#base/errors.ts'
import { encodeHex } from '#base/hex.ts'
import { findTelecontrol } from '#grid/engine.ts'
import {
  type FieldEvent,
  type FieldOrder,
  type FieldReply,
  fieldCloseCodes,
  fieldConnectionId,
  listFieldStations,
  readEvents,
} from '#grid/field/messages.ts'
import type { FieldOctets } from '#grid/step/step-context.ts'
import type { SimulationSession } from './session.ts'

/** The clock as far as masters from outside move it: as any request, they wake the simulation. */
interface FieldClock {
  readonly touch: () => number
  readonly advanceNow: (now: number) => void
  /** Microseconds of the next step that have passed by the wall clock. */
  readonly sinceStepUs: (now: number) => number
}

/** The field of one simulation. */
export type FieldLink = ReturnType<typeof openFieldLink>

/** Opens the field; it does nothing until a front connects. */
export function openFieldLink(session: SimulationSession) {
  let socket: WebSocket | undefined
  /** Numbers of the connections by the sockets of the front, and back. */
  const connections = new Map<number, number>()
  const sockets = new Map<string, number>()

  function send(reply: FieldReply): void {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(reply))
  }

  function forget(number: number): void {
    const connection = connections.get(number)
    connections.delete(number)
    if (connection !== undefined) sockets.delete(fieldConnectionId(connection))
  }

  function toOrders(octets: readonly FieldOctets[]): readonly FieldOrder[] {
    return octets.flatMap(({ connection, octets: bytes }): readonly FieldOrder[] => {
      const number = sockets.get(connection)
      return number === undefined ? [] : [['octets', number, encodeHex(bytes)]]
    })
  }

  /** Closes the sockets of connections that the outstations have closed. */
  function closeLost(): readonly FieldOrder[] {
    const { connections: open } = session.world()
    const lost = [...sockets].filter(([id]) => open[id] === undefined)
    for (const [, number] of lost) forget(number)
    return lost.map(([, number]) => ['close', number, 'the outstation closed the connection'])
  }

  function take(event: FieldEvent, sinceUs: number): readonly FieldOrder[] {
    const [kind, number] = event
    if (kind === 'open') {
      const { connection } = session.field({ open: event[2] }, undefined, sinceUs).entry
      connections.set(number, connection)
      sockets.set(fieldConnectionId(connection), number)
      return []
    }
    const connection = connections.get(number)
    if (connection === undefined) return []
    if (kind === 'octets') return toOrders(session.field({ octets: event[2] }, connection, sinceUs).octets)
    forget(number)
    session.field('close', connection, sinceUs)
    return []
  }

  function takeAll(events: readonly FieldEvent[], clock: FieldClock): void {
    const now = clock.touch()
    clock.advanceNow(now)
    const orders = events.flatMap((event): readonly FieldOrder[] => {
      try {
        return take(event, clock.sinceStepUs(now))
      } catch (error) {
        // The log is full, or the session is over.
        forget(event[1])
        return [['close', event[1], messageOf(error)]]
      }
    })
    send({ taken: events.length, orders: [...orders, ...closeLost()] })
  }

  function closeAll(): void {
    connections.clear()
    sockets.clear()
    for (const connection of session.fieldConnections()) session.field('close', connection, 0)
  }

  function leave(left: WebSocket): void {
    if (left !== socket) return
    socket = undefined
    if (!session.isForgotten()) closeAll()
  }

  return {
    count: () => sockets.size,
    /** Takes the connection of a front in the place of the one before. */
    connect(clock: FieldClock): Response {
      const { 0: client, 1: server } = new WebSocketPair()
      const before = socket
      if (before !== undefined) {
        leave(before)
        before.close(fieldCloseCodes.replaced, 'Cannot go on: another front has connected')
      }
      closeAll()
      server.accept()
      socket = server
      server.addEventListener('message', ({ data }) => {
        const events = typeof data === 'string' ? readEvents(data) : undefined
        if (events !== undefined) takeAll(events, clock)
        else server.close(fieldCloseCodes.malformed, 'Cannot read a message: it is not of the form of this release')
      })
      for (const event of ['close', 'error'] as const) server.addEventListener(event, () => leave(server))
      send({ stations: listFieldStations(findTelecontrol(session.world())) })
      return new Response(null, { status: 101, webSocket: client })
    },
    publish(octets: readonly FieldOctets[]): void {
      if (socket === undefined || sockets.size === 0) return
      const orders = [...toOrders(octets), ...closeLost()]
      if (orders.length > 0) send({ taken: 0, orders })
    },
    /** Announces the stations of a session that begins; the connections of the one before are gone. */
    reset(): void {
      connections.clear()
      sockets.clear()
      send({ stations: listFieldStations(findTelecontrol(session.world())) })
    },
    end(): void {
      socket?.close(fieldCloseCodes.refused, 'Cannot go on: the simulation was deleted')
      socket = undefined
    },
  }
}
