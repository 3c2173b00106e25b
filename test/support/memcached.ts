/** Starts real memcached servers and asks them what they hold. */

import { connect } from 'node:net'
import { findProgram, freePort, type RunningProgram, startProgram, waitForPort } from './process.ts'

/** The server's program, or null when this machine has none. */
export const memcachedServer = findProgram('memcached')

/** A memcached that runs. */
export interface RunningMemcached {
  readonly port: number
  readonly program: RunningProgram
  /** Sends one command and returns the answer up to the line that ends it. */
  ask(command: string): Promise<string>
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** Starts one server on loopback. */
export async function startMemcached(givenPort?: number): Promise<RunningMemcached> {
  if (memcachedServer === null) throw new Error('There is no memcached on this machine')
  const port = givenPort ?? (await freePort())
  const program = startProgram(memcachedServer, ['-l', '127.0.0.1', '-p', String(port), '-U', '0', '-u', 'nobody'])
  await waitForPort(port, program)
  return { port, program, ask: (command) => ask(port, command), stop: (signal) => program.stop(signal) }
}

const end = /(?:END|STORED|NOT_FOUND|DELETED|ERROR.*|^\d+)\r\n$/

function ask(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port })
    let answer = ''
    socket.once('error', reject)
    socket.on('data', (chunk) => {
      answer += chunk.toString()
      if (!end.test(answer)) return
      socket.end()
      resolve(answer)
    })
    socket.write(`${command}\r\n`)
  })
}
