/** A server that speaks Redis's protocol and misbehaves as a test tells it. */

import { createServer, type Socket } from 'node:net'
import { readReplies } from '#ratelimit/redis/resp.ts'
import { listen } from './listen.ts'

/** Reply to one command: bytes to send back, after a while; null sends nothing, `close` ends the connection. */
export interface ScriptedReply {
  readonly text: string | null
  readonly afterMs?: number
  readonly close?: boolean
}

/** Decides on one command, such as `['INCRBY', 'key', '1']`. */
export type Script = (command: readonly string[]) => ScriptedReply

/** A server that runs. */
export interface ScriptedRedis {
  readonly port: number
  /** Sets its behaviour from now on. */
  behave(script: Script): void
  /** Connections that are open now, and that were ever opened. */
  connections(): { readonly open: number; readonly total: number }
  stop(): Promise<void>
}

/** Answers the commands of the service as a Redis in order does; every counter is at `count`. */
export function inOrder(count: number): Script {
  return ([name = '']) => ({ text: name === 'PING' ? '+PONG\r\n' : `:${count}\r\n` })
}

/** Starts a server in order. */
export async function startScriptedRedis(): Promise<ScriptedRedis> {
  let script = inOrder(1)
  let total = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    total += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    let rest: Uint8Array = new Uint8Array(0)
    let queue = Promise.resolve()
    socket.on('data', (chunk: Buffer) => {
      const read = readReplies(new Uint8Array([...rest, ...chunk]))
      rest = read.rest
      for (const command of read.replies) {
        const words = Array.isArray(command) ? command.map(String) : []
        queue = queue.then(() => answer(socket, script(words)))
      }
    })
  })
  const port = await listen(server)
  return {
    port,
    behave(next) {
      script = next
    },
    connections: () => ({ open: sockets.size, total }),
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function answer(socket: Socket, { text, afterMs = 0, close = false }: ScriptedReply): Promise<void> {
  if (afterMs > 0) await new Promise((resolve) => setTimeout(resolve, afterMs))
  if (socket.destroyed) return
  if (text !== null) socket.write(text)
  if (close) socket.destroy()
}
