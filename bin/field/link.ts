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

/** Milliseconds until a connection is tried again, doubled from the least to the most. */
const retry = { leastMs: 100, mostMs: 5_000 } as const

/** Events that wait, beyond which sockets are not read. */
const mostWaiting = 4 * mostEvents

/** Connects at once. */
export function createFieldLink(upstream: FieldUpstream, handlers: FieldLinkHandlers) {
  const { url, socketPath, token, simulation } = upstream
  const dispatcher = new Agent(socketPath === undefined ? {} : { connect: { socketPath } })
  const base = simulation === 'default' ? '/api/v1' : `/simulations/${simulation}/api/v1`
  const address = `${url.replace(/\/$/, '')}${base}${fieldPath}`
  let socket: WebSocket | null = null
  let waiting: FieldEvent[] = []
  /** Events that were sent and not taken yet. */
  let unanswered = 0
  /** Lost connections in a row. */
  let failures = 0
  let isClosed = false
  let lastWarning = ''
  let timer: NodeJS.Timeout | undefined

  function open(): void {
    const made = new WebSocket(address, { dispatcher, headers: { authorization: `Bearer ${token}` } })
    socket = made
    made.addEventListener('message', ({ data }) => {
      if (made === socket) take(String(data))
    })
    made.addEventListener('close', ({ reason }) => leave(made, reason))
    made.addEventListener('error', () => leave(made, 'the service cannot be reached'))
  }

  function leave(left: WebSocket, reason: string): void {
    if (left !== socket) return
    socket = null
    left.close()
    waiting = []
    unanswered = 0
    handlers.onLost()
    if (isClosed) return
    const why = reason === '' ? 'the connection to the service was lost' : reason
    if (why !== lastWarning) handlers.warn(`Field connection: ${why}`)
    lastWarning = why
    const delayMs = Math.min(retry.mostMs, retry.leastMs * 2 ** Math.min(10, failures))
    failures += 1
    timer = setTimeout(open, delayMs)
    timer.unref()
  }

  function take(text: string): void {
    const reply = readReply(text)
    if (reply === undefined) return
    if ('stations' in reply) {
      failures = 0
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
    if (unanswered > 0 || waiting.length === 0 || socket?.readyState !== WebSocket.OPEN) return
    const wasFull = waiting.length >= mostWaiting
    const leaving = waiting.splice(0, mostEvents)
    unanswered = leaving.length
    socket.send(JSON.stringify(leaving))
    if (wasFull && waiting.length < mostWaiting) handlers.onDrain()
  }

  open()
  return {
    send(event: FieldEvent): void {
      waiting.push(event)
      flush()
    },
    /** True while so many events wait that sockets are not to be read. */
    isFull: (): boolean => waiting.length >= mostWaiting,
    async close(): Promise<void> {
      isClosed = true
      clearTimeout(timer)
      if (socket !== null) leave(socket, '')
      await dispatcher.destroy()
    },
  }
}

/** A connection that comes back by itself. */
export type FieldLink = ReturnType<typeof createFieldLink>
