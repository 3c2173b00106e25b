/** A connection to a receiver that never answers: it is written to, and watched for its end. */

import { dial, type Target } from '../../base/dial.ts'

/** A connection that is open. */
export interface OneWay {
  /** Resolves when the socket took the octets; rejects when the connection ended or took them too slowly. */
  readonly write: (octets: Uint8Array) => Promise<void>
  readonly isOpen: () => boolean
  /** Ends it in order. */
  readonly close: () => void
}

/**
 * Connects.
 *
 * @param timeoutMs - Longest wait for the connection, and for each write.
 * @throws Error when the receiver cannot be reached, or its certificate is not one that the runtime trusts.
 */
export async function openOneWay(target: Target, timeoutMs: number): Promise<OneWay> {
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
    async write(octets) {
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

/** Reads until the receiver ends the connection, which is the only thing it has to say. */
async function drain(socket: Socket): Promise<void> {
  try {
    const reader = socket.readable.getReader()
    while (!(await reader.read()).done);
  } catch {
    // A connection that breaks has ended as well.
  }
}

async function inTime<T>(action: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const isLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('i/o timeout')), timeoutMs)
  })
  try {
    return await Promise.race([action, isLate])
  } finally {
    if (timer !== undefined) clearTimeout(timer)
  }
}

/** A socket that is already broken cannot be closed in order, and it has no reader any more. */
function ignoreEndOfSocket(): void {}
