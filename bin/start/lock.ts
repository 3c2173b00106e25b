/**
 * The lock of a state folder: one start at a time.
 *
 * The holder listens on a UNIX socket in the folder, `lock-N.sock`. The system closes the socket when the process
 * ends, however it ends, so a lock that was left behind refuses connections and needs no guess about process ids.
 * A new holder takes the next number; the highest number is never removed, so that numbers only grow and two starts
 * that find the same stale lock compete for one name.
 */

import { linkSync, readdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { listenIn, passingName, passingNames, within } from './unix-socket.ts'

/** A state folder that another process holds, by that process's own words. */
export class LockedError extends Error {}

/** Error codes of file systems that keep no UNIX sockets or no hard links. */
const unsupported = new Set(['EOPNOTSUPP', 'ENOTSUP', 'ENOSYS', 'EINVAL', 'EPERM', 'EMLINK'])

/** Attempts of two starts at the same moment to take one lock. */
const maxAttempts = 50

/** Longest time for a live holder to give its name, in milliseconds: one that starts beside busy programs takes seconds. */
const answerTimeoutMs = 10_000

/** A process that holds a folder, as it names itself. */
export interface FolderHolder {
  /** Such as "process 4711". */
  readonly who: string
  /** `HOST:PORT` of each port that it listens on or is about to, that of all services first. */
  readonly addresses: readonly string[]
}

/**
 * Locks a folder for this process, until it ends or releases the lock.
 *
 * @param folder - a folder that exists, with symbolic links resolved.
 * @param addresses - `HOST:PORT` of each port of this process, for the start that is refused and for `sluice doctor`.
 * @returns null where the folder's file system keeps no UNIX sockets, so that nothing can be locked.
 * @throws LockedError naming the process that holds the folder.
 */
export async function lockFolder(folder: string, addresses: readonly string[] = []) {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    // Listed before they are asked: a lock that appears meanwhile makes the claim below fail.
    const numbers = lockNumbers(folder)
    const holder = await findHolder(folder, numbers)
    if (holder !== null) throw new LockedError(refusal(folder, holder))
    const number = (numbers[0] ?? 0) + 1
    const server = await claim(folder, number, addresses)
    if (server === 'unsupported') return null
    if (server === 'taken') continue
    // Another start may have gone past this number since the folder was listed: then this claim came too late.
    if (lockNumbers(folder)[0] === number) {
      removeOlder(folder, number)
      // The next start finds the socket of a lock that was given back dead.
      return { release: () => void server.close() }
    }
    server.close()
    rmSync(join(folder, nameOf(number)), { force: true })
  }
  throw new LockedError(`Cannot start: other starts are taking ${folder} over and over`)
}

/** The numbers of the locks in a folder, dead or alive, the highest first. */
function lockNumbers(folder: string): readonly number[] {
  return readdirSync(folder)
    .flatMap((name) => /^lock-(\d{1,15})\.sock$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((one, other) => other - one)
}

function nameOf(number: number): string {
  return `lock-${number}.sock`
}

/** Finds the process that holds a folder; null when there is none. */
export async function findHolder(
  folder: string,
  numbers: readonly number[] = lockNumbers(folder),
): Promise<FolderHolder | null> {
  for (const number of numbers) {
    const answer = await askHolder(folder, nameOf(number))
    if (answer === null) continue
    const [who = '', ...addresses] = answer.split('\n')
    return { who, addresses }
  }
  return null
}

function refusal(folder: string, { who, addresses: [first] }: FolderHolder): string {
  const place = first === undefined ? '' : `, which answers on http://${first}`
  const end = who.replace(/^process (?=\d+$)/, 'kill ')
  return `Cannot start: the state folder ${folder} is in use by ${who}${place}, its tokens are in ${join(folder, 'secrets.json')}; use that one, end it first (${end}), or choose another folder and other ports (--persist, --port, ...)`
}

/** Connects to a lock: what its holder says it is, or null when the holder has ended. */
async function askHolder(folder: string, name: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = within(folder, () => connect({ path: name }))
    const answer: string[] = []
    const settle = (holder: string | null) => {
      socket.destroy()
      resolve(holder)
    }
    const readName = () => answer.join('').trim() || 'a process that does not say who it is'
    socket.setTimeout(answerTimeoutMs, () => settle(readName()))
    socket.setEncoding('utf8')
    socket.on('data', (text: string) => answer.push(text))
    socket.on('end', () => settle(readName()))
    // Refused: the file is there and its process is not. Reset: it ended while it was being asked.
    socket.on('error', () => settle(null))
  })
}

/** Links a listening socket to the lock's name, which fails when the lock exists: a visible lock is alive. */
async function claim(
  folder: string,
  number: number,
  addresses: readonly string[],
): Promise<Server | 'taken' | 'unsupported'> {
  const passing = passingName()
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end([`process ${process.pid}`, ...addresses].join('\n'))
  })
  server.unref()
  try {
    await listenIn(folder, passing, server)
    linkSync(join(folder, passing), join(folder, nameOf(number)))
    return server
  } catch (error) {
    server.close()
    return classifyFailure(error)
  } finally {
    rmSync(join(folder, passing), { force: true })
  }
}

/** ENOENT: the start that won removed the claims of the others. */
function classifyFailure(error: unknown): 'taken' | 'unsupported' {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'EEXIST' || code === 'EADDRINUSE' || code === 'ENOENT') return 'taken'
  if (unsupported.has(code)) return 'unsupported'
  throw error
}

/** Dead locks below the held one, and claims whose starts were killed. */
function removeOlder(folder: string, held: number): void {
  const numbers = lockNumbers(folder).filter((number) => number < held)
  const claims = readdirSync(folder).filter((name) => passingNames.test(name))
  for (const name of [...numbers.map(nameOf), ...claims]) rmSync(join(folder, name), { force: true })
}
