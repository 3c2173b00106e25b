/**
 * Links that sign in to the console of a start that runs: a UNIX socket in its state folder gives one to each
 * connection. The socket is its owner's only, also in a folder that others can enter.
 */

import { renameSync, rmSync, statSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { listenIn, passingName, within } from './unix-socket.ts'

const socketName = 'console.sock'

/** Milliseconds that a start may take to answer. */
const answerWithinMs = 5_000

/** Listens in a state folder that this process has locked; replaces the socket of a start that was killed. */
export async function serveConsoleLinks(folder: string, makeLink: () => string) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end(`${makeLink()}\n`)
  })
  server.unref()
  // Node removes the name that it bound, in the current folder, when it closes: it must be a name of nothing else.
  const passing = passingName()
  // The right to write is the right to connect, and is taken from others before the socket exists.
  const mask = process.umask(0o177)
  const listening = listenIn(folder, passing, server)
  // Given back before anything else can make a file.
  process.umask(mask)
  await listening
  const path = join(folder, socketName)
  renameSync(join(folder, passing), path)
  return {
    close() {
      rmSync(path, { force: true })
      server.close()
    },
  }
}

/** Asks the start that runs on a state folder for a link. */
export async function askConsoleLink(persist: string): Promise<string> {
  const folder = resolve(persist)
  try {
    statSync(join(folder, 'secrets.json'))
    const link = await readLink(folder)
    if (/^https?:\/\/\S+$/.test(link)) return link
    throw new Error('the start gave no link, expected a start of this version')
  } catch (error) {
    throw new Error(`Cannot make a link: ${describeFailure(folder, error)}`, { cause: error })
  }
}

function readLink(folder: string): Promise<string> {
  return new Promise((done, fail) => {
    const socket = within(folder, () => connect({ path: socketName }))
    const pieces: string[] = []
    socket.setEncoding('utf8')
    socket.setTimeout(answerWithinMs, () => socket.destroy(new Error('the start does not answer')))
    socket.on('data', (text: string) => pieces.push(text))
    socket.on('error', fail)
    socket.on('end', () => done(pieces.join('').trim()))
  })
}

function describeFailure(folder: string, error: unknown): string {
  const { code, path = '', message } = error as NodeJS.ErrnoException
  if (code === 'EACCES' || code === 'EPERM') {
    return `${folder} belongs to another user (${code}), expected to be run by the user of the start`
  }
  if (code === 'ENOTDIR' || path.endsWith('secrets.json')) {
    return `${folder} is not the state folder of a start, expected it in --persist or SLUICE_STATE`
  }
  if (code === 'ENOENT' || code === 'ECONNREFUSED') {
    return `no start runs on ${folder}, expected "sluice start" to run, or the folder of one that does in --persist`
  }
  return message
}
