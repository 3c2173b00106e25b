/** Native gRPC of `npm start`, in its own process or in several, which share its port. */

import { once } from 'node:events'
import { readSettings } from '#ratelimit/settings.ts'
import { connectDecider, type DeciderUpstream } from '../decider/connect.ts'
import type { Decider } from '../decider/decider.ts'
import { startGrpcFront, stopGrpcFront } from '../grpc-front/front.ts'
import { type Listener, readListener } from '../grpc-front/listener.ts'
import { startFrontProcesses } from '../grpc-front/processes.ts'
import type { StartOptions } from './options.ts'

/** The plan of a front, which the process of the start hands to each process of a front. */
export interface FrontPlan extends Pick<StartOptions, 'grpcHost' | 'grpcPort' | 'vars'> {
  /** The HTTP port of the service, to which calls are forwarded. */
  readonly upstream: string
  /** The runtime itself, for the connection of the front and for quota streams. */
  readonly runtime: DeciderUpstream
}

/** Starts native gRPC for the rate limit service; null without a listener. */
export async function startFront(
  { grpcHost: host, grpcPort: port, fronts, vars }: StartOptions,
  { upstream, runtime }: Pick<FrontPlan, 'upstream' | 'runtime'>,
  { decider, listener }: { readonly decider: Decider; readonly listener: Listener | null },
): Promise<{ stop(): Promise<void> } | null> {
  if (listener === null) return null
  if (fronts > 1) {
    const plan: FrontPlan = { upstream, runtime, grpcHost: host, grpcPort: port, vars }
    return startFrontProcesses(fronts, { command: 'start', plan, socket: listener.socket })
  }
  return startGrpcFront({ upstream, quota: runtime, decider, host, port, ...listener })
}

/** Runs a front in a process that the start has made, until `stopped` settles. */
export async function runPlannedFront(stopped: Promise<unknown>): Promise<void> {
  // Only the process of the start sends messages here, and this is the only one.
  const [{ upstream, runtime, grpcHost: host, grpcPort: port, vars }] = (await once(process, 'message')) as [FrontPlan]
  const decider = connectDecider(runtime)
  const listener = readListener(readSettings(vars, true))
  const front = await startGrpcFront({ upstream, quota: runtime, decider, host, port, ...listener })
  await stopped
  await stopGrpcFront(front, decider)
}
