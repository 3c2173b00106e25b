/** A connection that is only written to; reading it serves to notice its end. */

import { dial, type Target } from '../../base/dial.ts'
import { inTime } from '../../base/in-time.ts'

/** A connection that is open. */
export type OneWay = Awaited<ReturnType<typeof openOneWay>>

/** Connects, or throws when the receiver cannot be reached or its certificate is not one that the runtime trusts. */
export async function openOneWay(target: Target, timeoutMs: number) {
  const { socket } = dial(target)
  const writer = socket.writable.getWriter()
  // Both reject with the connection, and so does the write.
  writer.closed.catch(ignoreEndOfSocket)
  socket.closed.catch(ignoreEndOfSocket)
  let isOpen = true
  function close(): void {
    isOpen = false
    socket.close().catch(ignoreEndOfSocket)
  }
  try {
    await inTime(socket.opened, timeoutMs)
  } catch (error) {
    close()
    throw error
  }
  void drain(socket).finally(close)
  return {
    isOpen: () => isOpen,
    close,
    /** Resolves when the socket took the octets; rejects when the connection ended or took them too slowly. */
    async write(octets: Uint8Array) {
      if (!isOpen) throw new Error('connection closed by the receiver')
      try {
        await inTime(writer.write(octets), timeoutMs)
      } catch (error) {
        close()
        throw error
      }
    },
  }
}

async function drain(socket: Socket): Promise<void> {
  try {
    const reader = socket.readable.getReader()
    while (!(await reader.read()).done);
  } catch {
    // A broken connection has ended, too.
  }
}

/** Closing a socket that is broken already rejects; no action is left to take. */
function ignoreEndOfSocket(): void {}
