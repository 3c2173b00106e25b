/** The connections of a front's clients: how many there may be, and which is given up when there is one too many. */

import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The connections that are open. */
export interface Connections {
  /** Tells whether an answer on this connection is still to come, or to be finished. */
  isBusy(socket: Socket): boolean
  /** Tells whether there is an answer on this connection that has not left for the client yet. */
  isAnswered(socket: Socket): boolean
  /** The response to the one request that is still coming in, where nothing of an answer has left; else undefined. */
  unanswered(socket: Socket): ServerResponse | undefined
  /** Notes that a request has begun; it ends with its response. */
  begin(socket: Socket, response: ServerResponse): void
  /** Closes those on which nothing is being answered. */
  closeIdle(): void
}

/**
 * Watches a server's connections. When there are more than the bound, the one that has been idle longest is closed,
 * which a client has to bear at any time; when none is idle, the new one.
 */
export function watchConnections(server: Server, maxConnections: number): Connections {
  /** Connections without a request, the longest idle first. One that never finishes its headers is among them. */
  const idle = new Set<Socket>()
  const busy = new Map<Socket, Set<ServerResponse>>()

  server.on('connection', (socket: Socket) => {
    if (idle.size + busy.size >= maxConnections) {
      const [oldest = socket] = idle
      oldest.destroy()
      idle.delete(oldest)
      if (oldest === socket) return
    }
    idle.add(socket)
    socket.once('close', () => {
      idle.delete(socket)
      busy.delete(socket)
    })
  })

  const end = (socket: Socket, response: ServerResponse) => {
    const running = busy.get(socket)
    running?.delete(response)
    if (running?.size === 0 && busy.delete(socket) && !socket.destroyed) idle.add(socket)
  }
  const responses = (socket: Socket) => [...(busy.get(socket) ?? [])]

  return {
    isBusy: (socket) => responses(socket).some((response) => !response.writableEnded),
    isAnswered: (socket) => responses(socket).some((response) => response.writableEnded),
    unanswered(socket) {
      const [response, ...more] = responses(socket)
      const isOpen = response !== undefined && !response.headersSent && !response.req.complete
      return isOpen && more.length === 0 ? response : undefined
    },
    begin(socket, response) {
      idle.delete(socket)
      busy.set(socket, (busy.get(socket) ?? new Set()).add(response))
      response.once('close', () => end(socket, response))
    },
    closeIdle() {
      for (const socket of idle) socket.destroy()
    },
  }
}
