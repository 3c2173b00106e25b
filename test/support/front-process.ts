/** A front of native gRPC as a process, which can be stopped, continued and killed. */

import { join } from 'node:path'
import { projectRoot } from '#bin/project.ts'
import { openChannel } from '#bin/ratelimit-client/grpc-channel.ts'
import { decodeResponse, encodeRequest, shouldRateLimitPath } from '#proto-json/index.ts'
import { freePort, type RunningProgram, startProgram, waitFor } from './process.ts'
import { frontToken } from './ratelimit-servers.ts'

/** A front that runs, and a client of it. */
export interface FrontProcess {
  /** Counts a hit on the key `k` of the domain `shop`: admitted, refused, or not answered. */
  hit(value: string): Promise<'admitted' | 'refused' | 'failed'>
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  /** Ends it: at once, or with SIGTERM gracefully. */
  kill(name?: 'SIGKILL' | 'SIGTERM'): Promise<void>
  /** Starts it again on its port. */
  start(): Promise<void>
}

/**
 * Starts `sluice grpc-front`, and waits until it listens; it decides once it is connected.
 *
 * @param upstream - address of a runtime that has `frontToken`.
 */
export async function startFrontProcess(upstream: string, options: readonly string[] = []): Promise<FrontProcess> {
  const port = await freePort()
  const args = [join(projectRoot, 'bin/run.mjs'), 'grpc-front', '--upstream', upstream, '--port', `${port}`]
  let program: RunningProgram | null = null
  let channel = openChannel(`127.0.0.1:${port}`, null)
  const front: FrontProcess = {
    async hit(value) {
      const descriptors = [{ entries: [{ key: 'k', value }] }]
      const asked = channel
      const { status, message } = await asked.call(
        shouldRateLimitPath,
        encodeRequest({ domain: 'shop', descriptors, hitsAddend: 0 }),
      )
      if (message !== null) return decodeResponse(message).overallCode === 'OK' ? 'admitted' : 'refused'
      // UNAVAILABLE (14): a connection that was lost is opened again.
      if (status.code === 14 && asked === channel) channel = openChannel(`127.0.0.1:${port}`, null)
      return 'failed'
    },
    signal: (name) => void program?.child.kill(name),
    async kill(name = 'SIGKILL') {
      await program?.stop(name)
    },
    async start() {
      const command = [...args, '--host', '127.0.0.1', ...options]
      const started = startProgram(process.execPath, command, { FRONT_TOKEN: frontToken })
      program = started
      await waitFor('the front listens', async () => started.output().includes('gRPC on'), started)
      channel = openChannel(`127.0.0.1:${port}`, null)
    },
  }
  await front.start()
  return front
}
