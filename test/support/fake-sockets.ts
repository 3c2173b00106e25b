/** WebSockets of a client whose other end is the test. */

import type { WebSocket } from 'undici'
import { expect } from 'vitest'

/** A WebSocket that says and ends as the test wants. */
class FakeSocket extends EventTarget {
  readonly sent: string[] = []
  /** Calls of `close`. */
  closes = 0
  #sequence = 0
  send(text: string): void {
    this.sent.push(text)
  }
  close(): void {
    this.closes += 1
  }
  /** Says items in a message with the next number, as the service says them to a front. */
  say(...items: readonly unknown[]): void {
    this.#sequence += 1
    this.sayText(JSON.stringify([this.#sequence, ...items]))
  }
  sayText(data: string): void {
    this.dispatchEvent(new MessageEvent('message', { data }))
  }
  lose(code = 1006, reason = ''): void {
    this.dispatchEvent(Object.assign(new Event('close'), { code, reason }))
  }
  fail(): void {
    this.dispatchEvent(new Event('error'))
  }
}

/** Makes sockets, and keeps them in the order in which they were asked for. */
export function fakeSockets() {
  const sockets: FakeSocket[] = []
  return {
    sockets,
    at: (index: number): FakeSocket => sockets[index] ?? expect.fail(`there is no connection ${index}`),
    connect(): WebSocket {
      const socket = new FakeSocket()
      sockets.push(socket)
      // Every member that clients use is there.
      return socket as unknown as WebSocket
    },
  }
}
