/** Sends a text over a separate TCP connection, for receivers that never answer. */

import { dial, type Target } from '../../base/dial.ts'

/** Longest wait in milliseconds for a receiver to take everything. */
const timeoutMs = 5_000

/**
 * Connects, writes, and closes in order.
 *
 * @throws Error when the receiver cannot be reached or does not take everything in time.
 */
export async function sendText(target: Target, text: string): Promise<void> {
  const { socket } = dial(target)
  let timer: ReturnType<typeof setTimeout> | undefined
  const isLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('i/o timeout')), timeoutMs)
  })
  try {
    await Promise.race([write(socket, text), isLate])
  } finally {
    if (timer !== undefined) clearTimeout(timer)
    socket.close().catch(ignoreEndOfSocket)
  }
}

async function write(socket: Socket, text: string): Promise<void> {
  await socket.opened
  const writer = socket.writable.getWriter()
  await writer.write(new TextEncoder().encode(text))
  await writer.close()
}

/** A socket that is already broken cannot be closed in order, and it has no reader any more. */
function ignoreEndOfSocket(): void {}
