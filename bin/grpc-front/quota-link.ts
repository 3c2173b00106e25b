/** The WebSocket of one stream to one quota object: reports go up, actions come down, a lost one is opened again. */

import { WebSocket } from 'undici'
import { type Status, statusCodes } from '#proto-json/index.ts'
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

/** Milliseconds until a lost socket is opened again: the first time about so many, then twice as many, up to 5 s. */
const reopenMs = 100
const longestReopenMs = 5_000

/** Connects at once. A service that refuses, or that was never reached, ends the stream. */
export function createQuotaLink(options: QuotaLinkOptions) {
  const { openWithinMs, mostReopenings, end } = options
  const late = `Cannot carry stream: the service did not open it within ${openWithinMs} ms`
  const early: string[] = []
  let earlyLength = 0
  let wasOpened = false
  let losses = 0
  let timer: NodeJS.Timeout | undefined
  let socket: WebSocket | null = connect()

  function connect(): WebSocket {
    const made = options.connect()
    timer = setTimeout(end, openWithinMs, status('UNAVAILABLE', late))
    made.addEventListener('open', () => {
      if (made !== socket) return
      clearTimeout(timer)
      wasOpened = true
      for (const text of early.splice(0)) made.send(text)
      earlyLength = 0
    })
    made.addEventListener('message', ({ data }) => {
      if (made !== socket) return
      losses = 0
      options.take(String(data))
    })
    made.addEventListener('close', ({ code, reason }) => leave(made, statusOfClose(code, reason)))
    made.addEventListener('error', () => leave(made, null))
    return made
  }

  /** Goes on without a socket that is over, or ends with the status that the service gave as its reason. */
  function leave(left: WebSocket, outcome: Status | null): void {
    if (left !== socket) return
    clearTimeout(timer)
    socket = null
    if (outcome !== null || !wasOpened || losses >= mostReopenings) {
      end(outcome ?? unreachable)
      return
    }
    // Fronts that lost the same object at once come back at different moments.
    const delayMs = Math.min(longestReopenMs, reopenMs * 2 ** losses) * (0.5 + Math.random() / 2)
    losses += 1
    timer = setTimeout(() => {
      socket = connect()
    }, delayMs)
  }

  return {
    /** Sends reports as JSON, in order; without an open socket they wait for one. */
    send(text: string): void {
      if (socket?.readyState === WebSocket.OPEN) socket.send(text)
      else {
        early.push(text)
        earlyLength += text.length
      }
    },
    /** Characters of reports that the service has not taken. */
    waiting: (): number => earlyLength + (socket?.bufferedAmount ?? 0),
    close(): void {
      clearTimeout(timer)
      const open = socket
      socket = null
      open?.close()
    },
  }
}

/** The way of one stream to one quota object. */
export type QuotaLink = ReturnType<typeof createQuotaLink>

const unreachable = status('UNAVAILABLE', 'Cannot carry stream: the service was not reached or the connection was lost')

/** The service closes with 4000 and the gRPC status; any other close is a lost connection, for which this is null. */
function statusOfClose(code: number, reason: string): Status | null {
  const known = Object.values(statusCodes).find((status) => status === code - 4_000)
  return known === undefined ? null : { code: known, message: reason }
}
