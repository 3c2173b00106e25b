/** A front of HTTP that decides, before a running service. */

import { connectDecider } from '#bin/decider/connect.ts'
import type { Decider } from '#bin/decider/decider.ts'
import { startFrontOf } from './bundle.ts'
import { frontToken, type ServiceClient, serviceClient } from './ratelimit-servers.ts'
import { eventually } from './wait.ts'

/** Connects a decider, and waits until it decides. */
export async function startDecider(runtimeUrl: string): Promise<Decider> {
  const decider = connectDecider({ url: runtimeUrl, token: frontToken })
  await eventually('the front decides', () => decider.ready() !== null, 'it does not')
  return decider
}

/** A front, and who asks it. */
export interface DecidingFront {
  readonly client: ServiceClient
  readonly decider: Decider
  stop(): Promise<void>
}

/** Starts a front as `npm start` has one. */
export async function startDecidingFront(runtimeUrl: string): Promise<DecidingFront> {
  const decider = await startDecider(runtimeUrl)
  const front = await startFrontOf(new URL(runtimeUrl), { decider })
  return {
    client: serviceClient(front.url),
    decider,
    async stop() {
      await front.stop()
      await decider.stop()
    },
  }
}
