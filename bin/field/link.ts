/** The connection of the field's front to its simulation: events out, one message at a time, and orders in. */

import { Agent, WebSocket } from 'undici'
import {
  type FieldEvent,
  type FieldOrder,
  type FieldStation,
  fieldPath,
  mostEvents,
  readReply,
} from '#grid/field/messages.ts'
import { createReconnectingSocket, type Loss, reconnectDelayMs } from '../web-socket/reconnecting.ts'

/** The service, and the token that opens its field. */
export interface FieldUpstream {
  /** Such as `http://127.0.0.1:8080`; where there is a socket, its host is not looked up. */
  readonly url: string
  /** Path of a UNIX socket to connect to instead. */
  readonly socketPath?: string
  /** FIELD_TOKEN of the service. */
  readonly token: string
  readonly simulation: string
}

interface FieldLinkHandlers {
  /** Takes the stations of a session that begins; sockets of the one before are over. */
  readonly onStations: (stations: readonly FieldStation[]) => void
  readonly onOrder: (order: FieldOrder) => void
  /** Called when the connection is gone: no socket is served until stations come again. */
  readonly onLost: () => void
  /** Called when events that waited have left. */
  readonly onDrain: () => void
  readonly warn: (message: string) => void
}

/** Events that wait, beyond which sockets are not read. */
const mostWaiting = 4 * mostEvents

/** Connects at once. */
export function createFieldLink(upstream: FieldUpstream, handlers: FieldLinkHandlers) {
  const { url, socketPath, token, simulation } = upstream
  const dispatcher = new Agent(socketPath === undefined ? {} : { connect: { socketPath } })
  const base = simulation === 'default' ? '/api/v1' : `/simulations/${simulation}/api/v1`
  const address = `${url.replace(/\/$/, '')}${base}${fieldPath}`
  let waiting: FieldEvent[] = []
  /** Events that were sent and not taken yet. */
  let unanswered = 0
  /** Lost connections in a row. */
  let losses = 0
  let lastWarning = ''
  const socket = createReconnectingSocket({
    connect: () => new WebSocket(address, { dispatcher, headers: { authorization: `Bearer ${token}` } }),
    onText: take,
    onLoss: leave,
  })

  function leave({ reason }: Loss): number {
    waiting = []
    unanswered = 0
    handlers.onLost()
    const state = reason === '' ? 'the connection to the service was lost' : reason
    if (state !== lastWarning) handlers.warn(`Field connection: ${state}`)
    lastWarning = state
    losses += 1
    return reconnectDelayMs(losses - 1)
  }

  function take(text: string): void {
    const reply = readReply(text)
    if (reply === undefined) return
    if ('stations' in reply) {
      losses = 0
      lastWarning = ''
      waiting = []
      handlers.onStations(reply.stations)
      return
    }
    for (const order of reply.orders) handlers.onOrder(order)
    if (reply.taken === 0) return
    unanswered = 0
    flush()
  }

  function flush(): void {
    const current = socket.current()
    if (unanswered > 0 || waiting.length === 0 || current?.readyState !== WebSocket.OPEN) return
    const wasFull = waiting.length >= mostWaiting
    const leaving = waiting.splice(0, mostEvents)
    unanswered = leaving.length
    current.send(JSON.stringify(leaving))
    if (wasFull && waiting.length < mostWaiting) handlers.onDrain()
  }

  return {
    send(event: FieldEvent): void {
      waiting.push(event)
      flush()
    },
    /** True while so many events wait that sockets are not to be read. */
    isFull: (): boolean => waiting.length >= mostWaiting,
    async close(): Promise<void> {
      socket.close()
      await dispatcher.destroy()
    },
  }
}

/** A connection that comes back by itself. */
export type FieldLink = ReturnType<typeof createFieldLink>
