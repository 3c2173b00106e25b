/** A conversation with the runtime's inspector: commands of the Chrome DevTools Protocol and their answers. */

import type { Profiler } from 'node:inspector'
import { setTimeout as sleep } from 'node:timers/promises'
import { fetch, WebSocket } from 'undici'

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

/** Opens a conversation with the isolate of the Worker whose name at the inspector begins with `name`. */
export async function openInspector(port: number, name: string) {
  const signal = AbortSignal.timeout(openWithinMs)
  const answer = await fetch(`http://127.0.0.1:${port}/json`, { signal })
  // The protocol's list of targets; each has an id.
  const targets = (await answer.json()) as readonly { readonly id: string }[]
  const target = targets.find(({ id }) => id.startsWith(name))
  if (target === undefined) throw new Error(`the inspector knows no Worker "${name}"`)
  const socket = new WebSocket(`ws://127.0.0.1:${port}/${target.id}`)
  await new Promise<void>((resolve, reject) => {
    const fail = () => reject(new Error('the inspector refused the conversation'))
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', fail)
    signal.addEventListener('abort', fail)
  })
  return converse(socket)
}

function converse(socket: WebSocket) {
  const waiting = new Map<number, Waiting>()
  const listeners = new Map<string, (params: unknown) => void>()
  let last = 0
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the runtime ended the conversation'))
  })
  socket.addEventListener('message', ({ data }) => {
    const { id, method = '', params, result, error } = JSON.parse(String(data)) as Message
    if (id === undefined) return listeners.get(method)?.(params)
    const own = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) own?.resolve(result)
    else own?.reject(new Error(error.message ?? 'the runtime refused a command'))
  })
  return {
    /** Sends one command. */
    async send(method: string, params: object = {}): Promise<unknown> {
      if (socket.readyState !== WebSocket.OPEN) throw new Error('the conversation has ended')
      const id = ++last
      socket.send(JSON.stringify({ id, method, params }))
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
    },
    /** Calls back with the parameters of every event of a name. */
    on: (event: string, take: (params: unknown) => void) => void listeners.set(event, take),
    close: () => socket.close(),
  }
}

/** An open conversation. */
export type Inspector = ReturnType<typeof converse>

/** Microseconds between samples: a thousand a second, which costs the runtime a few hundredths. */
export const sampleMicros = 1_000

/** Takes a profile of the processor, as V8 has it and Chrome DevTools opens it; an abort ends it early. */
export async function takeCpuProfile(
  inspector: Inspector,
  milliseconds: number,
  signal: AbortSignal,
): Promise<Profiler.Profile> {
  await inspector.send('Profiler.enable')
  await inspector.send('Profiler.setSamplingInterval', { interval: sampleMicros })
  await inspector.send('Profiler.start')
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined)
  const { profile } = (await inspector.send('Profiler.stop')) as Profiler.StopReturnType
  await inspector.send('Profiler.disable')
  return profile
}
