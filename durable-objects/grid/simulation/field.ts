/** The WebSocket of the front that holds the sockets of masters from outside: it brings octets and takes answers. */

import { findTelecontrol } from '#grid/engine.ts'
import {
  type FieldEvent,
  type FieldReply,
  fieldCloseCodes,
  listFieldStations,
  readEvents,
} from '#grid/field/messages.ts'
import { isExternal } from '#grid/interface/session-view.ts'
import type { FieldOctets } from '#grid/step/step-context.ts'
import { refuseSocket } from '../../base/refuse-socket.ts'
import { openFieldConnections } from './field-connections.ts'
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
  const connections = openFieldConnections(session)
  let socket: WebSocket | undefined

  function send(reply: FieldReply): void {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(reply))
  }

  function sendStations(): void {
    send({ stations: listFieldStations(findTelecontrol(session.world())) })
  }

  function takeAll(events: readonly FieldEvent[], clock: FieldClock): void {
    const now = clock.touch()
    clock.advanceNow(now)
    const orders = events.flatMap((event) => connections.take(event, clock.sinceStepUs(now)))
    send({ taken: events.length, orders: [...orders, ...connections.closeLost()] })
  }

  function leave(left: WebSocket): void {
    if (left !== socket) return
    socket = undefined
    if (!session.isForgotten()) connections.closeAll()
  }

  function dismiss(front: WebSocket, code: number, reason: string): void {
    leave(front)
    front.close(code, reason)
  }

  return {
    count: connections.count,
    /** Takes the connection of a front in the place of the one before; refused in a session without the engine. */
    connect(clock: FieldClock): Response {
      if (session.isForgotten() || isExternal(session.session().configuration)) {
        const reason = 'Cannot connect: the session is fed from outside or was deleted'
        return refuseSocket(fieldCloseCodes.refused, reason)
      }
      const { 0: client, 1: server } = new WebSocketPair()
      if (socket !== undefined) dismiss(socket, fieldCloseCodes.replaced, 'Cannot go on: another front has connected')
      connections.closeAll()
      server.accept()
      socket = server
      server.addEventListener('message', ({ data }) => {
        // Messages of a front that was dismissed may still be on their way.
        if (server !== socket) return
        const events = typeof data === 'string' ? readEvents(data) : undefined
        if (events !== undefined) takeAll(events, clock)
        else dismiss(server, fieldCloseCodes.malformed, 'Cannot read a message: it is not of the form of this release')
      })
      for (const event of ['close', 'error'] as const) server.addEventListener(event, () => leave(server))
      sendStations()
      return new Response(null, { status: 101, webSocket: client })
    },
    publish(octets: readonly FieldOctets[]): void {
      if (socket === undefined || connections.count() === 0) return
      const orders = [...connections.toOrders(octets), ...connections.closeLost()]
      if (orders.length > 0) send({ taken: 0, orders })
    },
    /** Announces the stations of a session that begins, where it has the engine; the connections before it are gone. */
    reset(): void {
      connections.clear()
      if (!isExternal(session.session().configuration)) sendStations()
      else if (socket !== undefined) {
        dismiss(socket, fieldCloseCodes.refused, 'Cannot go on: the session is fed from outside')
      }
    },
    end(): void {
      connections.clear()
      socket?.close(fieldCloseCodes.refused, 'Cannot go on: the simulation was deleted')
      socket = undefined
    },
  }
}
