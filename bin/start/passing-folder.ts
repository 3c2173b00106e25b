/**
 * The folder for what must not outlive a start: sockets, and the runtime's configuration, which holds secrets.
 *
 * Its owner listens on a socket in it, which the system closes with the process, however it ends. So the folder of a
 * start that was killed is known by a socket that refuses, and needs no guess about process ids.
 */

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { lstat, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDead } from './unix-socket.ts'

const prefix = 'sluice-run-'
const ownName = /^sluice-run-[A-Za-z0-9]{6}$/
const socketName = 'owner.sock'

/** Makes the folder, of mode 0700, and lets the rest of this process and its children use it as the system's temporary folder. */
export async function openPassingFolder(parent = tmpdir()) {
  const path = mkdtempSync(join(parent, prefix))
  const server = createServer((socket) => socket.destroy())
  server.listen(join(path, socketName))
  await once(server, 'listening')
  server.on('error', () => undefined)
  server.unref()
  const before = process.env.TMPDIR
  process.env.TMPDIR = path
  return {
    path,
    remove(): void {
      if (before === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = before
      server.close()
      rmSync(path, { recursive: true, force: true })
    },
  }
}

/** Removes the folders of processes that have ended: those of the name above, of this user, whose socket refuses. */
export async function removeLeftFolders(parent: string): Promise<void> {
  // This user may have no right to list it.
  const names = await readdir(parent).catch(() => [])
  const paths = names.filter((name) => ownName.test(name)).map((name) => join(parent, name))
  await Promise.all(
    paths.map(async (path) => {
      // What cannot be removed now is left to the next start.
      if (await isLeft(path)) await rm(path, { recursive: true, force: true }).catch(() => undefined)
    }),
  )
}

async function isLeft(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null)
  // A link of that name is not ours, and leads elsewhere.
  if (!found?.isDirectory() || found.uid !== process.getuid?.()) return false
  // Without a socket it may be a folder that is being made.
  return isDead(join(path, socketName))
}
