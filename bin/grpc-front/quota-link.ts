/** The WebSocket of one stream to one quota object: reports go up, actions come down, a lost one is opened again. */

import { WebSocket } from 'undici'
import { type Status, statusCodes } from '#proto-json/index.ts'
import { createReconnectingSocket, type Loss, reconnectDelayMs, spreadDelay } from '../web-socket/reconnecting.ts'
import { status } from './refusal.ts'

interface QuotaLinkOptions {
  readonly connect: () => WebSocket
  /** Milliseconds that the service has to open a socket. */
  readonly openWithinMs: number
  /** Sockets in a row that may bring nothing after a loss; 0 ends the stream with its first socket. */
  readonly mostReopenings: number
  /** Takes one message of the service. */
  readonly take: (text: string) => void
  readonly end: (outcome: Status) => void
}

/** Connects at once. A service that refuses, or that was never reached, ends the stream. */
export function createQuotaLink(options: QuotaLinkOptions) {
  const { openWithinMs, mostReopenings, end } = options
  const late = `Cannot carry stream: the service did not open it within ${openWithinMs} ms`
  const early: string[] = []
  let earlyLength = 0
  let wasOpened = false
  /** Sockets lost in a row that brought nothing. */
  let losses = 0
  let openTimer: NodeJS.Timeout | undefined
  const socket = createReconnectingSocket({
    connect() {
      const opened = options.connect()
      openTimer = setTimeout(end, openWithinMs, status('UNAVAILABLE', late))
      return opened
    },
    onOpen() {
      clearTimeout(openTimer)
      wasOpened = true
      for (const text of early.splice(0)) socket.current()?.send(text)
      earlyLength = 0
    },
    onText(text) {
      losses = 0
      options.take(text)
    },
    onLoss(loss) {
      clearTimeout(openTimer)
      const outcome = statusOfClose(loss)
      if (outcome !== null || !wasOpened || losses >= mostReopenings) {
        end(outcome ?? unreachable)
        return null
      }
      losses += 1
      return spreadDelay(reconnectDelayMs(losses - 1))
    },
  })

  return {
    /** Sends reports as JSON, in order; without an open socket they wait for one. */
    send(text: string): void {
      const current = socket.current()
      if (current?.readyState === WebSocket.OPEN) current.send(text)
      else {
        early.push(text)
        earlyLength += text.length
      }
    },
    /** Characters of reports that the service has not taken. */
    waiting: (): number => earlyLength + (socket.current()?.bufferedAmount ?? 0),
    close(): void {
      clearTimeout(openTimer)
      socket.close()
    },
  }
}

/** The way of one stream to one quota object. */
export type QuotaLink = ReturnType<typeof createQuotaLink>

const unreachable = status('UNAVAILABLE', 'Cannot carry stream: the service was not reached or the connection was lost')

/** The service closes with 4000 and the gRPC status; any other close is a lost connection, for which this is null. */
function statusOfClose({ code, reason }: Loss): Status | null {
  const known = Object.values(statusCodes).find((status) => status === code - 4_000)
  return known === undefined ? null : { code: known, message: reason }
}
