/** Sends a text over a separate TCP connection, for receivers that never answer. */

import { dial, type Target } from '../../base/dial.ts'
import { inTime } from '../../base/in-time.ts'

/** Longest wait in milliseconds for a receiver to take everything. */
const timeoutMs = 5_000

/** Connects, writes, and closes in order. */
export async function sendText(target: Target, text: string): Promise<void> {
  const { socket } = dial(target)
  try {
    await inTime(write(socket, text), timeoutMs)
  } finally {
    socket.close().catch(ignoreEndOfSocket)
  }
}

async function write(socket: Socket, text: string): Promise<void> {
  await socket.opened
  const writer = socket.writable.getWriter()
  await writer.write(new TextEncoder().encode(text))
  await writer.close()
}

/** Closing a socket that is broken already rejects; no action is left to take. */
function ignoreEndOfSocket(): void {}
