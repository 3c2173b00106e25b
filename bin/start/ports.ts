/** Whether the ports that a start needs are free. */

import { createServer } from 'node:net'

/**
 * Takes and gives back a port, because the runtime itself says little when one is taken.
 *
 * @throws Error with one sentence when the port cannot be listened on.
 */
export async function assertPortFree(host: string, port: number, option: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'is taken' : `cannot be listened on (${error.code})`
      reject(new Error(`Cannot start: port ${port} of ${host} ${reason}, choose another with ${option}`))
    })
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve()))
  })
}
