/** The connections of a front's clients: how many there may be, and which is given up when there is one too many. */

import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The answers on a connection. */
export interface ConnectionState {
  /** True when an answer is still to come, or to be finished. */
  readonly isBusy: boolean
  /** True when there is an answer that has not left for the client yet. */
  readonly isAnswered: boolean
  /** The response to the one request that is still coming in, where nothing of an answer has left; else undefined. */
  readonly unanswered: ServerResponse | undefined
}

/** Watches a server's connections; beyond the bound the longest idle one is closed, or the new one. */
export function watchConnections(server: Server, maxConnections: number) {
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

  return {
    stateOf(socket: Socket): ConnectionState {
      const responses = [...(busy.get(socket) ?? [])]
      const [first] = responses
      const isOpen = responses.length === 1 && !first?.headersSent && !first?.req.complete
      return {
        isBusy: responses.some((response) => !response.writableEnded),
        isAnswered: responses.some((response) => response.writableEnded),
        unanswered: isOpen ? first : undefined,
      }
    },
    /** Notes that a request has begun; it ends with its response. */
    begin(socket: Socket, response: ServerResponse): void {
      idle.delete(socket)
      busy.set(socket, (busy.get(socket) ?? new Set()).add(response))
      response.once('close', () => end(socket, response))
    },
    /** Closes those on which nothing is being answered. */
    closeIdle(): void {
      for (const socket of idle) socket.destroy()
    },
  }
}

/** The connections of one server. */
export type Connections = ReturnType<typeof watchConnections>
