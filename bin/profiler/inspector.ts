/** A conversation with the runtime's inspector: commands of the Chrome DevTools Protocol and what they answer. */

import { type Dispatcher, fetch, WebSocket } from 'undici'

/** An open conversation. */
export interface Inspector {
  /**
   * Sends one command.
   *
   * @throws Error with the runtime's own words, or when the conversation has ended.
   */
  send(method: string, parameters?: Readonly<Record<string, unknown>>): Promise<unknown>
  /** Calls back with the parameters of every event of a name. */
  on(event: string, take: (parameters: unknown) => void): void
  close(): void
}

/** A message of the protocol: an answer has the id of its command, an event has a method. */
interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly message?: string }
}

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (reason: Error) => void
}

/** Longest time for the inspector to accept a connection, in milliseconds. */
const openWithinMs = 5_000

/**
 * Opens a conversation with the isolate of a Worker.
 *
 * @param port - of the inspector, on 127.0.0.1.
 * @param name - what the inspector's name of the Worker begins with.
 * @throws Error when the inspector does not answer or has no such Worker.
 */
export async function openInspector(port: number, name: string, dispatcher?: Dispatcher): Promise<Inspector> {
  const origin = `127.0.0.1:${port}`
  const through = dispatcher === undefined ? {} : { dispatcher }
  const signal = AbortSignal.timeout(openWithinMs)
  const answer = await fetch(`http://${origin}/json`, { signal, ...through })
  // The protocol's list of targets; each has an id.
  const targets = (await answer.json()) as readonly { readonly id: string }[]
  const target = targets.find(({ id }) => id.startsWith(name))
  if (target === undefined) throw new Error(`the inspector knows no Worker "${name}"`)
  return converse(new WebSocket(`ws://${origin}/${target.id}`, through), signal)
}

async function converse(socket: WebSocket, signal: AbortSignal): Promise<Inspector> {
  const waiting = new Map<number, Waiting>()
  const listeners = new Map<string, (parameters: unknown) => void>()
  let last = 0
  const end = () => {
    for (const { reject } of waiting.values()) reject(new Error('the runtime ended the conversation'))
    waiting.clear()
  }
  socket.addEventListener('close', end)
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Message
    if (message.method !== undefined && message.id === undefined) listeners.get(message.method)?.(message.params)
    const own = message.id === undefined ? undefined : waiting.get(message.id)
    if (own === undefined || message.id === undefined) return
    waiting.delete(message.id)
    if (message.error === undefined) own.resolve(message.result)
    else own.reject(new Error(message.error.message ?? 'the runtime refused a command'))
  })
  await new Promise<void>((resolve, reject) => {
    const fail = () => reject(new Error('the inspector refused the conversation'))
    socket.addEventListener('open', () => resolve(), { once: true })
    socket.addEventListener('error', fail, { once: true })
    signal.addEventListener('abort', fail, { once: true })
  })
  return {
    send(method, parameters = {}) {
      if (socket.readyState !== WebSocket.OPEN) return Promise.reject(new Error('the conversation has ended'))
      const id = ++last
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        socket.send(JSON.stringify({ id, method, params: parameters }))
      })
    },
    on: (event, take) => void listeners.set(event, take),
    close: () => socket.close(),
  }
}
