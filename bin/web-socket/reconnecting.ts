/** A WebSocket that is opened again after each loss. */

import type { WebSocket } from 'undici'

/** The end of a connection. */
export interface Loss {
  /** Close code; 0 where none came. */
  readonly code: number
  /** Text of the peer or of this end; empty where none is known. */
  readonly reason: string
}

/** Handlers of a connection. */
export interface ReconnectingSocketOptions {
  readonly connect: () => WebSocket
  readonly onOpen?: () => void
  readonly onText: (text: string) => void
  /** Returns the milliseconds after which to connect again, or null to stay away. */
  readonly onLoss: (loss: Loss) => number | null
}

/** Connects at once. */
export function createReconnectingSocket({ connect, onOpen, onText, onLoss }: ReconnectingSocketOptions) {
  let socket: WebSocket | null = null
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  function open(): void {
    const opened = connect()
    socket = opened
    // Events of a socket that was left are of no connection any more.
    const whileCurrent = (act: () => void) => {
      if (opened === socket) act()
    }
    opened.addEventListener('open', () => whileCurrent(() => onOpen?.()))
    opened.addEventListener('message', ({ data }) => whileCurrent(() => onText(String(data))))
    opened.addEventListener('close', ({ code, reason }) => whileCurrent(() => leave({ code, reason })))
    opened.addEventListener('error', () =>
      whileCurrent(() => leave({ code: 0, reason: 'the service cannot be reached' })),
    )
  }

  function leave(loss: Loss): void {
    disconnect()
    const delayMs = onLoss(loss)
    if (delayMs !== null && !isClosed) timer = setTimeout(open, delayMs).unref()
  }

  function disconnect(): void {
    const left = socket
    socket = null
    left?.close()
  }

  open()
  return {
    /** The socket of the current connection, open or not; null between two connections. */
    current: (): WebSocket | null => socket,
    /** Leaves the current connection for a reason of this end, as if it had been lost. */
    lose(reason: string): void {
      if (socket !== null) leave({ code: 0, reason })
    },
    /** Disconnects for good; `onLoss` is not called. */
    close(): void {
      isClosed = true
      clearTimeout(timer)
      disconnect()
    },
  }
}

/** Milliseconds before the attempt after so many losses in a row: 100, doubled each time, up to 5 s. */
export function reconnectDelayMs(losses: number): number {
  return Math.min(5_000, 100 * 2 ** Math.min(10, losses))
}

/** Varies a delay, so that ends that lost the same service come back at different moments. */
export function spreadDelay(delayMs: number): number {
  return delayMs * (0.5 + Math.random() / 2)
}
