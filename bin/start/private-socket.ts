/** A UNIX socket that only this user can reach, for servers of this process that Workers ask. */

import { mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A socket that a server listens on. */
export interface PrivateSocket {
  readonly path: string
  /** Stops listening, ends what is open by `cut`, and removes the socket. */
  close(cut: () => void): Promise<void>
}

/** Lets a server listen on a socket in a new folder of mode 0700, whose name begins with `prefix`. */
export async function listenPrivately(server: Server, prefix: string): Promise<PrivateSocket> {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  const path = join(folder, 'http')
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  return {
    path,
    async close(cut) {
      const isClosed = new Promise<void>((resolve) => server.close(() => resolve()))
      cut()
      await isClosed
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
