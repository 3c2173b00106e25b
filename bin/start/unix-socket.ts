/** UNIX sockets: in a state folder, whose path may be longer than that of a socket can be, and in a folder of their own. */

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Matches the names that `passingName` makes. */
export const passingNames = /^claim-\d+-[0-9a-f]{8}\.sock$/

/** Makes a name for a socket until it gets its own: the names of a process that was killed are known by their form. */
export function passingName(): string {
  return `claim-${process.pid}-${randomBytes(4).toString('hex')}.sock`
}

/** Lets a server listen on a socket; binds it before it returns. A later error of the server is without effect. */
export function listenIn(folder: string, name: string, server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.on('error', reject)
    within(folder, () => server.listen({ path: name }, resolve))
  })
}

/** Runs an action in a folder, whose path can exceed the 104 bytes that the path of a UNIX socket may have. */
export function within<T>(folder: string, action: () => T): T {
  const before = process.cwd()
  process.chdir(folder)
  try {
    return action()
  } finally {
    process.chdir(before)
  }
}

/** Tells whether the process behind a socket has ended; false where there is no socket. */
export function isDead(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'))
    socket.once('connect', () => {
      socket.destroy()
      resolve(false)
    })
  })
}

/**
 * Lets a server that Workers ask listen where only this user can reach it: on a socket in a new folder of mode 0700,
 * whose name begins with `prefix`.
 */
export async function listenPrivately(server: Server, prefix: string) {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  const path = join(folder, 'http')
  server.listen(path)
  await once(server, 'listening')
  // An error of one connection ends that connection, not the server.
  server.on('error', () => undefined)
  return {
    path,
    /** Stops listening, ends what is open by `cut`, and removes the socket. */
    async close(cut: () => void): Promise<void> {
      const isClosed = once(server, 'close')
      server.close()
      cut()
      await isClosed
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
