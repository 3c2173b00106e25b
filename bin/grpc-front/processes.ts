/** Several fronts on one port, each in its own process: this one keeps the port, and starts one again that has ended. */

import cluster, { type Address, type Worker } from 'node:cluster'
import { once } from 'node:events'
import { parseWhole, runAgain } from '../command-line.ts'
import { clearSocket } from './server.ts'

/** Processes that one port may have. */
const mostFronts = 64

/** Milliseconds until a process is started again, so that one which fails at once does not take the processor. */
const restartMs = 1_000

/** Reads the option `--fronts`. */
export function readFronts(text: string): number {
  return parseWhole('Cannot start', '--fronts', text, { least: 1, most: mostFronts })
}

interface FrontCommand {
  readonly command: 'grpc-front' | 'start'
  /** Message to each process. */
  readonly plan?: object
  /** The UNIX socket that they share; a port when absent. */
  readonly socket: string | undefined
}

/** Starts so many processes of this command, and waits until all listen on one address. */
export async function startFrontProcesses(count: number, { command, plan, socket }: FrontCommand) {
  // Here, where it is done once: one process would remove the socket on which another listens already.
  if (socket !== undefined) await clearSocket(socket)
  const { script, args } = runAgain(command, ...process.argv.slice(2))
  cluster.setupPrimary({ exec: script, args: [...args] })
  let isStopping = false
  const workers = new Set<Worker>()
  const fork = (): Worker => {
    const worker = cluster.fork()
    workers.add(worker)
    if (plan !== undefined) worker.send(plan)
    worker.once('exit', () => workers.delete(worker))
    return worker
  }
  /** Ends them as a signal does. */
  const stop = async () => {
    isStopping = true
    const ends = [...workers].map((worker) => once(worker, 'exit'))
    for (const worker of workers) worker.process.kill('SIGTERM')
    await Promise.all(ends)
  }
  const addresses = await Promise.all(Array.from({ length: count }, fork).map(untilListening)).catch(async (error) => {
    await stop()
    throw error
  })
  // One may have ended while the others started.
  while (workers.size < count) fork()
  cluster.on('exit', () => {
    if (!isStopping) setTimeout(() => isStopping || fork(), restartMs)
  })
  const [address] = addresses
  if (address === undefined) throw new RangeError(`Cannot start ${count} fronts: expected 1 or more`)
  return { address, stop }
}

function untilListening(worker: Worker): Promise<Address> {
  return new Promise((resolve, reject) => {
    worker.once('listening', resolve)
    worker.once('exit', () => reject(new Error('Cannot start: a front ended before it listened')))
  })
}
